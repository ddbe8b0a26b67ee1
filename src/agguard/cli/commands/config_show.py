"""`agguard config show`, `list`, `schema` and `path`: what is set, and what can be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import output, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.config.load import Loaded

Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]
Folder = Annotated[str, typer.Option("--project", help="The folder of a session.")]

COLUMN = 42
"""Where the origin of a short setting stands."""

WIDTH = 80


def show(
    origin: Annotated[bool, typer.Option("--origin", help="Say where each comes from.")] = False,
    changed: Annotated[bool, typer.Option("--changed", help="Leave the defaults out.")] = False,
    folder: Folder = ".",
    as_json: Json = False,
) -> None:
    """Print the settings in force for a session here, as TOML.

    Layers, each over the one before: defaults, profile, your file; then the project's file and
    the environment, which can only make it stricter.

    Example: agguard config show --changed --origin
    """
    from agguard.config.load import DEFAULT

    loaded = settings.in_force(folder, quiet=as_json)
    wanted = [key for key, one in loaded.origin.items() if not changed or one.layer != DEFAULT]
    if as_json:
        output.data(_data(loaded, wanted))
        return
    if not wanted:
        output.note("everything is at its default; `agguard config list` shows all", "none")
        return
    output.lines("\n".join(_toml(loaded, wanted, origin=origin)))


def list_(as_json: Json = False) -> None:
    """List every setting with its type, default and meaning.

    Example: agguard config list
    """
    from agguard.config.export import rows
    from agguard.config.literal import literal

    found = rows(settings.schema())
    if as_json:
        output.data(found)
        return
    for row in found:
        _entry(row, literal(row["default"]))


def schema(
    as_json: Annotated[  # noqa: ARG001 - it is always data
        bool, typer.Option("--json", help="The same; it always is JSON.")
    ] = True,
) -> None:
    """Print the JSON Schema of the configuration, for editors.

    Example: agguard config schema > agguard.schema.json
    """
    from agguard.config.export import json_schema

    output.data(json_schema(settings.schema()))


def path(as_json: Json = False) -> None:
    """Print where your file is.

    Example: agguard config path
    """
    from agguard.config.project import files

    place = settings.paths()
    if as_json:
        projects = [one for one in files(os.getcwd()) if os.path.exists(one)]
        folders = {"state": place.state, "cache": place.cache}
        output.data({"user": place.config_file, "projects": projects, **folders})
    else:
        output.lines(place.config_file)


def _entry(row: dict[str, Any], default: str) -> None:
    """Print one setting as a dictionary has its words."""
    from rich.text import Text

    output.say(Text.assemble((row["key"], "bold"), f" = {default}"))
    meaning = row["meaning"]
    limits = f"{row['expected']}; a project {row['project']}"
    output.indented(Text.assemble(meaning, "\n", (limits, "dim")), 4)


def _data(loaded: Loaded, wanted: list[str]) -> dict[str, Any]:
    from agguard.config.merge import nested

    flat = {key: _value(loaded, key) for key in wanted}
    return {
        "settings": nested(flat),
        "origin": {key: loaded.origin[key].text for key in wanted},
        "sound": loaded.sound,
        "problems": [problem.text for problem in loaded.problems],
    }


def _value(loaded: Loaded, key: str) -> Any:  # noqa: ANN401 - a setting's value
    from agguard.config.keys import split
    from agguard.config.lookup import lookup

    return lookup(loaded.settings, split(key))


def _toml(loaded: Loaded, wanted: list[str], *, origin: bool) -> Iterator[str]:
    """Yield the lines of a TOML document, section by section."""
    from agguard.config.keys import dotted, split
    from agguard.config.literal import literal

    section: tuple[str, ...] = ()
    for key in sorted(wanted, key=lambda one: len(split(one)) > 1):  # what has no section first
        *above, leaf = split(key)
        if tuple(above) != section:
            section = tuple(above)
            yield f"\n[{dotted(section)}]"
        line = f"{dotted((leaf,))} = {literal(_value(loaded, key))}"
        yield from _with_origin(line, loaded.origin[key].text) if origin else (line,)


def _with_origin(line: str, origin: str) -> tuple[str, ...]:
    """Return a line with its origin as a comment, which stands before it where it is too long."""
    joined = f"{line:{COLUMN}}  # {origin}"
    return (joined,) if len(joined) <= WIDTH else (f"# {origin}:", line)
