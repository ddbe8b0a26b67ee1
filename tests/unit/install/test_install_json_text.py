"""The strict reader of hooks.json: exact spans, and refusals with line and column."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agguard.errors import RegistrationError
from agguard.install.json_text import position, scan

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(), JSON, max_size=5), st.sampled_from([None, 0, 2, "\t"]))
def test_each_span_is_exactly_its_value(content: dict[str, object], indent: int | str) -> None:
    """The text between the offsets of a member, read alone, is the member's value."""
    text = json.dumps(content, indent=indent, ensure_ascii=False)
    document = scan(text)
    assert [member.key for member in document.members] == list(content)
    for member in document.members:
        assert json.loads(text[member.key_start : member.key_end]) == member.key
        assert json.loads(text[member.value_start : member.value_end]) == content[member.key]
    assert (text[document.opening], text[document.closing]) == ("{", "}")


def test_a_name_written_with_escapes_is_the_name_that_it_spells() -> None:
    r"""`\u0061gguard` is agguard for the host, so it is for us."""
    assert scan('{"\\u0061gguard": 1}').members[0].key == "agguard"


def test_duplicate_names_are_all_seen() -> None:
    """Go keeps the last of two; a text edit has to see both."""
    assert [member.value for member in scan('{"a": 1, "a": 2}').members] == [1, 2]


REFUSED = {
    '{"a": 1,}': (1, 9, "comma"),
    '{"a": [1, 2,]}': (1, 13, "comma"),
    '{\n  // mine\n  "a": 1\n}': (2, 3, "comment"),
    '{"a": 1 /* mine */}': (1, 9, "comment"),
    '{\n"a": 1 # mine\n}': (2, 8, "comment"),
    "\ufeff{}": (1, 1, "byte order mark"),
    "{'a': 1}": (1, 2, "single quotes"),
    '{"a": NaN}': (1, 7, "NaN"),
    '{"NaN": {"b": [1, -Infinity]}}': (1, 19, "Infinity"),
    '{"a": 1} {}': (1, 10, "nothing after"),
    '{"a": 1': (1, 8, "expected"),
    '{"a"': (1, 5, "':'"),
    '{"a": tru}': (1, 7, "value"),
    '{"a": "x\ny"}': (1, 9, "control character"),
    '{"a": "\\x"}': (1, 8, "escape"),
    '{"a": 01}': (1, 8, "expected"),
    '{\n\n   "a" "b"}': (3, 8, "':'"),
    "": (1, 1, "empty"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_strict_json_is_refused_with_its_place(text: str) -> None:
    """The host refuses such a file whole, so we say where the reason is."""
    line, column, word = REFUSED[text]
    with pytest.raises(RegistrationError) as refused:
        scan(text, "the-file")
    assert f"the-file is not strict JSON at line {line}, column {column}:" in str(refused.value)
    assert word in str(refused.value)


@pytest.mark.parametrize("text", ["[]", '"text"', "3", "1.5", "null", "true"])
def test_what_is_no_object_is_refused(text: str) -> None:
    """A list or a string at the top is never treated as an empty object."""
    with pytest.raises(RegistrationError, match="expected an object of named hooks"):
        scan(text)


def test_nesting_that_cannot_be_read_is_refused_and_not_a_crash() -> None:
    """Ten thousand brackets end in a message."""
    with pytest.raises(RegistrationError, match="nested too deeply"):
        scan('{"a": ' + "[" * 10_000 + "]" * 10_000 + "}")


ACCEPTED = [
    "{}",
    " \t\r\n{ \n } \n",
    '{"a": -0.5e-3, "b": [], "c": {"d": [null, true, false]}}',
    '{"a": "// no comment, /* none */ ,}"}',
    '{"a": "\\ud83d\\ude00 \\ud800"}',
    '{"a": ' + "9" * 5000 + "}",
    '{"a": "\udcff"}',
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_strict_json_is_left_alone(text: str) -> None:
    """Odd but strict texts are read; bytes that are not UTF-8 come as surrogates."""
    assert scan(text).text == text


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:/ \n\tau1\\\ufeff'))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes the reader fail in another way, and it agrees with json about what is JSON."""
    try:
        document = scan(text)
    except RegistrationError:
        with pytest.raises((ValueError, AssertionError)):
            assert isinstance(json.loads(text), dict)
    else:
        assert {m.key: m.value for m in document.members} == json.loads(text)


def test_lines_and_columns_are_counted_from_one() -> None:
    """The first character stands at line 1, column 1."""
    assert [position("ab\nc", offset) for offset in range(4)] == [(1, 1), (1, 2), (1, 3), (2, 1)]
