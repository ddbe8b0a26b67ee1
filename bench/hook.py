"""What a hook costs: the registered command, end to end, against a bare interpreter.

Interleaved in one run: a bare `python -I -S -c pass`; a stand-in for the pattern of prior plugins,
which start three Python processes for a tool call, each importing json, re and sqlite3 and parsing
the payload; and agguard's registered command for five events. Times on a shared machine drift, so
only ratios within a run mean something.

    python bench/hook.py [--runs N] [--json]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

from agguard.doctor.stage import Conversation, Stage, environment
from agguard.install.user import install_for_user
from agguard.paths import resolve

if TYPE_CHECKING:
    from collections.abc import Callable

PROCESS = "import json, re, sqlite3, sys; json.loads(sys.stdin.read()); print('{}')"
TARGETS = {"bare": 4.0, "three processes": 0.5}
"""The most that the allow path may take, as a multiple of each."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agguard-bench-") as home:
        rows = report(measure(home, options.runs))
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'':28}{'median ms':>10}{'x bare':>8}{'x three':>9}")
    for row in rows:
        print(f"{row['name']:28}{row['ms']:>10}{row['x_bare']:>8}{row['x_three']:>9}")


def measure(home: str, runs: int) -> dict[str, list[float]]:
    """Run everything in turn, `runs` times after a warm-up; return seconds by name."""
    commands = cases(home)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn, (name, run) in itertools.product(range(runs + 2), commands.items()):
        started = time.perf_counter()
        run()
        if turn > 1:
            times[name].append(time.perf_counter() - started)
    return times


def report(times: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Turn times into medians, and medians of the ratios run by run."""
    return [
        {
            "name": name,
            "ms": round(statistics.median(taken) * 1000, 1),
            "x_bare": ratio(taken, times["bare interpreter"]),
            "x_three": ratio(taken, times["three processes"]),
        }
        for name, taken in times.items()
    ]


def ratio(taken: list[float], other: list[float]) -> float:
    """Return the median of the ratios, pair by pair."""
    return round(statistics.median(a / b for a, b in zip(taken, other, strict=True)), 2)


def cases(home: str) -> dict[str, Callable[[], object]]:
    """Prepare a guarded home and a session, and return what to run by name."""
    paths = resolve(home)
    install_for_user(paths)
    stage = Stage(home)
    environ = environment(home)
    primary, child = stage.conversation(), stage.conversation()
    primary.user("Do it.")
    view = primary.calls("view_file", {"AbsolutePath": f"{home}/project/app.py"})
    edit = primary.calls("write_to_file", {"TargetFile": f"{home}/project/app.py"})
    spawn = primary.calls("invoke_subagent", {"Subagents": [{"Prompt": "p", "Role": "r"}]})
    hook = registered(paths.host.config, environ)
    born(child, primary, hook("PreToolUse", spawn))
    command = child.calls("run_command", {"CommandLine": "git status", "Cwd": stage.workspace})
    primary.says("Done.")
    payload = json.dumps(view).encode()
    return {
        "bare interpreter": lambda: once([sys.executable, "-I", "-S", "-c", "pass"], b""),
        "three processes": lambda: [
            once([sys.executable, "-c", PROCESS], payload) for _ in range(3)
        ],
        "PreToolUse allow": lambda: hook("PreToolUse", view),
        "PreToolUse deny": lambda: hook("PreToolUse", edit),
        "PreToolUse rewrite": lambda: hook("PreToolUse", command),
        "PreToolUse spawn": lambda: hook("PreToolUse", spawn),
        "Stop": lambda: hook("Stop", primary.stop()),
    }


def registered(
    folder: str, environ: dict[str, str]
) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """Return what runs the registered command as the host does."""

    def run(event: str, payload: dict[str, Any]) -> dict[str, Any]:
        command = ["sh", "-c", f"./agguard-hook {event}"]
        out = once(command, json.dumps(payload).encode(), cwd=folder, env=environ)
        answer: dict[str, Any] = json.loads(out)
        return answer

    return run


def born(child: Conversation, primary: Conversation, answer: dict[str, Any]) -> None:
    """Record the child that a spawn's answer lets start."""
    child.message(primary.name, answer["overwrite"]["Subagents"][0]["Prompt"])
    primary.spawned(child)


def once(command: list[str], data: bytes, **options: Any) -> bytes:  # noqa: ANN401
    """Run a process to its end and return what it printed."""
    options.setdefault("env", dict(os.environ))
    out: bytes = subprocess.run(
        command, input=data, capture_output=True, check=True, **options
    ).stdout
    return out


if __name__ == "__main__":
    main()
