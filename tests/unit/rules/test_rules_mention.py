"""`@path`: which mentions become absolute (contract, 8)."""

from __future__ import annotations

import pytest

from agguard.rules.mention import mentioned
from unit.rules.shelf import Shelf

FILES: dict[str, str | bytes] = {
    "/ws/docs/a.md": "",
    "/ws/docs/with space.md": "",
    "/ws/docs/é.md": "",
    "/ws/docs/nb\u00a0x": "",
    "/etc/hosts": "",
    "/ws/google3/gg": "",
    "/ws/file:/here": "",
    "/ws/back\\slash": "",
    "/ws/lnk": "-> docs",
}


def made(text: str, folder: str = "/ws") -> str:
    return mentioned(text, folder, "/ws", Shelf(FILES, special=("/ws/fifo",)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "see @docs/a.md, @docs/a.md @/docs @no.md",
            "see @docs/a.md, @/ws/docs/a.md @/ws/docs @no.md",
        ),
        ("mail@docs/a.md", "mail@/ws/docs/a.md"),
        ("@docs/ @./docs//a.md @docs/../docs", "@/ws/docs @/ws/docs/a.md @/ws/docs"),
        ("@.", "@/ws"),
        ("@/etc/hosts", "@/etc/hosts"),
        ("@/docs/a.md", "@/ws/docs/a.md"),
        ("@file:///ws/docs/with%20space.md", "@/ws/docs/with space.md"),
        ("@docs/é.md", "@/ws/docs/é.md"),
        ("@docs/nb\u00a0x", "@/ws/docs/nb\u00a0x"),
        (
            "@docs/a.md\t@docs/a.md\n@docs/a.md\r@docs/a.md\f",
            "@/ws/docs/a.md\t@/ws/docs/a.md\n@/ws/docs/a.md\r@/ws/docs/a.md\f",
        ),
        ("@lnk/a.md", "@/ws/lnk/a.md"),
        ("@fifo", "@/ws/fifo"),
        (r"@back\slash @/ws\docs @/x\y/../docs", "@/ws/back\\slash @/ws/docs @/ws/docs"),
        ("@/gg @//gg @/../docs", "@/ws/google3/gg @/ws/google3/gg @/ws/docs"),
        ("@file://user@/ws/docs @file://ws/docs/a.md", r"@/ws/docs @\\ws\docs\a.md"),
        ("@file:///nope/../here", "@/ws/file:/here"),
        ("@// @/// @//docs/a.md", "@/ws @/ws @/ws/docs/a.md"),
        ("@//ws/docs/a.md", r"@\\ws\docs\a.md"),
    ],
)
def test_mentions_of_what_exists_become_absolute(text: str, expected: str) -> None:
    assert made(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "@docs/missing.md",
        "(@docs/a.md)",
        "`@docs/a.md`",
        "@docs/a.md#L1",
        "@docs/a.md@docs/a.md",
        "@@docs/a.md",
        "@docs/a.md\u00a0x @docs/a.md\vx",
        "@~/shared.md",
        "@docs/with%20space.md",
        "@file:///docs/a.md",
        "@file:///ws%zz",
        "@file://localhost/ws/docs/a.md",
        "@file:///ws/docs#part @file:///ws/docs?query",
        "@/ws/back\\slash",
        "@gg @/google3/nope",
        "@ docs/a.md @",
        "@\0",
    ],
)
def test_other_mentions_stay(text: str) -> None:
    assert made(text) == text


def test_relative_mentions_start_at_the_rules_folder() -> None:
    assert made("@a.md @../docs", "/ws/docs") == "@/ws/docs/a.md @/ws/docs"


def test_each_mention_is_looked_up_once() -> None:
    shelf = Shelf(FILES)
    mentioned("@docs " * 1_000, "/ws", "/ws", shelf)
    assert len(shelf.asked) == 1
