"""No text says `1 files`: what is counted goes through `agguard.quantity`."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).parents[2] / "src"
TREES = {
    str(path.relative_to(SOURCE)): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
ALSO = {"command", "day", "error", "event", "finding", "guard", "hook", "item", "line"} | {
    *("message", "minute", "notice", "plugin", "problem", "row", "setting", "task", "turn", "word")
}
"""Nouns that are not counted anywhere yet."""
HOSTS = {"agguard/rules/cap.py"}
"""Text of the host's own, byte for byte."""


def is_counted(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"counted", "_counted"}


def nouns() -> set[str]:
    """Return what is counted somewhere, so that it is checked everywhere."""
    found = {
        str(node.args[1].value).split()[-1]
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and is_counted(node)
        and len(node.args) == 2
        and isinstance(node.args[1], ast.Constant)
    }
    return (found | ALSO) - {"include"}  # a rule includes another


def is_free(value: ast.FormattedValue) -> bool:
    """Whether the value may be the number 1: no constant, and no budget with separators."""
    name = getattr(value.value, "id", getattr(value.value, "attr", ""))
    return not (is_counted(value.value) or name.isupper() or value.format_spec)


def miscounts(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """Yield the f-strings in which a bare value stands before a plural."""
    plural = re.compile(rf" (?:[a-z']+ )?(?:more are|(?:{'|'.join(sorted(known))})s)\b")
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or not isinstance(text, ast.Constant):
                continue
            if is_free(value) and plural.match(str(text.value)):
                yield f"{node.lineno}: {ast.unparse(node)}"


NOUNS = nouns()


@pytest.mark.parametrize("path", TREES)
def test_a_count_agrees_with_its_noun(path: str) -> None:
    """One file, two files; on every screen and in every reason."""
    if path not in HOSTS:
        assert list(miscounts(TREES[path], NOUNS)) == []


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("f'{n} files'", True),
        ("f'{len(x)} new files are there'", True),
        ("f'{a} of {b} steps'", True),
        ("f'{n} more are silent'", True),
        ("f'{counted(n, \"file\")} and more'", False),
        ("f'{MOST} files at the most'", False),
        ("f'{self.LIMIT} files at the most'", False),
        ("f'{n:,} files'", False),
        ("f'{name} profiles'", False),
    ],
)
def test_the_check_knows_a_miscount(text: str, *, is_wrong: bool) -> None:
    """Or it could not fail."""
    assert bool(list(miscounts(ast.parse(text), {"file", "step"}))) is is_wrong


def test_most_nouns_come_from_the_source() -> None:
    """The walk finds the calls."""
    assert {"byte", "call", "file", "session", "stop", "token", "warning"} <= NOUNS


@given(st.integers())
def test_only_one_is_singular(count: int) -> None:
    """Zero files, one file, two files."""
    assert counted(count, "file") == f"{count} file{'' if count == 1 else 's'}"
    assert counted(count, "entry is", "entries are").endswith("is") is (count == 1)
