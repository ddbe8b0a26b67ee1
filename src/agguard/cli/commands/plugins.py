"""`agguard plugins`: which guards are installed, and which of them run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import output

if TYPE_CHECKING:
    from agguard.plugins.registry import Plugin

Name = Annotated[str, typer.Argument(help="The plugin's name.")]
Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]

STYLES = {"active": "green", "blocked": "dim", "untrusted": "yellow", "refused": "red"}


def build() -> typer.Typer:
    """Make the group."""
    app = typer.Typer(help="List, trust and block plugins.", no_args_is_help=True)
    for command in (list_, trust, block, unblock, hooks):
        app.command(command.__name__.rstrip("_"))(command)
    return app


def list_(as_json: Json = False) -> None:
    """List the plugins that are installed, and what became of each.

    Example: agguard plugins list
    """
    found = _plugins()
    if as_json:
        output.data([{**p.found.asdict(), **p.replace(found=None).asdict()} for p in found])
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("plugin", "state", "distribution", "hooks"):
        table.add_column(title, overflow="fold")
    for plugin in found:
        state = f"[{STYLES[plugin.state]}]{plugin.state}[/]"
        about = f"{plugin.found.distribution} {plugin.found.version}"
        table.add_row(plugin.found.name, state, about, ", ".join(plugin.hooks) or plugin.problem)
    output.say(table)


def trust(name: Name) -> None:
    """Let a third party's plugin run. Its code then runs with your rights, at every tool call.

    Example: agguard plugins trust terraform
    """
    _require(name)
    _change("plugins.trust", add=name)


def block(name: Name) -> None:
    """Never import a plugin, the shipped one included.

    Example: agguard plugins block terraform
    """
    _require(name)
    _change("plugins.block", add=name)


def unblock(name: Name) -> None:
    """Take a plugin off the list of blocked ones.

    Example: agguard plugins unblock terraform
    """
    _change("plugins.block", remove=name)


def hooks(
    name: Annotated[str, typer.Argument(help="A hook; all of them if left out.")] = "",
) -> None:
    """Print the manual pages of the hooks that a plugin can implement.

    Example: agguard plugins hooks judge_tool
    """
    import inspect

    from agguard import hookspecs

    if name and name not in hookspecs.HOOKS:
        output.fail(f"there is no hook {name!r}; there are {', '.join(hookspecs.HOOKS)}")
    for hook in (name,) if name else hookspecs.HOOKS:
        spec = getattr(hookspecs, hook)
        typer.echo(f"{hook}{inspect.signature(spec)}\n")
        typer.echo("    " + (inspect.getdoc(spec) or "").replace("\n", "\n    ") + "\n")


def _plugins() -> tuple[Plugin, ...]:
    from agguard.paths import resolve
    from agguard.plugins.build import configuration, plugins

    loaded = configuration(resolve(environ=os.environ), None)
    return plugins(loaded).plugins


def _require(name: str) -> None:
    names = [plugin.found.name for plugin in _plugins()]
    if name not in names:
        output.fail(f"no plugin is named {name!r}; installed are {', '.join(names)}")


def _change(key: str, *, add: str = "", remove: str = "") -> None:
    import json

    from agguard.config.load import load
    from agguard.config.lookup import lookup
    from agguard.config.schema import Schema
    from agguard.config.store import set_value
    from agguard.install.user import accept
    from agguard.paths import resolve

    paths = resolve(environ=os.environ)
    before = lookup(load(paths.config_file).settings, key)
    if before == "all":
        output.note(f"{key} already is 'all'", "green")
        return
    after = [name for name in before if name != remove]
    after += [add] if add and add not in after else []
    set_value(paths.config_file, key, json.dumps(after), Schema())
    accept(paths)
    output.note(f"{key} is now {json.dumps(after)}", "green")
