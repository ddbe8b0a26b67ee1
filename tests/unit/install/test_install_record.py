"""The record of installations survives its file, and is not believed when it is broken."""

from __future__ import annotations

import pytest

from agguard.install.launcher import Launcher
from agguard.install.record import Install, Original, Record, dump, parse

INSTALL = Install(
    scope="user",
    hooks="/h/hooks.json",
    target="/dot/hooks.json",
    launcher=Launcher("1.0", "/py", "/site", "/state", "deny"),
    since=12.5,
    written="ab",
    original=Original(existed=True, digest="cd"),
    files=(("/h/agguard-hook", "ef"),),
    created=("/h",),
)
RECORD = Record((INSTALL, INSTALL.replace(target="/other", original=None, files=())))
BROKEN = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"{}",
    b'{"format": 2, "installs": []}',
    b'{"format": 1, "installs": [{}]}',
    b'{"format": 1, "installs": [3]}',
    dump(RECORD).replace(b'"files": {', b'"files": 3, "x": {'),
    dump(RECORD)[:-30],
    b"\xff" + dump(RECORD),
]


def test_a_record_comes_back_as_it_was_written() -> None:
    """Every field of every registration."""
    assert parse(dump(RECORD)) == RECORD
    assert parse(dump(Record())) == Record()


@pytest.mark.parametrize("data", BROKEN)
def test_a_broken_record_is_no_empty_record(data: bytes) -> None:
    """What cannot be read is said to be broken, so that nobody relies on it."""
    with pytest.raises(ValueError, match=r"."):
        parse(data)


def test_registrations_are_found_by_the_real_path_of_their_file() -> None:
    """Two links to one hooks file are one registration."""
    assert RECORD.find("/dot/hooks.json") == INSTALL
    assert RECORD.find("/h/hooks.json") is None
    assert RECORD.without("/dot/hooks.json").find("/dot/hooks.json") is None
    newer = INSTALL.replace(since=13.0)
    assert RECORD.with_install(newer).find("/dot/hooks.json") == newer
    assert len(RECORD.with_install(newer).installs) == 2
