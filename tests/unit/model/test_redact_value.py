"""Redaction of nested values: the arguments of tool calls."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from agguard.model.redact import LIMIT, MARK, redact_value
from agguard.model.redact.value import REST

CLEANED = [
    ("export TOKEN=FAKE0123", f"export TOKEN={MARK}"),
    ({"password": "FAKE0123", "user": "bob"}, {"password": MARK, "user": "bob"}),
    ({"otp": 123456, "pin_token": 1.5}, {"otp": MARK, "pin_token": MARK}),
    ({"a": [{"clientSecret": "x1"}]}, {"a": [{"clientSecret": MARK}]}),
    ({"credentials": {"user": "bob", "ids": [7]}}, {"credentials": {"user": MARK, "ids": [MARK]}}),
    ({"name": "DB_PASSWORD", "value": "FAKE"}, {"name": "DB_PASSWORD", "value": MARK}),
    ({"Key": "token", "Value": "FAKE"}, {"Key": "token", "Value": MARK}),
    ({"body": '{"token": "FAKE0123"}'}, {"body": f'{{"token": "{MARK}"}}'}),
    ({"ghp_FAKEfake0123456789FAKE": 1}, {MARK: 1}),
    (["tool", "--token", "FAKE"], ["tool", "--token", MARK]),
    (["mysql", "-uroot", "-pFAKE0123"], ["mysql", "-uroot", f"-p{MARK}"]),
    (("curl", "-u", "bob:FAKE 0123"), ("curl", "-u", f"bob:{MARK}")),
    (["docker", "login", "-p", "FAKE0123"], ["docker", "login", "-p", MARK]),
    (b"token=FAKE", MARK),
    ({"a": object()}, {"a": MARK}),
    ({"a": {1, 2}}, {"a": MARK}),
]
LEFT_ALONE = [
    None,
    True,
    12,
    1.5,
    "git status",
    [],
    {},
    {"password": None, "token": False, "secret": "", "apiKey": "$API_KEY"},
    {"max_tokens": 4096, "usage": {"input_tokens": 12}, "token_type": "bearer"},
    {"TargetFile": "/src/token.py", "CodeContent": "x = 1\n"},
    ["docker", "run", "-p", "8080:80", "nginx"],
    ["tool", "--no-password", "bob", "--token", "--verbose"],
    {"name": "USER", "value": "bob"},
    (1, "two", ("three",)),
]


@pytest.mark.parametrize(("value", "expected"), CLEANED, ids=[str(v)[:50] for v, _ in CLEANED])
def test_secrets_are_taken_out(value: object, expected: object) -> None:
    """By the name of the key, by the words before, and inside of texts."""
    assert redact_value(value) == expected


@pytest.mark.parametrize("value", LEFT_ALONE, ids=[str(v)[:50] for v in LEFT_ALONE])
def test_other_values_stay(value: object) -> None:
    """What holds no secret comes back equal, and of the same types."""
    after = redact_value(value)
    assert after == value
    assert type(after) is type(value)


def test_the_value_itself_is_not_changed() -> None:
    """The guards still need the arguments: redaction works on a copy."""
    value = {"a": {"password": "FAKE0123"}, "b": ["--token", "FAKE0123"]}
    redact_value(value)
    assert value == {"a": {"password": "FAKE0123"}, "b": ["--token", "FAKE0123"]}


def test_a_named_tuple_becomes_a_tuple() -> None:
    """Its class may not take the redacted items."""

    class Pair(NamedTuple):
        one: str
        two: str

    assert redact_value(Pair("a", "token=FAKE0123")) == ("a", f"token={MARK}")


def test_deep_nesting_ends_in_a_mark() -> None:
    """A value may be nested deeper than the interpreter's stack."""
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    after = redact_value(value)
    levels = 0
    while isinstance(after, list):
        after = after[0]
        levels += 1
    assert after == MARK
    assert levels == 64


def test_a_huge_list_is_cut() -> None:
    """The rest of a huge list is left out, and what is kept is redacted."""
    after = redact_value(["token=FAKE0123"] * 1_000_000)
    assert isinstance(after, list)
    assert after[-1] == REST
    assert set(after[:-1]) == {f"token={MARK}"}
    assert len(after) < LIMIT


def test_a_huge_dict_is_cut() -> None:
    """The same holds for a dict."""
    after = redact_value({f"k{number}": "token=FAKE0123" for number in range(100_000)})
    assert isinstance(after, dict)
    assert after[REST] == MARK
    assert "FAKE0123" not in str(after)


def test_a_long_text_does_not_hide_its_neighbors() -> None:
    """After the content of a large file, the path is still in the log."""
    after = redact_value({"CodeContent": "x = 1\n" * LIMIT, "TargetFile": "/src/a.py"})
    assert isinstance(after, dict)
    assert after["TargetFile"] == "/src/a.py"
    assert len(after["CodeContent"]) <= LIMIT
