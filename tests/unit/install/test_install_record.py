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
RECORD = Record((INSTALL, INSTALL.replace(hooks="/o", target="/other", original=None, files=())))
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


def test_a_registration_is_found_by_name_and_by_its_real_path() -> None:
    """A hooks file that became a link since, and two links to one file."""
    assert RECORD.find("/h/hooks.json", "/elsewhere") == INSTALL
    assert RECORD.find("/elsewhere", "/dot/hooks.json") == INSTALL
    assert RECORD.find("/elsewhere", "/elsewhere") is None
    assert RECORD.without("/elsewhere", "/dot/hooks.json") == Record(RECORD.installs[1:])
    newer = INSTALL.replace(since=13.0, target="/moved")
    assert RECORD.with_install(newer).find("/h/hooks.json", "") == newer
    assert len(RECORD.with_install(newer).installs) == 2
