"""`@[label](path)`: what is put in, and what stays (contract, 6)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.rules.cap import CAP
from agguard.rules.include import Library, matches
from unit.rules.shelf import Shelf

FILES: dict[str, str | bytes] = {
    "/ws/d.md": "\n D\n\n",
    "/ws/front.md": "---\nkey: [value\n---\n\nAFTER\n",
    "/ws/open.md": "---\nkey: value\nNEVER CLOSED\n",
    "/ws/empty.md": b"",
    "/ws/blank.md": " \n",
    "/ws/nested.md": "N @[d](d.md)\n",
    "/ws/with space.md": "SPACE",
    "/ws/par(1": "HALF",
    "/ws/bom.md": b"\xef\xbb\xbfBOM",
    "/ws/utf16.md": b"\xff\xfeU\x00",
    "/ws/latin.md": b"caf\xe9",
    "/ws/literal.md": r"$1 \1 \g<0>",
    "/home/u/shared.md": "SHARED",
    "/ws/sub/deep.md": "DEEP",
    "/ws/link.md": "-> d.md",
}


def expanded(body: str, folder: str = "/ws") -> str:
    expansion = Library("/home/u", Shelf(FILES)).expand(body, folder)
    assert expansion.size == len(expansion.head)
    return expansion.head.decode()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x@[a](d.md)y", "xDy"),
        ("@[](d.md)", "D"),
        ("@[two\nlines](d.md)", "D"),
        ("@@[d](d.md) `@[c](d.md)` \\@[e](d.md)", "@D `D` \\D"),
        ("@[p](par(1).md)", "HALF.md)"),
        ("@[s](with space.md)", "SPACE"),
        ("@[f](front.md)", "AFTER"),
        ("@[o](open.md)", "---\nkey: value\nNEVER CLOSED"),
        ("x@[e](empty.md)y x@[b](blank.md)y", "xy xy"),
        ("@[n](nested.md)", "N @[d](d.md)"),
        ("@[b](bom.md) @[u](utf16.md)", "BOM U"),
        ("@[l](literal.md)", r"$1 \1 \g<0>"),
        ("@[t](d.md/) @[s](./sub/../d.md)", "D D"),
        ("@[h](~/shared.md) @[a](/ws/d.md)", "SHARED D"),
        ("@[l](link.md)", "D"),
    ],
)
def test_what_is_put_in(body: str, expected: str) -> None:
    assert expanded(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "@[m](missing.md)",
        "@[d](sub) @[d](sub/) @[d](.)",
        "@[s](with%20space.md)",
        "@[p]( d.md ) @[a](<d.md>)",
        '@[t](d.md "t") @[h](d.md#part)',
        "@[f](file:///ws/d.md) @[w](https://example.com/d.md)",
        "@[r](/d.md) @[h](~/missing.md) @[h](~)",
        "@[e]() @ [g](d.md) @[g] (d.md) [l](d.md) ![i](d.md)",
        "@[i](latin.md)",
        "@[n](\0)",
    ],
)
def test_what_stays(body: str) -> None:
    assert expanded(body) == body


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: b\n---\nB\n", "B"),
        ("---\na: b\n---@[self](x.md)\nB", "@[self](x.md)\nB"),
        ("---\na: b\n----\nB", "-\nB"),
        ("------\nB", "B"),
        ("---x\na\n---\nB", "B"),
        ("---\na---\nB", "B"),
        ("---\n- ---\n---\nB", "---\nB"),
        ("----\na\n----\nB\n---\nC", "-\nB\n---\nC"),
        ("\u00a0\n---\na\n ---\nB", "B"),
        ("---\na: |\n  ---\nb\n---\nB", "b\n---\nB"),
        ("---", "---"),
        ("---\na\n--", "---\na\n--"),
        ("x---\na\n---\nB", "x---\na\n---\nB"),
        ("---\na: b\n...\nB", "---\na: b\n...\nB"),
    ],
)
def test_included_frontmatter_ends_at_the_next_three_dashes(text: str, expected: str) -> None:
    """Every line was seen on the engine; the contract's 6.5 is too simple here."""
    library = Library("/h", Shelf({"/ws/x.md": text}))
    assert library.expand("@[x](x.md)", "/ws").head.decode() == expected


@given(st.text("@[]()a\n", max_size=40))
def test_matches_are_those_of_the_engines_expression(text: str) -> None:
    expected = re.finditer(r"@\[([^\]]*)\]\(([^)]+)\)", text)
    found = [(each.start, each.end, each.label, each.target) for each in matches(text)]
    assert found == [(each.start(), each.end(), each[1], each[2]) for each in expected]


@pytest.mark.parametrize("piece", ["@[", "@[]", "@[](", "@[a]()", "@[@[]x", "@[a](b"])
def test_hostile_texts_take_linear_time(piece: str) -> None:
    """The expression would look at every pair of places: 10^12 of them."""
    text = piece * 300_000
    assert len(list(matches(text))) <= len(text)


def test_relative_paths_start_at_the_rules_folder() -> None:
    assert expanded("@[d](../d.md) @[e](deep.md)", "/ws/sub") == "D DEEP"


def test_each_file_is_read_once() -> None:
    shelf = Shelf(FILES)
    Library("/home/u", shelf).expand("@[a](d.md)@[b](./d.md)@[c](d.md)", "/ws")
    assert shelf.opened == ["/ws/d.md"]


def test_a_thousand_large_includes_are_counted_not_kept() -> None:
    """A small rule must not be able to fill the memory of a hook."""
    shelf = Shelf({"/ws/big.md": "x" * 100_000})
    expansion = Library("/h", shelf).expand("@[b](big.md)" * 1_000, "/ws")
    assert expansion.size == 100_000_000
    assert CAP < len(expansion.head) <= CAP + 100_001


def test_the_account_tells_where_each_include_leads() -> None:
    expansion = Library("/home/u", Shelf(FILES)).expand("a @[b](d.md) @[c](sub)", "/ws")
    first, second = expansion.inclusions
    assert (first.label, first.target, first.at, first.path) == ("b", "d.md", 2, "/ws/d.md")
    assert (first.state, first.size, second.state) == ("put in", 1, "folder")
