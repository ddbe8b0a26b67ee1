"""Builds the manifest: configuration compiled, plugins registered, paths resolved."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from typing import TYPE_CHECKING

from agguard import __version__
from agguard.plugins import manifest, pins, rulebook, standin
from agguard.plugins.discovery import DEFAULT, discover
from agguard.plugins.places import search_path
from agguard.plugins.registry import ALL, Registry, register

LAUNCHERS = ("agguard-hook", "agguard-hook.cmd")

WISHES = ("trust.json", "pause.json")
"""What the operator's commands write into the state folder."""

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from agguard.config.load import Loaded
    from agguard.config.schema import Schema
    from agguard.config.setting import Setting
    from agguard.paths import Paths
    from agguard.plugins.registry import Plugin


def build(paths: Paths, path: Iterable[str] | None = None) -> manifest.Manifest:
    """Make the manifest anew and write it into the state folder.

    Args:
        paths: Where agguard's and the host's files are.
        path: The folders to look for plugins in; the interpreter's own when None.

    Returns:
        The manifest. If it cannot be written, hooks build it each time; nothing else is lost. So
        they do while the shipped plugin cannot be imported: what is mended must not stay refused.
    """
    made = compiled(paths, path)
    if all(row["target"] != standin.ABSENT for row in made.rows):
        _write(os.path.join(paths.state, manifest.NAME), made)
    return made


def compiled(
    paths: Paths, path: Iterable[str] | None = None, profile: str = ""
) -> manifest.Manifest:
    """Make the manifest anew and write nothing.

    Args:
        paths: Where agguard's and the host's files are.
        path: The folders to look for plugins in; the interpreter's own when None.
        profile: A profile to assume in the place of the user's.
    """
    from agguard.config.declared import written

    folders = list(path or search_path())
    before = manifest.load(paths.state)
    good = before.good if before else None
    loaded = configuration(paths, good, profile=profile)
    registry = plugins(loaded, folders)
    if third_parties(registry):
        schema = schema_of(registry, loaded)
        loaded = configuration(paths, good, schema, profile=profile)
    return manifest.Manifest(
        key=manifest.fingerprint(folders, _depends(paths, registry, loaded)),
        rows=list(registry.rows),
        settings={**loaded.settings, **rules_of(registry)},
        good=loaded.user if loaded.sound else before.good if before else {},
        paths={
            "state": paths.state,
            "cache": paths.cache,
            "home": paths.home,
            "protected": protected(paths),
            "watched": watched(paths),
        },
        problems=_problems(loaded, registry),
        declared={name: written(settings) for name, settings in _declared(registry).items()},
    )


def protected(paths: Paths) -> list[str]:
    """List what no agent may change: agguard's own files, by name and by where they lead."""
    host = paths.host
    named = [paths.config, paths.state, paths.cache, host.plugin, host.hooks]
    for folder in (host.config, os.path.dirname(os.path.realpath(host.hooks))):
        named += [os.path.join(folder, name) for name in LAUNCHERS]
    return list(dict.fromkeys([*named, *map(os.path.realpath, named)]))


def watched(paths: Paths) -> list[str]:
    """List the files whose change behind our back every hook reports."""
    return [*registration(paths), *wishes(paths)]


def registration(paths: Paths) -> list[str]:
    """List the files by which the host runs us: what an installation writes and its end removes."""
    beside = os.path.dirname(os.path.realpath(paths.host.hooks))
    folders = dict.fromkeys((paths.host.config, beside))
    launchers = [os.path.join(folder, name) for folder in folders for name in LAUNCHERS]
    return [paths.host.hooks, *launchers]


def wishes(paths: Paths) -> list[str]:
    """List the files that say how the operator wants to be guarded."""
    chosen = [os.path.join(paths.state, name) for name in WISHES]
    return [paths.config_file, os.path.join(paths.config, pins.NAME), *chosen]


