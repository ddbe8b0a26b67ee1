"""The ledger in real processes: started together, and killed at any moment."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import agguard
from agguard.ledger.reader import Reader
from unit.ledger.ledger_scene import opened, primary, spawn, task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(agguard.__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent.parent
CROWD = 16
KILLS = int(os.environ.get("AGGUARD_LEDGER_KILLS", "20"))

START = f"""
import sys, time
sys.path[:0] = [{str(SOURCE)!r}, {str(HERE)!r}]
from unit.ledger.ledger_scene import *
from agguard.ledger.records import Conversation
from agguard.model.session import Role
from pathlib import Path
folder, number = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
"""

CLAIM = f"""{START}
sys.stdin.read()
ledger = opened(folder)
item = ledger.claim("token-" + number, "child-" + number, "boss", 2.0)
print(item.id)
twice = ledger.claim("token-" + number, "thief-" + number, "boss", 2.0)
print(twice)
ledger.close()
"""

FIRST = f"""{START}
sys.stdin.read()
ledger = opened(folder)
print(ledger.bind(Conversation("child-" + number, Role.WORKER)).id)
print(ledger.record(call(conversation="child-" + number)))
ledger.close()
"""

HOOKS = f"""{START}
import itertools
for n in itertools.count():
    now, name = float(n), f"{{number}}-{{n}}"
    ledger = opened(folder)
    ledger.sweep(now, 5.0)
    ledger.reconcile("boss", now)
    ledger.issue([task(name, step=n), task("b" + name, step=n, position=1)], spawn(step=n, at=now))
    ledger.claim("token-" + name, name, "boss", now)
    if n % 3:
        ledger.record(call("deny", step=n, at=now, turn=n // 7))
        ledger.touch(name, now)
    if n % 2:
        ledger.finish(name, now, failure="ERROR" if n % 5 == 0 else "")
    with ledger:
        ledger.refuse("boss", n, "error", now)
        ledger.record(stop(at=now, turn=n // 7))
    # Dead state goes soon; of the log the last rounds stay, to be looked at in the end.
    ledger.prune(now * 100, keep_state=500.0, keep_decisions=99 * now + 20, batch=20)
    ledger.close()
"""


def started(
    script: str, folder: Path, number: int, gate: int | None = None
) -> subprocess.Popen[str]:
    """Start a process and wait until it has imported everything."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(folder), str(number)],
        stdin=gate,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def crowd(script: str, folder: Path) -> list[list[str]]:
    """Let many processes do the same at once; return what each printed."""
    gate, opener = os.pipe()
    processes = [started(script, folder, number, gate) for number in range(CROWD)]
    os.close(gate)
    os.close(opener)
    outs = [process.communicate(timeout=120) for process in processes]
    assert [err for _, err in outs if err] == []
    return [out.splitlines() for out, _ in outs]


class TestStartedTogether:
    def test_each_token_is_claimed_once(self, tmp_path: Path) -> None:
        """From a file without a log, and nobody sees a lock."""
        ledger = opened(tmp_path)
        ledger.bind(primary())
        ledger.issue([task(str(n), position=n) for n in range(CROWD)], spawn())
        ledger._link.db.close()
        assert not (tmp_path / "ledger.db-wal").exists()
        got = crowd(CLAIM, tmp_path)
        assert got == [[str(number), "None"] for number in range(CROWD)]
        raw = sqlite3.connect(tmp_path / "ledger.db")
        rows = raw.execute("SELECT token, claimed_by FROM tokens").fetchall()
        raw.close()
        assert sorted(rows) == sorted((f"token-{n}", f"child-{n}") for n in range(CROWD))

    def test_the_first_hooks_make_one_ledger(self, tmp_path: Path) -> None:
        """Without a file: all of them make it, one of them does."""
        got = crowd(FIRST, tmp_path)
        assert [name for name, _ in got] == [f"child-{number}" for number in range(CROWD)]
        assert sorted(int(number) for _, number in got) == list(range(1, CROWD + 1))
        with Reader.open(str(tmp_path / "ledger.db")) as reader:
            assert reader.verify() == []


@pytest.fixture
def victims(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Two processes that run hook after hook; whoever is left is ended."""
    ledger = opened(tmp_path)
    ledger.bind(primary())
    ledger.close()
    processes = [started(HOOKS, tmp_path, number) for number in range(2)]
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_kill_leaves_a_ledger_in_order(
    tmp_path: Path, victims: list[subprocess.Popen[str]]
) -> None:
    """At random moments: the file is whole, the replay agrees, tokens and items belong together.

    The other process goes on: a lock dies with whoever held it.
    """
    chance = random.Random()  # noqa: S311 - any moment will do
    for number in range(2, KILLS + 2):
        time.sleep(chance.random() * 0.15)
        victim = victims.pop(0)
        victim.kill()
        _, error = victim.communicate()
        assert (victim.returncode, error) == (-signal.SIGKILL, "")
        with Reader.open(str(tmp_path / "ledger.db"), wait=5.0) as reader:
            assert reader.verify() == []
        victims.append(started(HOOKS, tmp_path, number))
    with Reader.open(str(tmp_path / "ledger.db")) as reader:
        types = {event.type for event in reader.events(limit=100_000)}
    assert {"WORK_ISSUED", "WORK_CLAIMED", "WORK_FINISHED", "WORK_FAILED"} <= types
