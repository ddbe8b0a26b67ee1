"""Decides which plugins run, imports those, and lists their implementations in call order."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from agguard.errors import AgguardError, PluginError
from agguard.model.value import Value
from agguard.plugins.apart import CAN_FORK, apart
from agguard.plugins.discovery import DEFAULT, Found
from agguard.plugins.manager import PluginManager, is_known

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from agguard.plugins.manager import Marked

    Order = tuple[int, int, str, int]
    """The turn, shipped or not, the plugin's name, the place in the plugin."""

PATIENCE = 3.0
"""Seconds for the imports of all third parties: a hook that builds a manifest has no more."""

ALL = "all"
"""In `[plugins] trust`: every plugin that is installed."""


class Plugin(Value):
    """A plugin and what became of it."""

    found: Found
    state: str
    """One of: active, blocked, untrusted, refused."""
    problem: str = ""
    hooks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Registry(Value):
    """All plugins, and the implementations of the active ones in call order."""

    plugins: tuple[Plugin, ...]
    rows: tuple[dict[str, Any], ...]
    """The fields of `agguard.dispatch.implementation.Implementation`, as plain data."""


def register(
    found: Collection[Found],
    block: Collection[str],
    trust: Collection[str],
    seconds: float = PATIENCE,
) -> Registry:
    """Import the plugins that may run, and list what they implement.

    A blocked or untrusted plugin is not imported. One that cannot be imported, that breaks the
    contract or takes a name twice is refused, and all others run.

    Args:
        found: What is installed.
        block: Names never to run.
        trust: Third parties' names that may run, or `all`.
        seconds: How long the imports of all third parties may take together.

    Returns:
        Every plugin with its state, and the implementations: tryfirst ones, then unmarked ones,
        then trylast ones; among those the shipped plugin first, then by name.
    """
    until = time.monotonic() + seconds
    plugins: list[Plugin] = []
    rows: list[tuple[Order, dict[str, Any]]] = []
    for place, one in enumerate(found):
        state, problem = _admission(one, block, trust, {p.found.name for p in plugins})
        plugin = Plugin(one, state, problem)
        if state == "active":
            # A share for each: however many hang, the last one is imported.
            share = max(0.0, until - time.monotonic()) / (len(found) - place)
            plugin, own = _loaded(one, share)
            rows += own
        plugins.append(plugin)
    rows.sort(key=lambda row: row[0])
    return Registry(tuple(plugins), tuple(row for _, row in rows))


def _admission(
    one: Found, block: Collection[str], trust: Collection[str], taken: Collection[str]
) -> tuple[str, str]:
    if one.name in taken:
        return "refused", f"another plugin is already named {one.name!r}; uninstall one of them"
    if one.name in block:
        return "blocked", "named in [plugins] block"
    if one.name != DEFAULT and one.name not in trust and ALL not in trust:
        return "untrusted", f"run `agguard plugins trust {one.name}` to let it run"
    return "active", ""


def _loaded(one: Found, seconds: float) -> tuple[Plugin, list[tuple[Order, dict[str, Any]]]]:
    """Load a plugin: the shipped one here, a third party's in a process of its own."""
    if one.name == DEFAULT or not CAN_FORK:
        plugin, rows = _load(one)
        return plugin, rows
    try:
        fields, rows = apart(lambda: _plain(*_load(one)), seconds)
    except PluginError as error:
        return Plugin(one, "refused", str(error)), []
    plugin = Plugin(one, fields["state"], fields["problem"]).replace(
        hooks=tuple(fields["hooks"]), warnings=tuple(fields["warnings"])
    )
    return plugin, [(tuple(order), row) for order, row in rows]


def _plain(plugin: Plugin, rows: list[tuple[Order, dict[str, Any]]]) -> list[Any]:
    return [plugin.replace(found=None).asdict(), rows]


def _load(one: Found) -> tuple[Plugin, list[tuple[Order, dict[str, Any]]]]:
    try:
        with _quiet():
            manager = PluginManager()
            plugin = _import(one.target)
            manager.register(plugin, one.name)
        made = manager.implementations(plugin)
    except (AgguardError, Exception, SystemExit) as error:  # noqa: BLE001 - one of many plugins
        return Plugin(one, "refused", f"{type(error).__name__}: {error}"), []
    known = [impl for impl in made if is_known(impl.hook)]
    warnings = tuple(
        f"implements the unknown hook {impl.hook!r}; is it for a newer agguard?"
        for impl in made
        if not is_known(impl.hook)
    )
    hooks = tuple(dict.fromkeys(impl.hook for impl in known))
    rows = [_row(one, impl, place) for place, impl in enumerate(known)]
    return Plugin(one, "active", "", hooks, warnings), rows


def _row(one: Found, impl: Marked, place: int) -> tuple[Order, dict[str, Any]]:
    shipped = one.name == DEFAULT
    module, _, path = one.target.partition(":")
    row = {
        "plugin": one.name,
        "hook": impl.hook,
        "target": f"{module}:{path + '.' if path else ''}{impl.attribute}",
        "arguments": list(impl.arguments),
        "on_error": impl.on_error,
        "in_process": shipped,
    }
    return (impl.turn, 0 if shipped else 1, one.name, place), row


def _import(target: str) -> object:
    module, _, path = target.partition(":")
    __import__(module)
    found: object = sys.modules[module]
    for name in path.split(".") if path else ():
        found = getattr(found, name)
    return found


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what a plugin prints on import out of our standard output."""
    with open(os.devnull, "w", encoding="utf-8") as sink, contextlib.redirect_stdout(sink):
        yield
