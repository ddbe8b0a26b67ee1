"""The scanner: where keys and values stand."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config.scan import DEEPEST, scan
from unit.config.strategies import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.config.outline import Path

PLACES = [
    ("a = 1", ("a",), (1, 1), (1, 5)),
    ("# note\n  a=1", ("a",), (2, 3), (2, 5)),
    ("'é' = 'ä'\nb = 1", ("é",), (1, 1), (1, 7)),
    ("[x]\na = 1", ("x", "a"), (2, 1), (2, 5)),
    ("[x]\na = 1", ("x",), (1, 2), (1, 2)),
    ("[ x . 'y z' ]\n", ("x", "y z"), (1, 7), (1, 7)),
    ("x . y . z = 5", ("x", "y"), (1, 5), (1, 5)),
    ("x . y . z = 5", ("x", "y", "z"), (1, 9), (1, 13)),
    ("x = { y = 1, z = 2 }", ("x", "z"), (1, 14), (1, 18)),
    ("a = [\n 'p', # ]\n 'q' ]", ("a", 1), (3, 2), (3, 2)),
    ('"k\\u0065y" = 1', ("key",), (1, 1), (1, 14)),
    ("s = '''\n[x]\ny = 1\n'''\nz = 2", ("z",), (5, 1), (5, 5)),
    ('s = """a\\""" """\nz = 2', ("z",), (2, 1), (2, 5)),
    ("a = 1\r\nb = 2", ("b",), (2, 1), (2, 5)),
    ("d = 1979-05-27 07:32:00 # day\nz = 2", ("z",), (2, 1), (2, 5)),
    ("[[x]]\na = 1\n[[x]]\na = 2", ("x",), (1, 3), (1, 3)),
]


@pytest.mark.parametrize(("text", "path", "key", "value"), PLACES)
def test_key_and_value_are_found_at_their_line_and_column(
    text: str, path: tuple[str, ...], key: str, value: Any
) -> None:
    """Lines and columns count from 1, columns in characters."""
    outline = scan(text)
    assert outline.lost == -1
    offset = outline.offsets()[path]
    assert outline.place(offset) == key
    assert outline.place(outline.value_offsets().get(path, offset)) == value


@given(documents())
def test_what_the_parser_accepts_is_followed_to_its_end(text: str) -> None:
    """Every key that `tomllib` finds has an entry, and its span holds exactly its value."""
    table = tomllib.loads(text)
    outline = scan(text)
    assert outline.lost == -1
    leaves = dict(_leaves(table))
    written = {entry.path: entry for entry in outline.entries}
    assert leaves.keys() <= written.keys()
    for path, value in leaves.items():
        entry = written[path]
        assert tomllib.loads(f"v = {text[entry.value : entry.end]}")["v"] == value


@given(st.text() | st.text("[]{}=.,#'\"\\\n\r ab1"))
def test_scanning_never_raises(text: str) -> None:
    """Whatever the text, the answer is an outline."""
    outline = scan(text)
    assert -1 <= outline.lost <= len(text)


@given(st.text("[]{}=.,#'\"\\\n\r ab1", max_size=30))
def test_the_scanner_follows_at_least_what_the_parser_accepts(text: str) -> None:
    """A text where the scanner is lost is not TOML, so cutting it there loses nothing."""
    try:
        tomllib.loads(text)
    except ValueError:
        return
    assert scan(text).lost == -1


@pytest.mark.parametrize(
    "text",
    [
        "a." * DEEPEST + "b = 1",
        "a = " + "[" * (DEEPEST + 1),
        "a = " + "{a=" * 5000,
        "[" + "a." * 100_000 + "a]",
    ],
)
def test_what_would_exhaust_the_parser_is_refused(text: str) -> None:
    """`tomllib` needs quadratic time for long keys and its stack for nesting."""
    assert "than 32" in scan(text).refusal


def test_the_deepest_allowed_text_is_not_refused() -> None:
    """The limit itself is inside."""
    assert not scan("a." * (DEEPEST - 1) + "b = " + "[" * DEEPEST + "]" * DEEPEST).refusal


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(inner, (*path, index))
    else:
        yield path, value
