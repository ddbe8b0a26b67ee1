"""A ledger that is locked, damaged, foreign or too new leaves alone what needs no state.

What needs state and cannot have it counts as a fault: a caller who is not known yet is nobody, a
subagent cannot be registered, a stop is not sent back because nobody could count how often.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

HOLD = """
import sqlite3, sys
link = sqlite3.connect(sys.argv[1], isolation_level=None)
link.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


class Cast(NamedTuple):
    """Agents of one session; what they did before is in the ledger."""

    primary: Conversation
    worker: Conversation
    new_primary: Conversation
    new_worker: Conversation


@pytest.fixture
def cast(guarded: Guarded) -> Cast:
    found = Cast(guarded.primary(), guarded.worker(), guarded.primary(), guarded.worker())
    guarded.spawn(found.primary, {"Prompt": "Work."})
    assert guarded.run(found.worker, "make").decision == "allow"
    found.primary.says("Done.")
    return found


@contextlib.contextmanager
def locked(guarded: Guarded) -> Iterator[None]:
    """Have another process hold the ledger."""
    command = [sys.executable, "-c", HOLD, guarded.ledger]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield


def spoil(guarded: Guarded, kind: str) -> None:
    """Put something unusable in the ledger's place, with everything else of it gone."""
    link = sqlite3.connect(guarded.ledger)
    link.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if kind == "newer":
        link.execute("PRAGMA user_version = 99")
    link.close()
    for ending in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(guarded.ledger + ending)
    SPOILERS[kind](guarded.ledger)


def _pages(path: str) -> None:
    """Damage every page but the first, so that the file still opens as a database."""
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        file.seek(4096)
        file.write(b"\x99" * (size - 4096))


def _truncated(path: str) -> None:
    os.truncate(path, 5000)


def _text(path: str) -> None:
    with open(path, "wb") as file:
        file.write(b"This is not a ledger.\n" * 400)


def _foreign(path: str) -> None:
    os.unlink(path)
    link = sqlite3.connect(path)
    link.execute("CREATE TABLE savings (amount)")
    link.execute("INSERT INTO savings VALUES (7)")
    link.commit()
    link.close()


def _folder(path: str) -> None:
    os.unlink(path)
    os.mkdir(path)


def _pipe(path: str) -> None:
    os.unlink(path)
    os.mkfifo(path)


def _dangling(path: str) -> None:
    os.unlink(path)
    os.symlink("/nowhere/at/all", path)


SPOILERS: dict[str, Callable[[str], object]] = {
    "damaged": _pages,
    "truncated": _truncated,
    "text": _text,
    "foreign": _foreign,
    "newer": lambda _: None,
    "folder": _folder,
    "pipe": _pipe,
    "dangling": _dangling,
}

WORDS = {
    "damaged": "is damaged",
    "truncated": "is damaged",
    "text": "is not a database",
    "foreign": "is another program's database",
    "newer": "has version 99",
    "folder": "cannot be opened",
    "pipe": "cannot be read",
    "dangling": "cannot be",
}
"""What the reason says of each kind."""


def test_a_locked_ledger_changes_no_verdict_of_somebody_it_knows(
    guarded: Guarded, cast: Cast
) -> None:
    """Reading goes on beside another writer: roles hold, and denials say that nothing was kept."""
    before = len(guarded.entries())
    with locked(guarded):
        denied = guarded.run(cast.primary, "ls")
        allowed = guarded.run(cast.worker, "ls")

    assert denied.decision == "deny"
    assert "the primary agent plans and delegates" in denied.reason
    assert "is locked" in denied.reason
    assert guarded.ledger in denied.reason
    assert allowed.decision == "allow"
    assert len(guarded.entries()) == before


