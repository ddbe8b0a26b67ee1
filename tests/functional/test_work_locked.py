"""Work while somebody else keeps the ledger: every hook answers, and what was told is not lost."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fakes.family import REPORT, idle, spawn, statuses, verified, worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakes.guarded import Guarded

HOLD = """
import sqlite3, sys
link = sqlite3.connect(sys.argv[1], isolation_level=None)
link.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def held(guarded: Guarded) -> Iterator[None]:
    """Have another process write for as long as this lasts."""
    command = [sys.executable, "-c", HOLD, guarded.ledger]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield


def test_a_known_worker_works_on(guarded: Guarded) -> None:
    """Who it is and that it has a task can be read."""
    child = worker(guarded, guarded.primary())
    with held(guarded):
        assert guarded.run(child, "make").decision == "allow"
        assert guarded.run(guarded.primary(), "make").decision == "deny"


def test_an_end_that_could_not_be_written_is_learnt_from_the_record(guarded: Guarded) -> None:
    """A stop in vain is made up for by the parent's row."""
    parent = guarded.primary()
    child = worker(guarded, parent)
    with held(guarded):
        assert guarded.stop(child, REPORT).answer == {}
    assert statuses(guarded, child) == ["ACTIVE"]
    idle(parent, child)
    guarded.view(parent)
    assert statuses(guarded, child) == ["TERMINATED"]


def test_a_hook_that_has_much_to_write_answers_in_time(guarded: Guarded) -> None:
    """It waits once, not for every row that it wants to write (the watchdog would end it)."""
    parent = guarded.primary()
    children = [worker(guarded, parent) for _ in range(6)]
    for child in children:
        idle(parent, child)
    with held(guarded):
        found = guarded.spawn(parent, {"Prompt": "p"})
    assert found.decision == "deny"
    assert "cannot be registered" in found.reason
    guarded.view(parent)
    assert [statuses(guarded, child) for child in children] == [["TERMINATED"]] * 6
    assert verified(guarded) == []


@pytest.mark.parametrize("seconds", [0.2, 0.6])
def test_a_short_wait_costs_nothing(guarded: Guarded, seconds: float) -> None:
    """A writer that is done soon is waited for; the child gets its work."""
    parent = guarded.primary()
    (prompt,) = spawn(guarded, parent, {"Prompt": "Work."})
    child = guarded.child(parent, prompt)
    code = HOLD.replace("sys.stdin.read()", f"import time; time.sleep({seconds})")
    with subprocess.Popen([sys.executable, "-c", code, guarded.ledger], stdout=-1) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert guarded.run(child, "make").decision == "allow"
