"""Decides which plugins run, imports those, and lists their implementations in call order."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

from agguard.errors import AgguardError
from agguard.model.value import Value
from agguard.plugins.discovery import DEFAULT, Found
from agguard.plugins.manager import PluginManager, is_known

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pluggy

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


def register(found: Collection[Found], block: Collection[str], trust: Collection[str]) -> Registry:
    """Import the plugins that may run, and list what they implement.

    A blocked or untrusted plugin is not imported. One that cannot be imported, that breaks the
    contract or takes a name twice is refused, and all others run.

    Args:
        found: What is installed.
        block: Names never to run.
        trust: Third parties' names that may run, or `all`.

    Returns:
        Every plugin with its state, and the implementations: tryfirst ones, then unmarked ones,
        then trylast ones; among those the shipped plugin first, then by name.
    """
    manager = PluginManager()
    plugins: list[Plugin] = []
    rows: list[tuple[tuple[int, int, str, int], dict[str, Any]]] = []
    for one in found:
        state, problem = _admission(one, block, trust, {p.found.name for p in plugins})
        plugin = Plugin(one, state, problem)
        if state == "active":
            plugin, own = _load(manager, one)
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


def _load(
    manager: PluginManager, one: Found
) -> tuple[Plugin, list[tuple[tuple[int, int, str, int], dict[str, Any]]]]:
    try:
        with _quiet():
            plugin = _import(one.target)
            manager.register(plugin, one.name)
    except (AgguardError, Exception, SystemExit) as error:  # noqa: BLE001 - one of many plugins
        return Plugin(one, "refused", f"{type(error).__name__}: {error}"), []
    implementations = manager.implementations(plugin)
    known = [impl for impl in implementations if is_known(_hook(impl))]
    warnings = tuple(
        f"implements the unknown hook {_hook(impl)!r}; is it for a newer agguard?"
        for impl in implementations
        if not is_known(_hook(impl))
    )
    hooks = tuple(dict.fromkeys(_hook(impl) for impl in known))
    rows = [_row(one, impl, place) for place, impl in enumerate(known)]
    return Plugin(one, "active", "", hooks, warnings), rows


def _row(
    one: Found, impl: pluggy.HookImpl, place: int
) -> tuple[tuple[int, int, str, int], dict[str, Any]]:
    shipped = one.name == DEFAULT
    options = getattr(impl.function, "agguard_impl", {})
    row = {
        "plugin": one.name,
        "hook": _hook(impl),
        "target": _target(one, impl),
        "arguments": list(impl.argnames),
        "on_error": options.get("on_error", "record"),
        "in_process": shipped,
    }
    turn = 0 if impl.tryfirst else 2 if impl.trylast else 1
    return (turn, 0 if shipped else 1, one.name, place), row


def _hook(impl: pluggy.HookImpl) -> str:
    options = getattr(impl.function, "agguard_impl", {})
    return str(options.get("specname") or impl.function.__name__)


def _target(one: Found, impl: pluggy.HookImpl) -> str:
    module, _, path = one.target.partition(":")
    name = impl.function.__name__
    return f"{module}:{path + '.' if path else ''}{name}"


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
