"""The protection guard: tables of paths that nobody may change, and of paths that are left alone.

`tests/functional/test_what_no_agent_may_change.py` holds the same for the registered command, every
role and real links; here are the guard's own conditions.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.location import is_inside, leads, readings
from agguard.model.call import ToolCall
from agguard.model.effect import Effect
from agguard.model.session import Role, Session
from agguard.model.verdict import Decision
from agguard_builtin.delegation.tools import classify
from agguard_builtin.protection.guard import judge

if TYPE_CHECKING:
    from pathlib import Path

OURS = ("/h/.config/agguard", "/h/.gemini/config/hooks.json", "/h/.gemini/config/agguard-hook")


def is_denied(
    path: str, effect: Effect = Effect.WRITE, key: str = "TargetFile", mode: str = "on"
) -> bool:
    session = Session("c", Role.WORKER, protected=OURS, settings={"protection": {"mode": mode}})
    verdict = judge(ToolCall("write_to_file", {key: path}), effect, session)
    assert verdict is None or verdict.decision == Decision.DENY
    return verdict is not None


@pytest.mark.parametrize(
    "path",
    [
        "/h/.config/agguard",
        "/h/.config/agguard/config.toml",
        "/h/.config/AgGuard/config.toml",
        "/h/.config/x/../agguard/config.toml",
        "//h/.config/agguard/config.toml",
        "/h/.config/agguard/",
        "/h/.gemini/config/hooks.json",
        "/h/.gemini/config/agguard-hook",
        "/anywhere/.gemini/hooks.json",
        "/anywhere/.agents/hooks.json",
        "/anywhere/.agents/deep/er/hooks.json",
        "/anywhere/.AGENTS/Hooks.Json",
        "/anywhere/.agents/agguard-hook",
        "/anywhere/_agent/agguard-hook.cmd",
        "/w/bin/agguard-hook",
        "/b/brain/c/.system_generated/logs/transcript.jsonl",
        "/b/.System_Generated",
        "/b/brain/c/mcp/s/t.json",
        "/h/.gemini/antigravity/mcp/s/t.json",
        "/proc/self/fd/1",
        "/proc/1/cwd/etc",
        "/dev/fd/3",
        ".agents/hooks.json",
        "x/.system_generated/y",
    ],
)
def test_what_is_the_guards_or_the_hosts_is_denied(path: str) -> None:
    """By its place, its name, and where it lies."""
    assert is_denied(path)


@pytest.mark.parametrize(
    "path",
    [
        "/w/app.py",
        "/h/.config/agguard-notes/a",
        "/h/.config/agguar",
        "/h/.config",
        "/w/hooks.json",
        "/w/agents/hooks.json",
        "/w/.agents/hooks.jsonl",
        "/w/.agents/rules/hooks.json.md",
        "/w/bin/agguard-hooks",
        "/w/system_generated/x",
        "/w/.system_generated2/x",
        "/w/mcp/server.py",
        "/w/brain/notes/x/mcp/a",
        "/w/brain/mcp",
        "/w/.gemini/mcp",
        "/w/proc/self",
        "/processes/x",
        "/dev/shm/x",
    ],
)
def test_what_only_looks_alike_is_left_alone(path: str) -> None:
    """A name that begins or ends alike is another name."""
    assert not is_denied(path)


@pytest.mark.parametrize(
    ("effect", "denied"),
    [
        (Effect.WRITE, True),
        (Effect.UNKNOWN, True),
        (Effect.WRITE | Effect.NETWORK, True),
        (Effect.READ | Effect.UNKNOWN, True),
        (Effect.READ, False),
        (Effect.MESSAGE, False),
        (Effect.READ | Effect.NETWORK, False),
        (Effect.DELEGATE, False),
    ],
)
def test_only_what_writes_or_might_is_looked_at(effect: Effect, denied: bool) -> None:
    """Reading the configuration is no secret."""
    assert is_denied("/h/.config/agguard/config.toml", effect) == denied


@pytest.mark.parametrize(
    ("path", "effect", "denied"),
    [
        ("app.py", Effect.WRITE, True),
        ("C:/app.py", Effect.WRITE, True),
        ("/w/\0", Effect.WRITE, True),
        ("app.py", Effect.UNKNOWN, False),
        ("README.md", Effect.READ | Effect.UNKNOWN, False),
    ],
)
def test_a_file_tool_needs_a_place_that_is_known(path: str, effect: Effect, denied: bool) -> None:
    """A tool that nobody knows may mean something else by a relative path."""
    assert is_denied(path, effect) == denied


@pytest.mark.parametrize(
    "key", ["TargetFile", "targetfile", "target_file", "NotebookPath", "Path", "PATH", "ScriptPath"]
)
def test_every_argument_that_names_a_file_counts(key: str) -> None:
    """In whatever letter case: the engine takes them all."""
    assert is_denied("/h/.config/agguard/config.toml", key=key)


@pytest.mark.parametrize("key", ["ImageName", "RecordingName", "OutputPath", "SaveTo", "imagename"])
def test_a_name_for_what_is_made_counts_where_it_is_a_path(key: str) -> None:
    """A plain name is a file in the artifact directory."""
    assert is_denied("/h/.config/agguard/x", key=key)
    assert is_denied("../../h/.config/agguard/x", key=key)
    assert not is_denied("agguard-hook", key=key)


def test_expressions_for_sed_are_looked_at_where_they_are_not_clear() -> None:
    """`w` writes another file than the one that the call names."""

    def denied(expression: str) -> bool:
        session = Session("c", Role.WORKER, protected=OURS)
        call = ToolCall("sed_file", {"target_file": "/w/a", "expressions": [expression]})
        return judge(call, classify(call), session) is not None

    assert denied("s/a/b/w /h/.config/agguard/config.toml")
    assert denied("w /h/.gemini/config/hooks.json")
    assert not denied("s/a/b/w /w/b")
    assert not denied("s#a#/h/.config/agguard/config.toml#")


@pytest.mark.parametrize("key", ["CodeContent", "Description", "TargetContent", "toolSummary"])
def test_other_arguments_may_speak_of_it(key: str) -> None:
    """A document about hooks.json is no hooks.json."""
    assert not is_denied("/h/.config/agguard/config.toml", key=key)


@pytest.mark.parametrize("value", [None, 7, ["/h/.config/agguard/x"], {"a": 1}, ""])
def test_what_is_no_path_is_not_looked_at(value: object) -> None:
    """The engine refuses such arguments."""
    call = ToolCall("write_to_file", {"TargetFile": value})
    assert judge(call, Effect.WRITE, Session("c", protected=OURS)) is None


def test_it_can_be_switched_off_and_by_nothing_else() -> None:
    """`[protection] mode = "off"`; without a section it is on."""
    assert not is_denied("/h/.config/agguard/config.toml", mode="off")
    call = ToolCall("write_to_file", {"TargetFile": "/h/.config/agguard/config.toml"})
    assert judge(call, Effect.WRITE, Session("c", protected=OURS)) is not None


@pytest.mark.parametrize("role", list(Role))
def test_the_role_does_not_matter(role: Role) -> None:
    """Nobody may."""
    call = ToolCall("write_to_file", {"TargetFile": "/w/.agents/hooks.json"})
    assert judge(call, Effect.WRITE, Session("c", role, remaining_depth=2)) is not None


def test_the_reason_names_the_path_and_the_way_that_is_open() -> None:
    """Control signs in it stay visible."""
    path = "/w/.agents/\x1b[31m/hooks.json"
    verdict = judge(ToolCall("write_to_file", {"TargetFile": path}), Effect.WRITE, Session("c"))
    assert verdict is not None
    assert repr(path) in verdict.reason
    assert "ask the user" in verdict.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/a/b", ["/a/b"]),
        ("/a/../b", ["/a/../b"]),
        ("//a/b", ["/a/b"]),
        ("/a\\b", ["/a/b"]),
        ("file:///a/b", ["/a/b"]),
        ("FILE:///a/b", ["/a/b"]),
        ("file:///a%20b%2Fc", ["/a b/c"]),
        ("file://localhost/a", ["/a", "/localhost/a"]),
        ("file://home/a", ["/home/a"]),
        ("file://me@home/a", ["/home/a"]),
        ("file:///a?b#c", ["/a?b#c", "/a"]),
        ("file:///a%3Fb", ["/a?b"]),
        ("", []),
        ("a/b", []),
        ("\\a", ["/a"]),
        ("C:/a", []),
        ("file:a", []),
        ("http://a/b", []),
        ("/a\0b", []),
        ("file:///a%00b", []),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="the table holds POSIX paths")
def test_a_path_has_the_readings_that_hosts_give_it(text: str, expected: list[str]) -> None:
    """Measured on the engine, where it differs from what one would think."""
    assert list(readings(text)) == expected


def test_both_readings_of_dots_behind_a_link_count(tmp_path: Path) -> None:
    """The engine takes them away before it follows the link, the system afterwards."""
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "deep")
    root = os.path.realpath(tmp_path)

    assert set(leads(f"{root}/link/../x")) == {f"{root}/x", f"{root}/real/x"}
    assert leads(f"{root}/x") == (f"{root}/x",)


@given(st.text(alphabet="./\\~ab:%@?#C\0", max_size=30), st.sampled_from(["", "/", "file://"]))
def test_no_text_breaks_the_reading_of_paths(text: str, head: str) -> None:
    """Every reading is absolute, and every place real, whatever an agent writes."""
    assert all(os.path.isabs(path) for path in readings(head + text))
    assert all(os.path.realpath(path) == path for path in leads(head + text) if path)


@given(st.lists(st.sampled_from(["..", ".", "a", "hooks.json", ".agents", "x"]), max_size=8))
def test_no_dots_lead_around_a_protected_folder(parts: list[str]) -> None:
    """Whatever comes to lie inside is denied, however it is spelled."""
    path = "/h/.config/agguard/" + "/".join(parts)
    inside = is_inside(os.path.normpath(path), "/h/.config/agguard")
    assert is_denied(path) or not inside
