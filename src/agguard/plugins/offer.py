"""What a plugin offers besides its hooks: settings, a check of its health, rule files.

A plugin says so by attributes, which are plain data wherever that is possible:

    agguard_hookspec = 1                      the version of the hook specs that it is written for
    agguard_settings = {"mode": {...}}        see `agguard.config.declared`
    agguard_rules = ("rules/terraform.md",)   files beside its module
    def agguard_health(settings): ...         yields what is wrong, one line each
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from agguard import hookspecs
from agguard.errors import PluginError
from agguard.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

HOOKSPEC = "agguard_hookspec"
SETTINGS = "agguard_settings"
RULES = "agguard_rules"
HEALTH = "agguard_health"


class Offer(Value):
    """What a plugin brings along."""

    settings: Mapping[str, Mapping[str, Any]] = {}
    rules: tuple[str, ...] = ()
    """Absolute paths."""
    has_health: bool = False


def offer(plugin: object, name: str, target: str) -> Offer:
    """Read and check what a plugin offers.

    Args:
        plugin: The module or object.
        name: The plugin's name.
        target: Where it was imported from.

    Raises:
        PluginError: It is written for other hook specs, or what it offers has a wrong form.
    """
    _refuse_other_specs(getattr(plugin, HOOKSPEC, hookspecs.OLDEST))
    settings = getattr(plugin, SETTINGS, {})
    if not isinstance(settings, dict):
        msg = f"{SETTINGS} is a {type(settings).__name__}; expected a dict of settings"
        raise PluginError(msg)
    from agguard.config.declared import declared

    declared(name, settings)
    rules = _rules(plugin, target)
    if rules and "." in name:
        msg = f"a plugin with rule files cannot be named {name!r}: its name has a dot"
        raise PluginError(msg)
    return Offer(settings, rules, callable(getattr(plugin, HEALTH, None)))


def health(plugin: object, settings: Mapping[str, Any]) -> list[str]:
    """Ask a plugin what is wrong with it; what it raises is an answer, too."""
    check = getattr(plugin, HEALTH, None)
    if check is None:
        return []
    try:
        return [str(line) for line in check(settings) or ()]
    except (Exception, SystemExit) as error:  # noqa: BLE001 - one of many plugins
        return [f"its health check failed: {type(error).__name__}: {error}"]


def _refuse_other_specs(version: object) -> None:
    ours, oldest = hookspecs.VERSION, hookspecs.OLDEST
    if isinstance(version, int) and oldest <= version <= ours:
        return
    if isinstance(version, int) and version > ours:
        msg = (
            f"it is written for hook specs {version}, and this agguard has {ours}: upgrade agguard"
        )
    else:
        msg = f"it is written for hook specs {version!r}; this agguard takes {oldest} to {ours}"
    raise PluginError(msg)


def _rules(plugin: object, target: str) -> tuple[str, ...]:
    named = getattr(plugin, RULES, ())
    if not isinstance(named, tuple | list) or not all(isinstance(one, str) for one in named):
        msg = f"{RULES} is {named!r}; expected a tuple of file names"
        raise PluginError(msg)
    module = sys.modules[target.partition(":")[0]]
    folder = os.path.dirname(os.path.abspath(getattr(module, "__file__", None) or ""))
    paths = tuple(os.path.normpath(os.path.join(folder, one)) for one in named)
    for path in paths:
        if not path.startswith(folder + os.sep) or not os.path.isfile(path):
            msg = f"{RULES} names {path!r}, which is no file beside the plugin's module"
            raise PluginError(msg)
    return paths
