"""`agguard config`: read and change the user's settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import output

if TYPE_CHECKING:
    from agguard.config.load import Loaded
    from agguard.paths import Paths

Key = Annotated[str, typer.Argument(help="The setting, such as delegation.mode.")]
Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]


def build() -> typer.Typer:
    """Make the group."""
    app = typer.Typer(help="Read and change settings.", no_args_is_help=True)
    for command in (get, set_, list_, path):
        app.command(command.__name__.rstrip("_"))(command)
    return app


def get(key: Key, as_json: Json = False) -> None:
    """Print the value of a setting that is in force.

    Example: agguard config get delegation.mode
    """
    from agguard.config.literal import literal
    from agguard.config.lookup import lookup

    value = lookup(_loaded().settings, key)
    if as_json:
        output.data(value)
    else:
        typer.echo(value if isinstance(value, str) else literal(value))


def set_(
    key: Key, value: Annotated[str, typer.Argument(help="TOML; a bare word is text.")]
) -> None:
    """Change a setting in the user's file; comments and order stay.

    Example: agguard config set delegation.mode read-only
    """
    from agguard.config.schema import Schema
    from agguard.config.store import set_value
    from agguard.install.user import accept

    paths = _paths()
    change = set_value(paths.config_file, key, value, Schema())
    accept(paths)
    output.note(
        f"{key} set in {paths.config_file}"
        if change.before != change.after
        else f"{key} already is that",
        "green",
    )


def list_(as_json: Json = False) -> None:
    """List every setting with its type, default and meaning.

    Example: agguard config list
    """
    from rich.table import Table

    from agguard.config.export import rows
    from agguard.config.schema import Schema

    found = rows(Schema())
    if as_json:
        output.data(found)
        return
    table = Table(box=None, pad_edge=False)
    for title in ("setting", "default", "meaning"):
        table.add_column(title, overflow="fold")
    for row in found:
        table.add_row(row["key"], _short(row["default"]), f"{row['meaning']} ({row['type']})")
    output.say(table)


def path() -> None:
    """Print where the user's file is.

    Example: agguard config path
    """
    typer.echo(_paths().config_file)


def _short(value: Any) -> str:  # noqa: ANN401 - a setting's value
    from agguard.config.literal import literal

    return literal(value)


def _paths() -> Paths:
    from agguard.paths import resolve

    return resolve(environ=os.environ)


def _loaded() -> Loaded:
    """Load the settings; what is wrong with them is said on standard error."""
    from agguard.config.load import load

    loaded = load(_paths().config_file, environ=os.environ)
    for problem in loaded.problems:
        output.note(problem.text)
    return loaded
