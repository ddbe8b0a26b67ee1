"""Measure the ledger: concurrent claims, one hook's share, and a million events.

    python bench/ledger.py                    claims and one hook's share
    python bench/ledger.py --events 1000000   the same hook on a ledger of that many events
    python bench/ledger.py --json             data instead of a table

Every figure is compared with one of the same run, because machines and their load differ. The
exit status is 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agguard.ledger.connection import LOG_LIMIT
from agguard.ledger.records import Conversation, Entry, WorkItem
from agguard.ledger.store import Ledger
from agguard.model.session import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Figures = dict[str, float | int | str | bool]

CLAIM_FACTOR = 3.0
"""Issue 3: all claims within this many times the bare transactions, one after another."""
EVENT_FACTOR = 1.2
"""Issue 3: how much a million events may slow a hook."""

SOURCE = str(Path(__file__).resolve().parent.parent / "src")

CLAIMANT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from agguard.ledger.store import Ledger
path, number = sys.argv[2:]
sys.stdout.write("ready\\n"); sys.stdout.flush()
sys.stdin.read()  # until everybody is let go at once
begin = time.monotonic()
ledger = Ledger.open(path, wait=5.0, now=1.0)
item = ledger.claim("token-" + number, "child-" + number, "boss", 2.0)
ledger.close()
print(item.child if item else "-", begin, time.monotonic())
"""

FIRST_HOOK = """
import sys, time
sys.path.insert(0, sys.argv[1])
from agguard.ledger.records import Conversation
from agguard.ledger.store import Ledger
from agguard.model.session import Role
path, number = sys.argv[2:]
sys.stdout.write("ready\\n"); sys.stdout.flush()
sys.stdin.read()
begin = time.monotonic()
ledger = Ledger.open(path, wait=5.0, now=1.0)
one = ledger.bind(Conversation("child-" + number, Role.WORKER))
ledger.close()
print(one.id, begin, time.monotonic())
"""

IMPORT = """
import sys, time
sys.path.insert(0, sys.argv[1])
begin = time.process_time()
import json, re, sqlite3
middle = time.process_time()
import agguard.ledger.store
print(middle - begin, time.process_time() - middle)
"""


def median(samples: list[float]) -> float:
    """Return the median, in milliseconds."""
    return statistics.median(samples) * 1000


def timed(act: Callable[[], object], times: int) -> list[float]:
    """Return how long `act` takes, in seconds, again and again."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        act()
        found.append(time.perf_counter() - begin)
    return found


def filled(path: str, count: int) -> None:
    """Make a ledger with `count` unclaimed items, and close it as the last one out does."""
    ledger = Ledger.open(path, wait=5.0, now=0.0)
    ledger.bind(Conversation("boss", Role.PRIMARY, remaining_depth=2))
    items = [
        WorkItem(f"item-{n}", f"token-{n}", "boss", 1, n, f"d-{n}", Role.WORKER, 0, read_only=False)
        for n in range(count)
    ]
    ledger.issue(items, Entry(1.0, "boss", "PreToolUse", 1, 1, "invoke_subagent", decision="allow"))
    ledger.close()
    cold(path)


def cold(path: str) -> None:
    """Write the log back, so that the next one to open finds nothing but the file."""
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()


def together(script: str, path: str, count: int) -> tuple[list[str], float, str]:
    """Run `count` processes that start their work at once; return results, seconds and errors."""
    gate, opener = os.pipe()
    crowd = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", script, SOURCE, path, str(number)],
            stdin=gate,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    os.close(gate)
    for one in crowd:
        assert one.stdout is not None
        one.stdout.readline()
    os.close(opener)
    outs = [one.communicate(timeout=60) for one in crowd]
    errors = "\n".join(err for _, err in outs if err)
    rows = [out.split() for out, _ in outs if len(out.split()) == 3]
    if not rows:
        return [], 0.0, errors
    seconds = max(float(end) for *_, end in rows) - min(float(begin) for _, begin, _ in rows)
    return [who for who, *_ in rows], seconds, errors


def bare(path: str, count: int) -> float:
    """Return the seconds of bare transactions on a ledger's file, one after another."""
    begin = time.perf_counter()
    for number in range(count):
        raw = sqlite3.connect(path, isolation_level=None)
        raw.execute("BEGIN IMMEDIATE")
        raw.execute("UPDATE work_items SET updated_at = 3 WHERE id = ?", (f"item-{number}",))
        raw.execute("COMMIT")
        raw.close()
    return time.perf_counter() - begin


def claims(folder: Path, count: int, repeat: int) -> Figures:
    """Let processes claim one token each, from a cold file and at once.

    Both sides are measured `repeat` times and the best counts: other programs only make it worse.
    """
    serial, seconds, once, errors = [], [], True, ""
    for number in range(repeat):
        path, twin = str(folder / f"claims-{number}.db"), str(folder / f"twin-{number}.db")
        filled(path, count)
        shutil.copy(path, twin)
        serial.append(bare(twin, count))
        winners, took, wrong = together(CLAIMANT, path, count)
        seconds.append(took)
        errors += wrong
        raw = sqlite3.connect(path)
        rows = raw.execute("SELECT token, claimed_by FROM tokens").fetchall()
        raw.close()
        each = sorted((f"token-{n}", f"child-{n}") for n in range(count))
        once = once and sorted(rows) == each and len(set(winners)) == count
    fresh, _, wrong = together(FIRST_HOOK, str(folder / "missing.db"), count)
    errors += wrong
    factor = min(seconds) / min(serial)
    return {
        "processes": count,
        "bare_ms": min(serial) * 1000,
        "claims_ms": min(seconds) * 1000,
        "factor": factor,
        "target": CLAIM_FACTOR,
        "once_each": once,
        "new_file_ok": len(set(fresh)) == count,
        "errors": errors.strip().splitlines()[-1] if errors else "",
        "ok": once and not errors and len(set(fresh)) == count and factor <= CLAIM_FACTOR,
    }


