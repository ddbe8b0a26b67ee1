"""White space, decoding and what the model sees of invalid bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.rules.text import guessed, lossless, raw, shown, strict, trim


@pytest.mark.parametrize("space", ["\t", "\n", "\v", "\f", "\r", " ", "\x85", "\xa0", "\u1680"])
def test_gos_white_space_is_trimmed(space: str) -> None:
    assert trim(f"{space}a{space}b{space}") == f"a{space}b"


@pytest.mark.parametrize("kept", ["\x1c", "\x1d", "\x1e", "\x1f", "\u200b", "\ufeff"])
def test_what_only_python_calls_white_space_stays(kept: str) -> None:
    """`str.strip` would remove U+001C-001F; Go does not, nor U+200B and the byte order mark."""
    assert trim(f"{kept}a{kept}") == f"{kept}a{kept}"


@given(st.binary())
def test_no_byte_is_lost(data: bytes) -> None:
    assert raw(lossless(data)) == data


@given(st.binary())
def test_what_is_shown_is_valid_unicode_with_one_mark_for_each_invalid_byte(data: bytes) -> None:
    text = lossless(data)
    seen = shown(text)
    seen.encode()  # no lone surrogate is left
    assert len(seen) == len(text)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\xff\xe2\x82b", "a\ufffd\ufffd\ufffdb"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        ("é\ufeff\x00".encode(), "é\ufeff\x00"),
    ],
)
def test_invalid_bytes_become_replacement_characters(data: bytes, expected: str) -> None:
    assert shown(lossless(data)) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"plain", "plain"),
        (b"", ""),
        (b"\xef\xbb\xbfmark", "mark"),
        (b"\xef\xbb\xbf\xef\xbb\xbftwo", "\ufefftwo"),
        (b"\xff\xfea\x00", "a"),
        (b"\xfe\xff\x00a", "a"),
        (b"\xff\xfea", "\ufffd"),
        (b"\xff\xfe\x00\xd8\x01\xd8\x00\xdc", "\ufffd\U00010400"),
        (b"\xff\xfe\x00\xdc\x00\xd8a\x00", "\ufffd\ufffda"),
        (b"a\x00b", "a\x00b"),
    ],
)
def test_global_and_included_files_are_decoded(data: bytes, expected: str) -> None:
    """Every line was seen on the engine."""
    assert guessed(data) == expected


@pytest.mark.parametrize(
    "data",
    [b"a\xffb", b"\xef\xbb\xbfa\xff", b"\xff\xfe\x00\x00a\x00\x00\x00", b"\x00\x00\xfe\xff\x00a"],
)
def test_what_the_host_would_guess_is_left_alone(data: bytes) -> None:
    assert guessed(data) is None


def test_directory_files_must_be_utf8_and_keep_their_mark() -> None:
    assert strict("\ufeffé".encode()) == "\ufeffé"
    assert strict(b"\xff\xfea\x00") is None
