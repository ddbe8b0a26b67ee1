"""JSON with comments and trailing commas."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.rules.jsonc import parsed

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc/*,\"'"), inner),
    max_leaves=10,
)


@given(JSON)
def test_plain_json_is_left_alone(document: object) -> None:
    assert parsed(json.dumps(document).encode(), fold=False) == document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": [1, 2,], /* c */ "b": 3, // d\n}', {"a": [1, 2], "b": 3}),
        ('["// no", "/* no */", ",]"]', ["// no", "/* no */", ",]"]),
        ('["a\\"//", 1, /* , */ ]', ['a"//', 1]),
        ("[1, // x\n /* y */ ]", [1]),
        ('{"A": 1}', {"a": 1}),
    ],
)
def test_comments_and_trailing_commas_go(text: str, expected: object) -> None:
    assert parsed(text.encode()) == expected


@pytest.mark.parametrize(
    "text",
    ["", "[1,,]", "[,]1", "{,", "/*", '"', '["a]', "[1] 2", "[NaN]", "# c\n1", "[" * 100_000],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed(text.encode())


def test_hostile_texts_take_linear_time() -> None:
    """Each would take quadratic time with an expression that looks ahead."""
    for text in ("/*" * 200_000, '\\"' * 200_000, ", " * 200_000, "/" * 200_000):
        with pytest.raises(ValueError, match=r"."):
            parsed(text.encode())
