"""What is known of a plugin: its place, its faults in the ledger, and how long it takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agguard.cli import settings
from agguard.plugins.discovery import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.paths import Paths
    from agguard.plugins.registry import Plugin, Registry

SAMPLES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("view_file", {"AbsolutePath": "/nowhere/app.py"}),
    ("run_command", {"CommandLine": "git status", "Cwd": "/nowhere"}),
    ("write_to_file", {"TargetFile": "/nowhere/app.py", "CodeContent": "x"}),
    ("call_mcp_tool", {"ServerName": "s", "ToolName": "get", "Arguments": {}}),
)
"""Calls that plugins are timed on."""


def described(paths: Paths, registry: Registry) -> list[dict[str, Any]]:
    """Describe every plugin, in the registry's order; times are measured now."""
    places, faults, times = _places(registry), _faults(paths.state), _times(paths, registry)
    return [_described(plugin, places, faults, times) for plugin in registry.plugins]


def _places(registry: Registry) -> dict[str, int]:
    """Return the place of each plugin among those that are asked, the first one's being 0."""
    first = list(settings.in_force(quiet=True).settings["plugins"]["order"])

    def key(name: str) -> tuple[int, bool, str]:
        return first.index(name) if name in first else len(first), name != DEFAULT, name

    names = dict.fromkeys(plugin.found.name for plugin in registry.plugins)
    return {name: place for place, name in enumerate(sorted(names, key=key))}


def _described(
    plugin: Plugin,
    places: Mapping[str, int],
    faults: Mapping[str, int],
    times: Mapping[str, list[int]],
) -> dict[str, Any]:
    found = plugin.found
    active = plugin.state == "active"  # something else may stand in for one that is not
    taken = sorted(times.get(found.name, []) if active else []) or [0]
    return {
        "name": found.name,
        "version": found.version,
        "distribution": found.distribution,
        "state": plugin.state,
        "problem": plugin.problem,
        "hooks": list(plugin.hooks),
        "warnings": list(plugin.warnings),
        "order": places[found.name],
        "faults": faults.get(found.name, 0),
        "median_ms": taken[len(taken) // 2] / 1000,
        "worst_ms": taken[-1] / 1000,
    }


def _faults(state: str) -> Mapping[str, int]:
    """Count the faults of each plugin in the ledger; a ledger that cannot be read counts none."""
    import json
    from collections import Counter

    from agguard.errors import LedgerError
    from agguard.ledger.reader import Reader

    count: Counter[str] = Counter()
    path = os.path.join(state, "ledger.db")
    if os.path.exists(path):
        try:
            with Reader.open(path) as reader:
                for entry in reader.entries():
                    count.update(one[0].partition(".")[0] for one in json.loads(entry.faults))
        except (LedgerError, ValueError):
            return count
    return count


def _times(paths: Paths, registry: Registry) -> Mapping[str, list[int]]:
    """Time every active plugin on a few calls, in microseconds."""
    from agguard.dispatch.ask import Asker
    from agguard.dispatch.deadline import Clock
    from agguard.dispatch.dispatcher import Dispatcher
    from agguard.dispatch.implementation import Implementation
    from agguard.hosts.port import host
    from agguard.model.call import ToolCall
    from agguard.model.session import Role, Session
    from agguard.pipeline.tool import ToolPipeline
    from agguard.plugins.build import compiled_settings

    rows = [Implementation(**{**r, "arguments": tuple(r["arguments"])}) for r in registry.rows]
    asker = Asker(rows, Clock(10.0), 1.0)
    dispatcher = Dispatcher(asker, (), 8000)
    session = Session("timed", Role.WORKER, settings=compiled_settings(paths, registry))
    try:
        for tool, args in SAMPLES:
            ToolPipeline(session, dispatcher, host("antigravity")).decide(ToolCall(tool, args))
    finally:
        asker.close()
    found: dict[str, list[int]] = {}
    for answer in dispatcher.answers:
        found.setdefault(answer.plugin, []).append(answer.micros)
    return found
