"""Decides which plugins run, imports those, and lists their implementations in call order."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from agguard.errors import AgguardError, PluginError
from agguard.model.value import Value
from agguard.plugins import rulebook, standin
from agguard.plugins.apart import CAN_FORK, apart
from agguard.plugins.discovery import DEFAULT, DEFAULT_TARGET, Found
from agguard.plugins.manager import PluginManager, is_known
from agguard.plugins.offer import health, offer
from agguard.plugins.pins import Pin, difference

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from agguard.plugins.manager import Marked

    Order = tuple[int, int, int, str, int]
    """The turn, the user's order, shipped or not, the plugin's name, the place in the plugin."""

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
    changed: bool = False
    """It was trusted, and is not what was trusted."""
    settings: Mapping[str, Any] = {}
    """What it declares; see `agguard.config.declared`."""
    rules: tuple[str, ...] = ()
    """Rule files that it brings along, absolute."""
    has_health: bool = False


class Registry(Value):
    """All plugins, and the implementations of the active ones in call order."""

    plugins: tuple[Plugin, ...]
    rows: tuple[dict[str, Any], ...]
    """The fields of `agguard.dispatch.implementation.Implementation`, as plain data."""


def register(  # noqa: PLR0913 - what the user says of plugins, word by word
    found: Collection[Found],
    block: Collection[str],
    trust: Collection[str],
    seconds: float = PATIENCE,
    *,
    order: Collection[str] = (),
    pins: Mapping[str, Pin] | None = None,
) -> Registry:
    """Import the plugins that may run, and list what they implement.

    A blocked or untrusted plugin is not imported. One that cannot be imported, that breaks the
    contract or takes a name twice is refused, and all others run.

    Args:
        found: What is installed.
        block: Names never to run.
        trust: Third parties' names that may run, or `all`.
        seconds: How long the imports of all third parties may take together.
        order: Names to ask first, in this order.
        pins: What was trusted under each name; None where names alone are to count.

    Returns:
        Every plugin with its state, and the implementations: tryfirst ones, then unmarked ones,
        then trylast ones; among those in the user's order, then the shipped plugin, then by name.
        For a shipped plugin that does not run something stands in; see `agguard.plugins.standin`.
    """
    until = time.monotonic() + seconds
    plugins: list[Plugin] = []
    rows: list[tuple[Order, dict[str, Any]]] = []
    holders = _holders(found, trust, pins)
    for place, one in enumerate(found):
        plugin = _unwanted(one, block, holders) or _admitted(one, trust, pins)
        if plugin.state == "active":
            # A share for each: however many hang, the last one is imported.
            share = max(0.0, until - time.monotonic()) / (len(found) - place)
            loaded, own = _loaded(one, share)
            plugin = loaded.replace(warnings=(*plugin.warnings, *loaded.warnings))
            rows += own
        plugins.append(plugin)
        if one.target == DEFAULT_TARGET and (missing := standin.row(plugin.state)):
            rows.append(((1, 0, 0, one.name, 0), missing))
    rows.sort(key=lambda row: _ordered(row, tuple(order)))
    return Registry(tuple(plugins), tuple(row for _, row in rows))


def diagnosed(plugin: Plugin, settings: Mapping[str, Any], seconds: float = PATIENCE) -> list[str]:
    """Ask an active plugin for what is wrong with it, in a process of its own.

    Args:
        plugin: The plugin.
        settings: Its table of the configuration.
        seconds: How long it may take.
    """
    if plugin.state != "active" or not plugin.has_health:
        return []

    def ask() -> list[str]:
        return health(_import(plugin.found.target), settings)

    try:
        return [str(line) for line in (apart(ask, seconds) if CAN_FORK else ask())]
    except PluginError:
        return ["its health check did not end in time, or ended the process"]


def _ordered(
    row: tuple[Order, dict[str, Any]], order: tuple[str, ...]
) -> tuple[int, int, int, str, int]:
    turn, _, shipped, name, place = row[0]
    return turn, order.index(name) if name in order else len(order), shipped, name, place


def _holders(
    found: Collection[Found], trust: Collection[str], pins: Mapping[str, Pin] | None
) -> dict[str, Found]:
    """Return who has each name: one that may run, else of the trusted distribution, else the first.

    A package that is only installed must not switch a trusted guard off by taking its name.
    """

    def rank(one: Found) -> tuple[bool, bool]:
        pinned = (pins or {}).get(one.name)
        is_known = pinned is not None and pinned.distribution == one.distribution
        return _admitted(one, trust, pins).state != "active", not is_known

    holders: dict[str, Found] = {}
    for one in sorted(found, key=rank):
        holders.setdefault(one.name, one)
    return holders


def _unwanted(one: Found, block: Collection[str], holders: Mapping[str, Found]) -> Plugin | None:
    if holders[one.name] is not one:
        text = f"another plugin is already named {one.name!r}; uninstall one of them"
        return Plugin(one, "refused", text)
    if one.name in block:
        return Plugin(one, "blocked", "named in [plugins] block")
    return None


def _admitted(one: Found, trust: Collection[str], pins: Mapping[str, Pin] | None) -> Plugin:
    if one.name == DEFAULT or ALL in trust:
        return Plugin(one, "active")
    mend = f"run `agguard plugins trust {one.name}`"
    if one.name not in trust:
        return Plugin(one, "untrusted", f"{mend} to let it run")
    if pins is None:
        return Plugin(one, "active")
    trusted = pins.get(one.name)
    what = difference(one, trusted) if trusted else "its name is trusted, its files are not"
    if what:
        text = f"the plugin {one.name!r} does not run: {what}; look at it, then {mend}"
        return Plugin(one, "untrusted", text, changed=True)
    if one.editable:
        text = f"is an editable install, trusted whatever its folder {one.editable!r} holds"
        return Plugin(one, "active", warnings=(text,))
    return Plugin(one, "active")


def _loaded(one: Found, seconds: float) -> tuple[Plugin, list[tuple[Order, dict[str, Any]]]]:
    """Load a plugin: the shipped one here, a third party's in a process of its own."""
    if one.name == DEFAULT:
        plugin, rows = load(one)
        emptied = plugin.state == "active" and standin.HOOK not in plugin.hooks
        problem = f"{one.target} has no guard that judges tool calls"
        return plugin.replace(state="refused", problem=problem) if emptied else plugin, rows
    if not CAN_FORK:
        return load(one)
    try:
        fields, rows = apart(lambda: _plain(*load(one)), seconds)
    except PluginError as error:
        return Plugin(one, "refused", str(error)), []
    lists = {name: tuple(fields[name]) for name in ("hooks", "warnings", "rules")}
    plugin = Plugin(**{**fields, **lists, "found": one})
    return plugin, [(tuple(order), row) for order, row in rows]


