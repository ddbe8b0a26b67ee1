"""Compiles a project's settings from within a hook: the slow way, taken when a file changed."""

from __future__ import annotations

import contextlib
import json
import os

from agguard.config import trust
from agguard.config.declared import declared
from agguard.config.load import load
from agguard.config.schema import Schema
from agguard.plugins.places import recalled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from agguard.config.load import Loaded
    from agguard.plugins.manifest import Manifest

KEEP = 200
"""How many compiled projects are kept; the oldest go first."""

LONGEST = 300
"""Characters of a problem: a project's file says what it likes, and agents read the reasons."""


def tightened(state: str, compiled: Manifest, key: dict[str, Any], path: str) -> dict[str, Any]:
    """Compile the settings of a project and keep them.

    Args:
        state: The state folder.
        compiled: What holds everywhere.
        key: What the result depends on; `files` are the project's files that exist.
        path: Where to keep it.

    Returns:
        The key, the problems, and the settings; None for settings where nothing changed.
    """
    user = recalled(state).config_file
    files = [file for file, _ in key["files"]]
    loaded = layered(user, state, compiled, files, environ=os.environ)
    settings = combined(compiled, loaded)
    found = {
        "key": key,
        "settings": None if settings == compiled.settings else settings,
        "problems": [
            ["agguard", "config" if problem.grave else "warning", problem.text[:LONGEST]]
            for problem in loaded.problems
            if problem.file != user
        ],
    }
    if _is_of(key, {source.path: source.stamp for source in loaded.sources}):
        _keep(path, found)
    return found


def layered(  # noqa: PLR0913 - each layer is one argument
    user: str,
    state: str,
    compiled: Manifest,
    files: Iterable[str],
    *,
    environ: Mapping[str, str] | None = None,
    profile: str = "",
) -> Loaded:
    """Put a project's files, and the environment, on the user's configuration.

    Args:
        user: The user's file.
        state: The state folder, where pins are kept.
        compiled: What holds everywhere.
        files: The project's files.
        environ: Variables that may tighten; None for none.
        profile: A profile to assume in the place of the user's.
    """
    return load(
        user,
        schema=_schema(compiled),
        last_good=compiled.good,
        projects=tuple(files),
        trusted=trust.load(state).trusts,
        environ=environ,
        profile=profile,
    )


def combined(compiled: Manifest, loaded: Loaded) -> dict[str, Any]:
    """Return the settings in force; the rule files of plugins are some that no file sets."""
    return {**compiled.settings, **loaded.settings}


def _schema(compiled: Manifest) -> Schema:
    """Return the settings that exist, with those that plugins declared as it was compiled."""
    active = {name: declared(name, raw) for name, raw in compiled.declared.items()}
    return Schema(plugins={**Schema.tables(compiled.settings), **active})


def _is_of(key: dict[str, Any], read: dict[str, tuple[int, int, int] | None]) -> bool:
    """Whether what was read is what the key says; else a file changed in between.

    What else the manifest depends on, such as a plugin's files, was not read here.
    """
    return all(
        list(read[path] or ()) == (was or [])
        for path, was in (*key["files"], *key["user"])
        if path in read
    )


def _keep(path: str, found: dict[str, Any]) -> None:
    """Write atomically, for this user alone; where that fails, each hook compiles anew."""
    folder = os.path.dirname(path)
    temporary = f"{path}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _make_room(folder)
        with open(os.open(temporary, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump(found, file)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _make_room(folder: str) -> None:
    found = [entry.path for entry in os.scandir(folder)]
    if len(found) < KEEP:
        return
    with contextlib.suppress(OSError):
        for old in sorted(found, key=os.path.getmtime)[: len(found) - KEEP + 1]:
            os.unlink(old)
