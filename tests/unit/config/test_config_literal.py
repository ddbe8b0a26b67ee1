"""Values from the command line and from variables; values as TOML."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config.literal import literal, value_of
from agguard.errors import ConfigError

VALUES = [
    ("strict", "strict"),
    ("read-only", "read-only"),
    ("true", True),
    ("True", "True"),
    ("5", 5),
    ("0.5", 0.5),
    ("'5'", "5"),
    ('["a", "b"]', ["a", "b"]),
    ("{a = 'b'}", {"a": "b"}),
    ("", ""),
    ("two words", "two words"),
    ("C:\\tools\\rtk.exe", "C:\\tools\\rtk.exe"),
    ("/usr/bin/rtk", "/usr/bin/rtk"),
    ("1\n[delegation]\nmode = 'off'", "1\n[delegation]\nmode = 'off'"),
    ("1\nvalue.x = 2", "1\nvalue.x = 2"),
]


@pytest.mark.parametrize(("raw", "value"), VALUES)
def test_a_value_is_toml_and_a_bare_word_a_string(raw: str, value: Any) -> None:
    """What would smuggle in a second key is no value and so a plain string."""
    found = value_of(raw)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("raw", ['["a"', "'x", '"', "{a}", '["a"] ["b"]', "[" * 5000])
def test_what_begins_like_toml_and_is_none_is_refused(raw: str) -> None:
    """It was certainly not meant as a bare word."""
    with pytest.raises(ConfigError, match="is not a TOML value"):
        value_of(raw)


PLAIN = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(PLAIN)
def test_a_literal_is_read_back_as_the_same_value(value: Any) -> None:
    """By the parser, and as VALUE on the command line; on one line."""
    written = literal(value)
    assert "\n" not in written
    assert repr(tomllib.loads(f"v = {written}")["v"]) == repr(value)
    assert repr(value_of(written)) == repr(value)


def test_null_has_no_literal() -> None:
    """TOML has no null."""
    with pytest.raises(ConfigError, match="cannot be written as TOML"):
        literal([None])
