"""Plans as people see them: a unified diff that patch accepts."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agguard.install.files import FileChange
from agguard.install.plan import unified

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=12).map("".join)


def _change(before: str | None, after: str | None) -> FileChange:
    as_bytes = [text.encode() if text is not None else None for text in (before, after)]
    return FileChange("f", "f", as_bytes[0], as_bytes[1], 0o644)


def _applied(before: str, patch: str) -> str:
    """Apply a patch of one hunk."""
    header, *body = patch.split("\n")[2:-1]
    start, count = (int(part) for part in header.split(" ")[1][1:].split(","))
    lines = before.splitlines(keepends=True)
    begin = start - 1 if count else start
    old = [line[1:] + "\n" for line in body if line[0] in " -"]
    assert lines[begin : begin + count] == old
    new = [line[1:] + "\n" for line in body if line[0] in " +"]
    return "".join(lines[:begin] + new + lines[begin + count :])


@settings(deadline=None)
@given(LINES, LINES)
def test_the_diff_says_exactly_what_changes(before: str, after: str) -> None:
    """Applied to the old text it gives the new one."""
    if before != after:
        assert _applied(before, unified(_change(before, after))) == after


@settings(deadline=None)
@given(LINES, st.sampled_from(["x\n", "x\ny\n"]), LINES)
def test_one_insertion_looks_as_diff_shows_it(head: str, new: str, tail: str) -> None:
    """The inserted lines alone, as the standard library's diff has them where it finds so few."""
    ours = unified(_change(head + tail, head + new + tail)).splitlines()
    theirs = difflib.unified_diff(
        (head + tail).splitlines(), (head + new + tail).splitlines(), "f", "f", lineterm=""
    )
    added = [line for line in ours[3:] if line[0] != " "]
    changed = [line for line in list(theirs)[3:] if line[0] != " "]
    assert sorted(added) == sorted(f"+{line}" for line in new.splitlines())
    # The library's may also move a line, as for "a" before "x\na\na".
    assert added == changed or any(line[0] == "-" for line in changed)


OPEN_END = "\\ No newline at end of file\n"
CASES = {
    "a new file": (None, "a\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n"),
    "a removed file": ("a\n", None, "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"),
    "no final newline": (
        "a\nb",
        "a\nc",
        f"--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n{OPEN_END}+c\n{OPEN_END}",
    ),
    "only the mode": ("a\n", "a\n", "--- f\n+++ f\n(mode 644)\n"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_ends_of_files_are_shown(case: str) -> None:
    """Files that come and go, and those without a final newline."""
    before, after, shown = CASES[case]
    assert unified(_change(before, after)) == shown


def test_only_the_surroundings_of_the_change_are_shown() -> None:
    """Three lines before and after, whatever the size of the file."""
    before = "".join(f"{n}\n" for n in range(200_000))
    after = before.replace("\n100000\n", "\n100000\nnew\n")
    assert unified(_change(before, after)) == (
        "--- f\n+++ f\n@@ -99999,6 +99999,7 @@\n 99998\n 99999\n 100000\n+new\n 100001\n"
        " 100002\n 100003\n"
    )
