"""What installed guards cost: the allow path with none, one and fifty trivial third parties.

Interleaved in one run, through the registered command. "blocked" has the fifty installed and all
of them blocked, which must cost nothing: a hook scans no packages.

    PYTHONPATH=src python bench/plugins.py [--runs N] [--json]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import tempfile
import time
from typing import TYPE_CHECKING

from agguard.testing import Home, calls

if TYPE_CHECKING:
    from agguard.doctor.stage import Conversation

MANY = 50
MOST = 1.3
"""The most that fifty trivial guards may make of the allow path."""

GUARD = """from agguard.marker import hookimpl

@hookimpl
def judge_tool(call):
    return None
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agguard-bench-") as folder:
        rows = report(measure(folder, options.runs))
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'guards':12}{'median ms':>10}{'x none':>8}")
    for row in rows:
        print(f"{row['guards']:12}{row['ms']:>10}{row['x_none']:>8}")
    print(f"the most that {MANY} may cost: {MOST} x")


def measure(folder: str, runs: int) -> dict[str, list[float]]:
    """Fire at every home in turn, after a warm-up; return seconds by name."""
    homes = {
        "none": home(folder, "none", 0),
        "one": home(folder, "one", 1),
        str(MANY): home(folder, str(MANY), MANY),
        "blocked": home(folder, "blocked", MANY, blocked=True),
    }
    times: dict[str, list[float]] = {name: [] for name in homes}
    for turn, (name, (where, who)) in itertools.product(range(runs + 2), homes.items()):
        payload = who.calls("view_file", calls.view(f"{where.workspace}/app.py").args)
        started = time.perf_counter()
        found = where.fire("PreToolUse", payload)
        if turn > 1:
            times[name].append(found.seconds or time.perf_counter() - started)
        assert found.answer == {"decision": "allow"}, found.shown()
        assert not found.faults, found.shown()
    return times


def home(folder: str, name: str, count: int, *, blocked: bool = False) -> tuple[Home, Conversation]:
    """Make a home with some guards, each a distribution of its own, and an agent in it."""
    site = os.path.join(folder, name, "site")
    os.makedirs(site)
    plugins = [f"trivial{place}" for place in range(count)]
    for plugin in plugins:
        install(site, plugin)
    names = json.dumps(plugins if blocked else [])
    config = f'[plugins]\ntrust = "all"\nblock = {names}\n'
    made = Home(os.path.join(folder, name, "home"), config, [site])
    running = {row["plugin"] for row in made.rebuild().rows} - {"builtin"}
    assert len(running) == (0 if blocked else count), running
    return made, made.primary()


def install(site: str, plugin: str) -> None:
    """Write what an installer writes for one package with one module."""
    module = f"agguard_{plugin}"
    info = f"{module}-1.0.dist-info"
    files = {
        f"{module}.py": GUARD,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n",
        f"{info}/entry_points.txt": f"[agguard]\n{plugin} = {module}\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in files)
    for name, text in files.items():
        path = os.path.join(site, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def report(times: dict[str, list[float]]) -> list[dict[str, object]]:
    """Return a row for each home, as a multiple of the one without third parties."""
    middle = {name: statistics.median(found) for name, found in times.items()}
    return [
        {"guards": name, "ms": round(ms * 1000, 1), "x_none": round(ms / middle["none"], 2)}
        for name, ms in middle.items()
    ]


if __name__ == "__main__":
    main()