def configuration(
    paths: Paths,
    last_good: Mapping[str, Any] | None,
    schema: Schema | None = None,
    profile: str = "",
) -> Loaded:
    """Read the user's configuration; a broken file falls back to the last good settings.

    Args:
        paths: Where it is.
        last_good: The user's settings when they were last sound.
        schema: The settings that exist; without it, plugins' tables are taken as they are.
        profile: A profile to assume in the place of the user's.
    """
    from agguard.config.load import load

    return load(paths.config_file, schema=schema, last_good=last_good, profile=profile)


def plugins(loaded: Loaded, path: Iterable[str] | None = None) -> Registry:
    """Register the plugins that the configuration lets run."""
    settings = loaded.settings.get("plugins", {})
    folder = os.path.dirname(loaded.sources[0].path) if loaded.sources else ""
    return register(
        discover(__version__, path),
        settings.get("block", ()),
        settings.get("trust", ()),
        order=settings.get("order", ()),
        pins=pins.load(folder),
    )


def compiled_settings(paths: Paths, registry: Registry) -> dict[str, Any]:
    """Return the settings with those that the active plugins declare."""
    schema = schema_of(registry, configuration(paths, None))
    return configuration(paths, None, schema).settings


def plugin_settings(paths: Paths, registry: Registry, name: str) -> dict[str, Any]:
    """Return a plugin's own table of the configuration, with its defaults."""
    found = compiled_settings(paths, registry).get("plugins", {}).get(name, {})
    return found if isinstance(found, dict) else {}


def schema_of(registry: Registry, loaded: Loaded) -> Schema:
    """Return the settings that exist, those of the active plugins included."""
    from agguard.config.schema import Schema

    return Schema(plugins={**Schema.tables(loaded.settings), **_declared(registry)})


def _declared(registry: Registry) -> dict[str, tuple[Setting, ...]]:
    """Return the settings of the active third parties."""
    from agguard.config.declared import declared

    return {
        one.found.name: declared(one.found.name, one.settings)
        for one in third_parties(registry)
        if one.state == "active"
    }


def third_parties(registry: Registry) -> list[Plugin]:
    """Return the plugins that are not shipped."""
    return [one for one in registry.plugins if one.found.name != DEFAULT]


def rules_of(registry: Registry) -> dict[str, dict[str, str]]:
    """Read the rule files that active plugins bring along, as a section of the settings."""
    found: dict[str, str] = {}
    for plugin in registry.plugins:
        texts = []
        for path in plugin.rules if plugin.state == "active" else ():
            with (
                contextlib.suppress(OSError, UnicodeDecodeError),
                open(path, encoding="utf-8") as file,
            ):
                texts.append(file.read().strip())
        if texts:
            found[plugin.found.name] = "\n\n".join(texts)
    return {rulebook.SECTION: found} if found else {}


def _depends(paths: Paths, registry: Registry, loaded: Loaded) -> list[str]:
    """List the files on whose state the manifest depends; those of what was trusted count."""
    if ALL in loaded.settings.get("plugins", {}).get("trust", ()):
        return [paths.config_file]
    running = [one for one in third_parties(registry) if one.state == "active" or one.changed]
    files = [path for one in running if not one.found.editable for path in one.found.files]
    trusted = [os.path.join(paths.config, pins.NAME)] if running else []
    return [paths.config_file, *trusted, *files]


def _problems(loaded: Loaded, registry: Registry) -> list[list[str]]:
    found = [
        ["agguard", "config" if problem.grave else "warning", problem.text]
        for problem in loaded.problems
    ]
    for plugin in registry.plugins:
        if plugin.state == "refused":
            found.append([plugin.found.name, "import", plugin.problem])
        if plugin.changed:
            found.append([plugin.found.name, "trust", plugin.problem])
        found += [[plugin.found.name, "warning", text] for text in plugin.warnings]
    return found


def _write(target: str, made: manifest.Manifest) -> None:
    """Write atomically, readable by the user alone."""
    temporary = ""
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(target))
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(made.asdict(), file)
        os.replace(temporary, target)
    except OSError:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
