"""`agguard plugins`: which guards are installed, and which of them run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import operator, output, settings
from agguard.cli import plugin as known
from agguard.cli.commands import plugins_author as author
from agguard.plugins.discovery import DEFAULT
from agguard.plugins.registry import ALL
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agguard.paths import Paths
    from agguard.plugins.registry import Plugin, Registry

Name = Annotated[str, typer.Argument(help="The plugin's name.")]
Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]

CHANGING = "changing which plugins run"

STYLES = {"active": "green", "blocked": "dim", "untrusted": "yellow", "refused": "red"}


def build() -> typer.Typer:
    """Make the group."""
    app = typer.Typer(help="List, trust and block plugins.", no_args_is_help=True)
    for command in (list_, info, trust, block, unblock, order, author.hooks, author.new):
        app.command(command.__name__.rstrip("_"))(command)
    return app


def list_(as_json: Json = False) -> None:
    """List the plugins that are installed, and what became of each.

    Times are measured now, on a few calls that nothing executes; faults are those that the ledger
    keeps.

    Example: agguard plugins list
    """
    registry = _registry()
    found = known.described(_paths(), registry)
    found.sort(key=lambda one: one["order"])
    if as_json:
        output.data(found)
        return
    for one in found:
        _show(one)


def _show(one: Mapping[str, Any]) -> None:
    """Print one plugin of the list."""
    from rich.padding import Padding
    from rich.text import Text

    state = (one["state"], STYLES[one["state"]])
    output.say(Text.assemble((output.clean(one["name"]), "bold"), "  ", state))
    faults = counted(one["faults"], "fault")
    about = f"{one['distribution']} {one['version']}, order {one['order']}, {faults}"
    taken = f", median {one['median_ms']:.1f} ms, worst {one['worst_ms']:.1f} ms"
    told = [about + taken if one["worst_ms"] else about, ", ".join(one["hooks"])]
    for line in filter(None, (*told, one["problem"])):
        output.say(Padding(Text(output.clean(line)), (0, 0, 0, 2)))
    for line in one["warnings"]:
        output.say(Padding(Text(output.clean(f"! {line}"), style="yellow"), (0, 0, 0, 2)))


def info(name: Name, as_json: Json = False) -> None:
    """Say everything about one plugin: what it is pinned to, offers, and has got wrong.

    Example: agguard plugins info terraform
    """
    from agguard.plugins import pins
    from agguard.plugins.build import plugin_settings
    from agguard.plugins.registry import diagnosed

    registry = _required(name)
    plugin = _one(registry, name)
    pinned = pins.load(_paths().config).get(name)
    found = {
        **known.described(_paths(), registry)[registry.plugins.index(plugin)],
        "target": plugin.found.target,
        "files": list(plugin.found.files),
        "editable": plugin.found.editable,
        "pinned": pinned.replace(stamps=()).asdict() if pinned else None,
        "settings": dict(plugin.settings),
        "rules": list(plugin.rules),
        "health": diagnosed(plugin, plugin_settings(_paths(), registry, name)),
    }
    if as_json:
        output.data(found)
        return
    for key, value in found.items():
        if value or key in ("faults", "order"):
            typer.echo(f"{key:14} {_line(value)}")


def trust(name: Name, as_json: Json = False) -> None:
    """Let a third party's plugin run. Its code then runs with your rights, at every tool call.

    Trust holds for the distribution, its version and its files as they are now; after an upgrade
    or a changed file the plugin does not run until it is trusted again.

    Example: agguard plugins trust terraform
    """
    from agguard.plugins import pins

    operator.require(CHANGING)
    plugin = _one(_required(name), name)
    if name == DEFAULT:
        said = f"{name} is shipped with agguard and needs no trust"
        _unchanged("plugins.trust", said, as_json=as_json)
        return
    config = _paths().config
    made = pins.pin(plugin.found)
    pins.store(config, {**pins.load(config), name: made})
    wanted = "plugins.trust", lambda before: [*(one for one in before if one != name), name]
    _change(*wanted, as_json=as_json)
    if as_json:
        return
    if made.editable:
        output.note(
            f"{name} is an editable install: it is trusted whatever {made.editable} holds, "
            "also what an agent writes there",
            "bold yellow",
        )
    else:
        files = counted(len(plugin.found.files), "file")
        about = f"{made.distribution} {made.version}, {files}, sum {made.sum[:12]}"
        output.note(f"{name} is trusted as it is now: {about}", "green")


def block(name: Name, as_json: Json = False) -> None:
    """Never import a plugin, the shipped one included.

    Example: agguard plugins block terraform
    """
    operator.require(CHANGING)
    _required(name)
    wanted = "plugins.block", lambda before: [*(one for one in before if one != name), name]
    _change(*wanted, as_json=as_json)
    if name == DEFAULT:
        output.note(
            "none of the shipped guards is asked any more, and sessions are not guarded by them",
            "bold yellow",
        )


def unblock(name: Name, as_json: Json = False) -> None:
    """Take a plugin off the list of blocked ones.

    Example: agguard plugins unblock terraform
    """
    operator.require(CHANGING)
    if name not in settings.in_force(quiet=True).settings["plugins"]["block"]:
        _unchanged("plugins.block", f"{name} is not blocked", as_json=as_json)
        return
    wanted = "plugins.block", lambda before: [one for one in before if one != name]
    _change(*wanted, as_json=as_json)


def order(
    names: Annotated[list[str], typer.Argument(help="Plugins, the first to ask first.")],
    as_json: Json = False,
) -> None:
    """Say which plugins are asked first. Decisions do not depend on it; rewrites are chained by it.

    Example: agguard plugins order builtin terraform
    """
    operator.require(CHANGING)
    for name in names:
        _required(name)
    _change("plugins.order", lambda _: names, as_json=as_json)


def _paths() -> Paths:
    from agguard.paths import resolve

    return resolve(environ=os.environ)


def _registry() -> Registry:
    from agguard.plugins.build import configuration, plugins

    return plugins(configuration(_paths(), None))


def _one(registry: Registry, name: str) -> Plugin:
    """Return the plugin of a name, the one that could run where several have it."""
    named = (plugin for plugin in registry.plugins if plugin.found.name == name)
    return min(named, key=lambda plugin: plugin.state == "refused")


def _line(value: object) -> str:
    import json

    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ("\n" + " " * 15).join(value)
    return value if isinstance(value, str) else json.dumps(value)


def _required(name: str) -> Registry:
    found = _registry()
    names = [plugin.found.name for plugin in found.plugins]
    if name not in names:
        output.fail(f"no plugin is named {name!r}; installed are {', '.join(names)}")
    return found


def _unchanged(key: str, said: str, *, as_json: bool) -> None:
    if as_json:
        value = settings.in_force(quiet=True).settings["plugins"][key.partition(".")[2]]
        output.data({"key": key, "value": value, "changed": False})
    else:
        output.note(said, "green")


def _change(key: str, change: Callable[[list[str]], list[str]], *, as_json: bool) -> None:
    import json

    from agguard.config.load import load
    from agguard.config.lookup import lookup
    from agguard.config.store import set_value
    from agguard.install.user import accept

    paths = _paths()
    schema = settings.schema()
    before = lookup(load(paths.config_file, schema=schema).settings, key)
    after = before if before == ALL else change(list(before))
    if after != before:
        set_value(paths.config_file, key, json.dumps(after), schema)
    accept(paths)
    if as_json:
        output.data({"key": key, "value": after, "changed": after != before})
    else:
        output.note(f"{key} is now {json.dumps(after)}", "green")
