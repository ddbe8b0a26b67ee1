"""One line of a transcript."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.transcript.moment import epoch
from agguard.transcript.row import parse, whole_number

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = (
    "step_index", "source", "type", "status", "created_at", "content", "error", "exit_code",
    "tool_calls", "truncated_fields",
)  # fmt: skip


class TestParse:
    """From bytes to a row."""

    @pytest.mark.parametrize(
        "line",
        [
            b'{"step_index": 3, "type": "X"}',
            b'\xef\xbb\xbf{"step_index": 3, "type": "X"}',
            b'{"step_index": 3, "type": "X"}\r',
            b' \t{"type": "X", "step_index": 3.0}',
            b'{"type": "X", "step_index": "3"}',
            b'{"step_index": 3, "type": "X", "new": {"unknown": [1, 2]}}',
            b'{"step_index": 3, "type": "X", "status": 7, "tool_calls": {}, "exit_code": "no"}',
        ],
    )
    def test_tolerated_spellings_are_one_row(self, line: bytes) -> None:
        """A byte order mark, CRLF, numbers as protojson writes them, unknown and odd fields."""
        row = parse(line)
        assert row is not None
        assert (row.step, row.type, row.status, row.tool_calls, row.exit_code) == (
            3,
            "X",
            "",
            (),
            None,
        )

    @pytest.mark.parametrize(
        "line",
        [
            b"", b"null", b"3", b'"x"', b"[]", b"{}", b'{"type": "X"}',
            b'{"step_index": 3, "type": "X', b'{"step_index": -1}', b'{"step_index": true}',
            b'{"step_index": 3.5}', b'{"step_index": NaN}', b'{"step_index": Infinity}',
            b'{"step_index": 1e400}', b'{"step_index": "x"}', b'{"step_index": null}',
            b'{"step_index": 99999999999999999999}', b'{"step_index": ' + b"9" * 5000 + b"}",
            b'{"a":' * 100_000, b"[" * 100_000 + b"]" * 100_000, b"\xff\xfe{\x00}\x00", b"\0",
        ],
    )  # fmt: skip
    def test_what_is_no_row_is_none(self, line: bytes) -> None:
        """Cut, nested beyond reason, another encoding, or without a step."""
        assert parse(line) is None

    def test_invalid_utf8_is_replaced(self) -> None:
        """The rest of the row survives."""
        row = parse(b'{"step_index": 1, "content": "a\xff\xc3"}')
        assert row is not None
        assert row.content == "a��"

    @pytest.mark.parametrize(
        ("escaped", "text"),
        [
            (rb"\ud83d\ude00", "\N{GRINNING FACE}"),
            (rb"\ud83d", "�"),
            (rb"x\udc00y", "x�y"),
            (rb"\u00e9", "é"),
        ],
    )
    def test_half_surrogates_are_replaced_everywhere(self, escaped: bytes, text: str) -> None:
        """A text with half a surrogate cannot be stored or printed."""
        call = b'{"name": "t", "args": {"%s": ["%s"]}}' % (escaped, escaped)
        row = parse(b'{"step_index": 1, "content": "%s", "tool_calls": [%s]}' % (escaped, call))
        assert row is not None
        assert row.content == text
        assert row.tool_calls[0]["args"] == {text: [text]}

    @given(st.binary())
    def test_no_bytes_raise(self, line: bytes) -> None:
        """Neither raw nor as the value of a field."""
        parse(line)
        parse(b'{"step_index": 1, "content": "' + line + b'"}')

    @given(st.dictionaries(st.sampled_from(FIELDS), JSON))
    def test_no_json_raises_and_all_text_is_encodable(self, fields: dict[str, Any]) -> None:
        """Whatever the host writes into the fields that are read."""
        row = parse(json.dumps(fields).encode())
        if row is not None:
            repr(row.asdict()).encode()
            assert isinstance(row.content, str)

    @pytest.mark.parametrize(
        ("source", "kind", "by_user", "by_model"),
        [
            ("USER_EXPLICIT", "USER_INPUT", True, False),
            ("USER", "USER_INPUT", True, False),
            ("USER_IMPLICIT", "USER_INPUT", False, False),
            ("SYSTEM", "USER_INPUT", False, False),
            ("USER_EXPLICIT", "SYSTEM_MESSAGE", False, False),
            ("SYSTEM", "SYSTEM_MESSAGE", False, False),
            ("MODEL", "PLANNER_RESPONSE", False, True),
            ("MODEL", "RUN_COMMAND", False, False),
            ("SYSTEM", "PLANNER_RESPONSE", False, False),
        ],
    )
    def test_who_speaks_is_told_by_source_and_type(
        self, source: str, kind: str, by_user: bool, by_model: bool
    ) -> None:
        """Neither alone is enough."""
        row = parse(json.dumps({"step_index": 0, "source": source, "type": kind}).encode())
        assert row is not None
        assert (row.by_user, row.by_model) == (by_user, by_model)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0), (7, 7), (7.0, 7), ("7", 7), (True, None), (7.5, None), ("٣", None), ("-1", None),
        (-1, None), ("9" * 30, None), (None, None), ([], None), (float("inf"), None),
    ],
)  # fmt: skip
def test_whole_numbers(value: object, number: int | None) -> None:
    """Strings and doubles count, where they are whole."""
    assert whole_number(value) == number


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ("1970-01-01T00:00:10Z", 10.0),
        ("1970-01-01T02:00:10+02:00", 10.0),
        ("1970-01-01T00:00:10.5Z", 10.5),
        ("1970-01-01T00:00:10.500000001Z", 10.5),
        ("1970-01-01T00:00:10", 10.0),
        ("", None),
        ("yesterday", None),
        ("0001-01-01T00:00:00+23:59", None),
        ("2026-13-01T00:00:00Z", None),
    ],
)
def test_time_stamps(stamp: str, seconds: float | None) -> None:
    """RFC 3339 as Go writes it, UTC without a zone; what is none is None."""
    found = epoch(stamp)
    assert found == seconds or (seconds is None and found is not None and found < -6e10)
