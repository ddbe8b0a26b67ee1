"""The cap of one rule, with the contract's own examples (7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.rules.cap import CAP, cut

X = b"x"


@pytest.mark.parametrize("body", [b"", b"a\n", X * CAP, b"\n" * CAP])
def test_bodies_within_the_cap_are_left_alone(body: bytes) -> None:
    assert cut(body, len(body)) == (body, 0)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (X * 24_001, b"<truncated 24001 bytes>"),
        (X * 24_000 + b"\n", X * 24_000 + b"\n<truncated 1 bytes>"),
        (X * 23_999 + b"\ny", X * 23_999 + b"\n<truncated 2 bytes>"),
        (b"\n" + X * 30_000, b"<truncated 30001 bytes>"),
        (b"\n\n" + X * 30_000, b"\n\n<truncated 30001 bytes>"),
        (X * 23_998 + b"\r\ny", X * 23_998 + b"\n<truncated 3 bytes>"),
        (X * 24_000 + b"\r\n", b"<truncated 24002 bytes>"),
    ],
)
def test_cuts_of_the_contract(body: bytes, expected: bytes) -> None:
    assert cut(body, len(body))[0] == expected


@given(st.lists(st.sampled_from([b"\n", b"\r\n", X * 100, X * 7_999, b"\xc3\xa9" * 500])))
def test_kept_and_lost_bytes_add_up(pieces: list[bytes]) -> None:
    body = b"".join(pieces)
    result, lost = cut(body, len(body))
    if not lost:
        assert result == body
        return
    kept = result.removesuffix(f"<truncated {lost} bytes>".encode())
    assert len(body) - lost == len(kept.removesuffix(b"\n"))
    assert body.startswith(kept.removesuffix(b"\n"))


@given(st.integers(0, 100), st.integers(1, 50_000))
def test_only_the_head_is_needed(newline: int, more: int) -> None:
    body = X * newline + b"\n" + X * (CAP + more)
    assert cut(body[: CAP + 1], len(body)) == cut(body, len(body))
