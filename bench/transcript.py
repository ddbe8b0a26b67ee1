"""What a transcript costs a hook: 2 GB against 2 MB, and against reading it whole.

    PYTHONPATH=src python bench/transcript.py [--json] [--size BYTES] [--dense]

Both files end with the same turn and begin with the same opening record. What lies between is a
hole in the larger file (`--dense`: real rows), which costs no disk; `behind` is the worst case,
in which the user's last message lies behind the hole. Each file is read in its own process, for
its peak memory; times are medians of interleaved runs in one process.

Exit status 1 when the turn or the opening of the larger file takes more than 1.5 times as long, or
20 MB more memory; reading whole, and the worst case, promise nothing.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agguard.transcript import opening, turn

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL = 2 << 20
LARGE = 2 << 30
MOST_TIME = 1.5
MOST_MEMORY = 20 << 20
RUNS = 41
CALLS = 150  # of a long turn


def row(step: int, source: str, kind: str, **fields: Any) -> bytes:  # noqa: ANN401 - JSON values
    fields = {"step_index": step, "source": source, "type": kind, "status": "DONE", **fields}
    return json.dumps({**fields, "created_at": "2026-11-30T12:00:00Z"}).encode() + b"\n"


def asked(step: int) -> bytes:
    return row(step, "USER_EXPLICIT", "USER_INPUT", content="<USER_REQUEST>\ngo\n</USER_REQUEST>")


def worked(first: int, calls: int) -> bytes:
    """The model runs `calls` commands, each with 2 kB of output, and says that it is done."""
    lines = []
    for step in range(first, first + 2 * calls, 2):
        args = {"CommandLine": f"make part-{step}", "Cwd": "/work", "toolAction": "Acting"}
        call = {"name": "run_command", "args": args}
        lines.append(row(step, "MODEL", "PLANNER_RESPONSE", tool_calls=[call]))
        text = "The command exited with code 0.\nOutput:\n" + "all is well\r\n" * 160
        lines.append(row(step + 1, "MODEL", "RUN_COMMAND", exit_code=0, content=text))
    lines.append(row(first + 2 * calls, "MODEL", "PLANNER_RESPONSE", content="Done."))
    return b"".join(lines)


def build(path: Path, size: int, *, dense: bool, behind: bool = False) -> None:
    """Write a transcript of about `size` bytes."""
    start = 1_000_000
    tail = worked(start + 1, CALLS) if behind else asked(start) + worked(start + 1, CALLS)
    with path.open("wb") as file:
        file.write(asked(0))
        while dense and file.tell() < size - len(tail) - SMALL // 4:
            file.write(worked(file.tell() // 1000, 200))
        file.seek(max(size - len(tail), file.tell()))
        file.write(b"\n" + tail)


def whole(path: str) -> int:
    """Read all rows, as prior guards do; a hole is read, but not kept and parsed."""
    count = 0
    with Path(path).open("rb") as file:
        held = b""
        while block := file.read(1 << 18):
            if block == bytes(len(block)):
                held = b""
                continue
            *lines, held = (held + block.replace(b"\0", b"")).split(b"\n")
            count += sum(1 for line in lines if line and json.loads(line))
    return count


READERS: dict[str, Callable[[str], object]] = {"turn": turn, "opening": opening, "whole": whole}


def measure(one: str, other: str, read: Callable[[str], object], runs: int) -> tuple[float, float]:
    """Return the median milliseconds of reading each of two files, taken in turns."""
    taken: dict[str, list[float]] = {one: [], other: []}
    for _ in range(runs):
        for path, times in taken.items():
            start = time.perf_counter()
            read(path)
            times.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken[one]), statistics.median(taken[other])


def peak(name: str, path: str) -> int:
    """Return the peak memory in bytes of a process that reads `path` once."""
    command = [sys.executable, __file__, "--peak", name, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout)


def own_peak() -> int:
    """Return this process's own peak; on Linux ru_maxrss may still be the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        found = status.read_text().partition("VmHWM:")[2].split()
        return int(found[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def compare(folder: Path, size: int, *, dense: bool) -> list[dict[str, Any]]:
    """Return one record for each way of reading."""
    paths = {name: folder / name for name in ("small", "large", "behind")}
    build(paths["small"], SMALL, dense=True)
    build(paths["large"], size, dense=dense)
    build(paths["behind"], size, dense=dense, behind=True)
    small, large, behind = map(str, paths.values())
    pairs = (("turn", large), ("opening", large), ("turn", behind), ("whole", large))
    records = []
    for name, path in pairs:
        times = measure(small, path, READERS[name], 1 if name == "whole" else RUNS)
        memory = peak(name, small), peak(name, path)
        record: dict[str, Any] = {"read": name if path == large else f"{name}, behind"}
        record["bytes"] = Path(path).stat().st_size
        record |= {"small_ms": times[0], "large_ms": times[1], "times": times[1] / times[0]}
        records.append(record | {"small_mb": memory[0] / 1e6, "large_mb": memory[1] / 1e6})
    found = turn(large)
    assert found.complete, found.problem
    assert len(found.calls) == CALLS
    return records


def broken(records: list[dict[str, Any]]) -> list[str]:
    """Return the promises that do not hold; reading whole and the worst case promise nothing."""
    return [
        f"{one['read']}: {one['times']:.2f} times, {one['large_mb'] - one['small_mb']:.1f} MB more"
        for one in records
        if one["read"] in ("turn", "opening")
        and (one["times"] > MOST_TIME or (one["large_mb"] - one["small_mb"]) * 1e6 > MOST_MEMORY)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    parser.add_argument("--size", type=int, default=LARGE, help="bytes of the larger file")
    parser.add_argument("--dense", action="store_true", help="fill the larger file with rows")
    parser.add_argument("--peak", nargs=2, metavar=("READER", "FILE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.peak:
        READERS[given.peak[0]](given.peak[1])
        print(own_peak())
        return 0
    with tempfile.TemporaryDirectory() as folder:
        records = compare(Path(folder), given.size, dense=given.dense)
    if given.json:
        print(json.dumps(records, indent=2))
    else:
        print(
            f"{'read':14} {'2 MB':>9} {'large':>10} {'times':>8} {'memory 2 MB':>12} {'large':>9}"
        )
        for one in records:
            print(
                f"{one['read']:14} {one['small_ms']:6.2f} ms {one['large_ms']:7.2f} ms"
                f" {one['times']:8.2f} {one['small_mb']:9.1f} MB {one['large_mb']:6.1f} MB"
            )
    failed = broken(records)
    for line in failed:
        print(f"too much: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
