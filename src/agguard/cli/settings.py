"""The settings in force where a command is run, and what is wrong with them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import typer  # noqa: TC002 - it reads the annotation when it completes

from agguard.cli import output

if TYPE_CHECKING:
    from agguard.config.load import Loaded
    from agguard.config.schema import Schema
    from agguard.paths import Paths


def paths() -> Paths:
    """Return this user's folders."""
    from agguard.paths import resolve

    return resolve(environ=os.environ)


def schema() -> Schema:
    """Return the settings that exist: ours, and what the installed plugins declare.

    The table of a plugin that is not active may hold anything.
    """
    from agguard.plugins.build import configuration, plugins, schema_of

    loaded = configuration(paths(), None)
    return schema_of(plugins(loaded), loaded)


def in_force(folder: str = ".", *, quiet: bool = False) -> Loaded:
    """Return the settings that hold for a session in a folder.

    Args:
        folder: Where the session would be.
        quiet: Whether problems are left to the caller; else they are said on standard error.
    """
    from agguard.config import trust
    from agguard.config.load import load
    from agguard.config.project import files
    from agguard.plugins import manifest

    place = paths()
    compiled = manifest.load(place.state)
    loaded = load(
        place.config_file,
        schema=schema(),
        last_good=compiled.good if compiled else None,
        projects=files(os.path.abspath(folder)),
        trusted=trust.load(place.state).trusts,
        environ=os.environ,
    )
    for problem in () if quiet else loaded.problems:
        output.note(problem.text)
    return loaded


def keys(incomplete: str) -> list[str]:
    """Complete the key of a setting."""
    from agguard.config.schema import Schema

    return [setting.key for setting in Schema() if setting.key.startswith(incomplete)]


def values(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the value of the setting that stands before it."""
    from agguard.config.schema import Schema

    key = str(context.params.get("key", ""))
    words = [
        word
        for one in Schema()
        if one.key == key
        for word in (("true", "false") if one.kind == "bool" else one.choices)
    ]
    return [word for word in words if word.startswith(incomplete)]