def hook(path: str, number: int) -> None:
    """Do what one hook of a primary asks of the ledger."""
    now = 2e6 + number
    ledger = Ledger.open(path, wait=5.0, now=now)
    ledger.conversation("boss")
    ledger.sweep(now, 1e9)
    ledger.reconcile("boss", now)
    ledger.rejections("boss", 1)
    ledger.work_since("boss", number)
    with ledger:
        ledger.touch("boss", now)
        ledger.record(
            Entry(now, "boss", "PreToolUse", number, 1, "run_command", "git status", 1, "allow")
        )
    ledger.prune(now, max_bytes=2**40)
    ledger.close()


def one_transaction(path: str) -> None:
    """Open, change one thing, close."""
    ledger = Ledger.open(path, wait=5.0, now=1.0)
    ledger.touch("boss", 1.0)
    ledger.close()


def share(folder: Path, rounds: int) -> Figures:
    """Measure what the ledger adds to a hook."""
    path = str(folder / "share.db")
    filled(path, 4)
    imports = [
        [
            float(seconds)
            for seconds in subprocess.run(
                [sys.executable, "-I", "-S", "-c", IMPORT, SOURCE],
                check=True,
                capture_output=True,
                text=True,
            ).stdout.split()
        ]
        for _ in range(15)
    ]
    numbers = iter(range(10**9))
    raw = timed(lambda: bare(path, 1), rounds)
    one = timed(lambda: one_transaction(path), rounds)
    whole = timed(lambda: hook(path, next(numbers)), rounds)
    return {
        "stdlib_import_ms": median([before for before, _ in imports]),
        "import_ms": median([own for _, own in imports]),
        "bare_ms": median(raw),
        "one_transaction_ms": median(one),
        "hook_ms": median(whole),
        "hook_p99_ms": sorted(whole)[int(rounds * 0.99)] * 1000,
        "log_limit": LOG_LIMIT,
        "ok": True,
    }


GROW = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
"""


def grow(path: str, count: int) -> None:
    """Add a history of `count` decisions and as many events, of boss and of 500 others."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA synchronous = OFF")
    raw.execute("BEGIN")
    first = raw.execute("SELECT max(seq) FROM events").fetchone()[0]
    who = "CASE i % 10 WHEN 0 THEN 'boss' ELSE 'other-' || (i % 500) END"
    raw.execute(
        f"{GROW} INSERT INTO decisions SELECT i + 1000, 1e6 + i, {who},"  # noqa: S608
        " CASE i % 50 WHEN 0 THEN 'Stop' ELSE 'PreToolUse' END, i % 20000, i / 20000,"
        " 'run_command', 'git log --oneline -20 -- some/path', 1 << (i % 3), 'allow',"
        " '[[\"delegation\", \"allow\", \"reads only\"]]', '[]', 900, 'primary', 0 FROM n",
        (count,),
    )
    raw.execute(
        f"{GROW} INSERT INTO events SELECT i + ?, 1e6 + i, {who}, 1,"  # noqa: S608
        " 'TOOL_DENIED', 'OPEN', 'OPEN', '', '', '', '', 0, 0, 0, '' FROM n",
        (count, first),
    )
    raw.execute("COMMIT")
    raw.close()
    cold(path)


def history(folder: Path, count: int, rounds: int) -> Figures:
    """Compare a hook on an empty ledger with one on a ledger with a history."""
    small, large = str(folder / "small.db"), str(folder / "large.db")
    filled(small, 4)
    shutil.copy(small, large)
    grow(large, count)
    numbers = iter(range(30_000, 10**9))
    plain: list[float] = []
    laden: list[float] = []
    for _ in range(rounds):  # in turns, so that the machine's load falls on both
        plain += timed(lambda: hook(small, next(numbers)), 1)
        laden += timed(lambda: hook(large, next(numbers)), 1)
    factor = statistics.median(laden) / statistics.median(plain)
    return {
        "events": count,
        "file_mb": Path(large).stat().st_size / 2**20,
        "empty_ms": median(plain),
        "laden_ms": median(laden),
        "factor": factor,
        "target": EVENT_FACTOR,
        "ok": factor <= EVENT_FACTOR,
    }


def table(results: dict[str, Figures]) -> str:
    """Return the figures as text."""
    lines = []
    for name, figures in results.items():
        lines.append(name)
        for key, value in figures.items():
            shown = f"{value:.3f}" if isinstance(value, float) else value
            lines.append(f"  {key:<20} {shown}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--processes", type=int, default=64, help="claimants (default 64)")
    parser.add_argument("--repeat", type=int, default=5, help="runs of the claims (default 5)")
    parser.add_argument("--rounds", type=int, default=300, help="repetitions (default 300)")
    parser.add_argument("--events", type=int, default=0, help="measure a history of so many")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = {
            "claims": claims(folder, given.processes, given.repeat),
            "share": share(folder, given.rounds),
        }
        if given.events:
            results["history"] = history(folder, given.events, given.rounds)
    print(json.dumps(results, indent=2) if given.json else table(results))
    return 0 if all(figures["ok"] for figures in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
