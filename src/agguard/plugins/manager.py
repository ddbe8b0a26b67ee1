"""The pluggy manager: reads our marks, refuses wrappers, keeps one faulty plugin from the rest."""

from __future__ import annotations

import inspect
from typing import Any

import pluggy

from agguard import hookspecs
from agguard.errors import PluginError
from agguard.marker import MARK
from agguard.model.value import Value

PROJECT = "agguard"

ON_ERROR = ("record", "ask", "deny")
"""What a mark can say that a fault of `judge_tool` counts as."""


class Marked(Value):
    """One implementation that a plugin offers."""

    hook: str
    attribute: str
    """Where it is found on the plugin."""
    arguments: tuple[str, ...]
    on_error: str
    turn: int
    """0 for tryfirst, 1 for unmarked, 2 for trylast."""


class PluginManager(pluggy.PluginManager):
    """A pluggy manager that knows `agguard.hookspecs` and takes functions marked by our mark."""

    def __init__(self) -> None:
        super().__init__(PROJECT)
        self.add_hookspecs(_specs())

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        """Read the mark of `agguard.hookimpl`, or of pluggy's own marker for this project."""
        function = getattr(plugin, name, None)
        options = getattr(function, MARK, None)
        if not isinstance(options, dict) or not callable(function):
            return None
        if options.get("wrapper") or options.get("hookwrapper"):
            msg = (
                f"{name!r} is a hook wrapper; agguard refuses wrappers, because one could change "
                "what other guards say: return an opinion of your own instead"
            )
            raise PluginError(msg)
        if options.get("on_error", "record") not in ON_ERROR:
            msg = f"{name!r} has on_error={options['on_error']!r}; expected {', '.join(ON_ERROR)}"
            raise PluginError(msg)
        return {
            "wrapper": False,
            "hookwrapper": False,
            "optionalhook": True,
            "tryfirst": bool(options.get("tryfirst")),
            "trylast": bool(options.get("trylast")),
            "specname": options.get("specname") or None,
        }

    def implementations(self, plugin: object) -> list[Marked]:
        """Return what a registered plugin implements, unknown hooks included."""
        return [
            _marked(caller.name, plugin, impl)
            for caller in self.get_hookcallers(plugin) or []
            for impl in caller.get_hookimpls()
            if impl.plugin is plugin
        ]


def _marked(hook: str, plugin: object, impl: pluggy.HookImpl) -> Marked:
    # A function may be called otherwise than the attribute that it is found by.
    attribute = next(
        name
        for name in dir(plugin)
        if hasattr(getattr(plugin, name, None), MARK) and getattr(plugin, name) == impl.function
    )
    return Marked(
        hook=hook,
        attribute=attribute,
        arguments=tuple(impl.argnames),
        on_error=getattr(impl.function, MARK).get("on_error", "record"),
        turn=0 if impl.tryfirst else 2 if impl.trylast else 1,
    )


def is_known(hook: str) -> bool:
    """Whether there is a spec of that name."""
    return hook in hookspecs.HOOKS


def _specs() -> type:
    """Mark the functions of `agguard.hookspecs` as specs without changing that module."""
    marker = pluggy.HookspecMarker(PROJECT)
    marked: dict[str, Any] = {}
    for name in hookspecs.HOOKS:
        spec = getattr(hookspecs, name)
        copy = type(spec)(spec.__code__, {}, name, spec.__defaults__)
        copy.__signature__ = inspect.signature(spec)
        marked[name] = staticmethod(marker(copy))
    return type("Specs", (), marked)
