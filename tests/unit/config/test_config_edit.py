"""Edits of a text: what they change, and that they change nothing else."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given

from agguard.config.edit import with_value, without_value
from agguard.config.keys import split
from agguard.config.scan import scan
from agguard.errors import ConfigError
from unit.config.strategies import SCHEMA, documents, pairs

if TYPE_CHECKING:
    from agguard.config.setting import Setting

# name, text, key, value, text after
SET = [
    ("an empty file", "", "delegation.mode", "off", '[delegation]\nmode = "off"\n'),
    ("a key before all sections", "", "profile", "strict", 'profile = "strict"\n'),
    (
        "a value, with its note",
        "[delegation]\nmode = 'off'  # why\n# end\n",
        "delegation.mode",
        "strict",
        '[delegation]\nmode = "strict"  # why\n# end\n',
    ),
    (
        "a key after the last of its section",
        "[a]\nx = 1\n\n# about b\n[b]\ny = 1\n",
        "a.z",
        2,
        "[a]\nx = 1\nz = 2\n\n# about b\n[b]\ny = 1\n",
    ),
    ("a key of a section without keys", "[a] # why\n[b]\n", "a.z", 2, "[a] # why\nz = 2\n[b]\n"),
    ("an indented section", "[a]\n  x = 1\n", "a.z", 2, "[a]\n  x = 1\n  z = 2\n"),
    (
        "a key after a value of many lines",
        "[a]\nx = [\n  1,\n]\n[b]\n",
        "a.z",
        2,
        "[a]\nx = [\n  1,\n]\nz = 2\n[b]\n",
    ),
    ("a new section", "a.x = 1\n", "b.z", 2, "a.x = 1\n\n[b]\nz = 2\n"),
    ("a table of dotted keys", "a.x = 1\n[b]\n", "a.z", 2, "a.x = 1\na.z = 2\n[b]\n"),
    (
        "a table of dotted keys in a section",
        "[t]\na.x = 1\n[b]\n",
        "t.a.z",
        2,
        "[t]\na.x = 1\na.z = 2\n[b]\n",
    ),
    ("an inline table", "a = { x = 1 } # i\n", "a.z", 2, "a = { x = 1, z = 2 } # i\n"),
    ("an empty inline table", "a = {}\n", "a.z", 2, "a = {z = 2}\n"),
    ("a table in an inline table", "a = {b = {x = 1}}\n", "a.b.z", 2, "a = {b = {x = 1, z = 2}}\n"),
    ("a section above its subsection", "[a.b]\nx = 1\n", "a.z", 2, "[a.b]\nx = 1\n\n[a]\nz = 2\n"),
    (
        "a key before all sections, after the file's note",
        "# mine\n\n# about a\n[a]\n",
        "profile",
        "x",
        '# mine\n\nprofile = "x"\n\n# about a\n[a]\n',
    ),
    (
        "a key before all sections, before a section's note",
        "# about a\n[a]\n",
        "profile",
        "x",
        'profile = "x"\n\n# about a\n[a]\n',
    ),
    ("a text with CRLF", "[a]\r\nx = 1\r\n", "a.z", 2, "[a]\r\nx = 1\r\nz = 2\r\n"),
    ("no end of line", "[a]\nx = 1", "a.z", 2, "[a]\nx = 1\nz = 2"),
    ("no end of line, with CRLF", "[a]\r\nx = 1", "a.z", 2, "[a]\r\nx = 1\r\nz = 2"),
    ("a key with quotes", "", 'plugins."a b".x', 1, '[plugins."a b"]\nx = 1\n'),
]


@pytest.mark.parametrize(("name", "text", "key", "value", "after"), SET)
def test_a_key_is_set_where_a_person_would_write_it(
    name: str, text: str, key: str, value: Any, after: str
) -> None:
    """And unsetting a key that was not there before restores every byte."""
    path = split(key)
    assert with_value(text, path, value) == after
    if scan(text).entry(path) is None and not text.startswith("[a] #"):
        assert without_value(after, path) == text


# name, text, key, text after
UNSET = [
    ("a line with its note", "[a]\nx = 1 # why\ny = 2\n", "a.x", "[a]\ny = 2\n"),
    ("a value of many lines", "x = [\n 1,\n]\ny = 2\n", "x", "y = 2\n"),
    (
        "the only key of a section",
        "[a]\nx = 1\n\n[b]\ny = 2\n\n[c]\n",
        "b.y",
        "[a]\nx = 1\n\n[c]\n",
    ),
    ("a section with a note above", "# why\n[a]\nx = 1\n", "a.x", "# why\n[a]\n"),
    ("a section with a note beside", "[a] # why\nx = 1\n", "a.x", "[a] # why\n"),
    ("a section with a note inside", "[a]\n# why\nx = 1\n", "a.x", "[a]\n# why\n"),
    ("a section whose subsection stays", "[a]\nx = 1\n[a.b]\ny = 1\n", "a.x", "[a.b]\ny = 1\n"),
    ("the first of an inline table", "a = { x = 1, y = 2 }\n", "a.x", "a = { y = 2 }\n"),
    ("the last of an inline table", "a = { x = 1, y = 2 }\n", "a.y", "a = { x = 1 }\n"),
    ("the only one of an inline table", "a = { x = 1 }\n", "a.x", "a = {  }\n"),
    ("the last line, with CRLF", "a = 1\r\nb = 2", "b", "a = 1"),
    ("a key that is not there", "[a]\nx = 1\n", "a.z", "[a]\nx = 1\n"),
    ("a key of no section", "", "a.z", ""),
]


@pytest.mark.parametrize(("name", "text", "key", "after"), UNSET)
def test_a_key_is_taken_out_with_nothing_else(name: str, text: str, key: str, after: str) -> None:
    """A section goes with its last key unless somebody wrote a note on it."""
    assert without_value(text, split(key)) == after


REFUSED = [
    ("[[a]]\nx = 1\n", "a.z"),
    ("a = 5\n", "a.z"),
    ("[a.z]\ny = 1\n", "a.z"),
]


@pytest.mark.parametrize(("text", "key"), REFUSED)
def test_what_would_need_a_rewrite_is_refused(text: str, key: str) -> None:
    """Better no edit than a damaged file."""
    with pytest.raises(ConfigError, match="cannot be changed without rewriting its table"):
        with_value(text, split(key), 1)


def test_a_table_is_not_taken_out_as_a_whole() -> None:
    """Only single keys are."""
    with pytest.raises(ConfigError, match=r"such as .a\.x."):
        without_value("[a]\nx = 1\n", ("a",))


@given(documents(), pairs())
def test_what_is_set_is_there_and_everything_else_is_as_it_was(
    text: str, pair: tuple[Setting, Any]
) -> None:
    """Set then get gives the value; all other keys keep theirs; setting again changes nothing."""
    setting, value = pair
    after = _set_or_skip(text, setting.path, value)
    expected = tomllib.loads(text)
    table = expected
    for part in setting.path[:-1]:
        table = table.setdefault(part, {})
    table[setting.path[-1]] = value
    assert tomllib.loads(after) == expected
    assert with_value(after, setting.path, value) == after


@given(documents(), pairs())
def test_unset_restores_the_bytes_that_set_found(text: str, pair: tuple[Setting, Any]) -> None:
    """For a key that was not there; every line of the text survives the way there, too."""
    setting, value = pair
    assume(scan(text).entry(setting.path) is None)
    after = _set_or_skip(text, setting.path, value)
    assert without_value(after, setting.path) == text


@given(documents())
def test_every_key_can_be_taken_out(text: str) -> None:
    """One after the other, until none is left and only notes and empty tables remain."""
    while paths := [entry.path for entry in scan(text).entries if _is_leaf(entry.path, text)]:
        before = tomllib.loads(text)
        text = without_value(text, paths[0])
        assert _leaves(tomllib.loads(text)) == _leaves(before) - {paths[0]}


def _set_or_skip(text: str, path: tuple[str, ...], value: Any) -> str:
    """Set a key; skip a text in which something else than a table is above it."""
    table = tomllib.loads(text)
    for part in path[:-1]:
        table = table.get(part, {})
        assume(isinstance(table, dict))
    assume(not isinstance(table.get(path[-1]), dict))
    return with_value(text, path, value)


def _is_leaf(path: tuple[str, ...], text: str) -> bool:
    table = tomllib.loads(text)
    for part in path:
        if not isinstance(table, dict):
            return False
        table = table[part]
    return not isinstance(table, dict)


def _leaves(table: Any, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    if not isinstance(table, dict):
        return {path}
    return {leaf for key, inner in table.items() for leaf in _leaves(inner, (*path, key))}


def test_the_schema_has_keys_for_these_properties() -> None:
    """A check that draws nothing could not fail."""
    assert len(list(SCHEMA)) > 40