def _plain(plugin: Plugin, rows: list[tuple[Order, dict[str, Any]]]) -> list[Any]:
    return [plugin.replace(found=None).asdict(), rows]


def load(one: Found) -> tuple[Plugin, list[tuple[Order, dict[str, Any]]]]:
    """Import a plugin into this process, and list its implementations.

    Returns:
        The plugin, refused when it cannot be imported or breaks the contract, and its rows.
    """
    try:
        with _quiet():
            manager = PluginManager()
            plugin = _import(one.target)
            manager.register(plugin, one.name)
            brought = offer(plugin, one.name, one.target)
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
    if brought.rules:
        rows.append(_rules(one, len(rows)))
    return Plugin(one, "active", "", hooks, warnings, **brought.asdict()), rows


def _rules(one: Found, place: int) -> tuple[Order, dict[str, Any]]:
    """Make the row that hands over a plugin's rule files; its code is ours."""
    row = {
        "plugin": one.name,
        "hook": rulebook.HOOK,
        "target": rulebook.target(one.name),
        "arguments": ["spawn", "session"],
        "on_error": "record",
        "in_process": True,
    }
    return (1, 0, 1, one.name, place), row


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
        "source": "" if shipped else _source(module),
    }
    return (impl.turn, 0, 0 if shipped else 1, one.name, place), row


def _source(module: str) -> str:
    """Return the file of an imported module; empty when it came from anything else."""
    spec = sys.modules[module].__spec__
    origin = spec.origin if spec and spec.has_location else None
    return origin if origin and origin.endswith(".py") else ""


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