def test_a_locked_ledger_makes_nobody_of_whom_it_does_not_know(
    guarded: Guarded, cast: Cast
) -> None:
    """A token that cannot be claimed gives no right yet; reading is open to all."""
    with locked(guarded):
        primary = guarded.run(cast.new_primary, "ls")
        worker = guarded.run(cast.new_worker, "make")
        view = guarded.view(cast.new_worker)

    assert (primary.decision, worker.decision, view.decision) == ("deny", "deny", "allow")
    assert "is locked" in worker.reason
    assert guarded.run(cast.new_worker, "make").decision == "allow", "it comes later, unharmed"


def test_no_subagent_starts_that_cannot_be_registered(guarded: Guarded, cast: Cast) -> None:
    """Its token would be worth nothing; the reason says to try again, and that then works."""
    with locked(guarded):
        found = guarded.spawn(cast.primary, {"Prompt": "Work."})

    assert found.decision == "deny"
    assert "cannot be registered" in found.reason
    assert "is locked" in found.reason
    assert guarded.spawn(cast.primary, {"Prompt": "Work."}).decision == "allow"


def test_a_stop_that_cannot_be_counted_is_not_sent_back(guarded: Guarded) -> None:
    """Else it would be sent back for ever; once the ledger is free it is judged again."""
    guarded.configure("[attention]\nafter = 0\n")
    busy = guarded.primary()
    guarded.work(busy)
    busy.says("Done.")
    with locked(guarded):
        assert guarded.stop(busy).answer == {}

    assert guarded.stop(busy).decision == "continue"


def test_observing_enforces_nothing_even_then(guarded: Guarded, cast: Cast) -> None:
    """The profile `observe` denies no spawn because of a ledger that cannot be written."""
    guarded.configure('profile = "observe"\n')
    guarded.view(cast.primary)
    with locked(guarded):
        found = guarded.spawn(cast.primary, {"Prompt": "Work."})

    assert found.decision == "allow"


@pytest.mark.parametrize("kind", SPOILERS)
def test_a_ledger_that_cannot_be_used_is_named_and_left_as_it_is(
    guarded: Guarded, cast: Cast, kind: str
) -> None:
    """The primary stays denied, reading stays open, and not a byte of the file changes."""
    spoil(guarded, kind)
    before = snapshot(guarded.ledger)
    denied = guarded.run(cast.primary, "ls")
    view = guarded.view(cast.primary)

    assert denied.decision == "deny"
    assert guarded.ledger in denied.reason
    assert WORDS[kind] in denied.reason
    assert view.decision == "allow"
    assert snapshot(guarded.ledger) == before


@pytest.mark.parametrize("kind", SPOILERS)
def test_without_a_ledger_nobody_has_rights_and_nobody_is_held(
    guarded: Guarded, cast: Cast, kind: str
) -> None:
    """A worker is nobody, a spawn is refused with the cause, and a stop passes."""
    spoil(guarded, kind)
    before = snapshot(guarded.ledger)
    worker = guarded.run(cast.worker, "make")
    spawn = guarded.spawn(cast.primary, {"Prompt": "Work."})

    assert worker.decision == "deny"
    assert WORDS[kind] in worker.reason
    assert spawn.decision == "deny"
    assert WORDS[kind] in spawn.reason
    assert guarded.stop(cast.primary).answer == {}
    assert guarded.fire("PostToolUse", {**cast.primary.common(), "error": "x"}).answer == {}
    assert snapshot(guarded.ledger) == before


def test_a_ledger_that_is_gone_is_begun_anew(guarded: Guarded, cast: Cast) -> None:
    """A user opens it anew; workers of before are workers without rights."""
    for ending in ("", "-wal", "-shm"):
        os.unlink(guarded.ledger + ending)

    assert guarded.spawn(cast.primary, {"Prompt": "Work."}).decision == "allow"
    found = guarded.run(cast.worker, "make")

    assert found.decision == "deny"
    assert "read-only" in found.reason
    assert os.stat(guarded.ledger).st_mode & 0o777 == 0o600
