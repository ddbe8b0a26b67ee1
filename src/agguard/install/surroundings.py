"""What stands beside a registration and changes its effect: other scopes, switched off folders."""

from __future__ import annotations

import json
import os

from agguard.errors import RegistrationError
from agguard.install.entry import NAME, runs_launcher
from agguard.install.hooks_json import entries, read
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agguard.install.store import Store
    from agguard.paths import Paths

FOLDERS = (".agents", ".agent", "_agents", "_agent")
"""Where the host looks for a project's hooks (contract, section 1.1)."""


class Registered(Value):
    """A hooks file in which agguard stands, by its own entry or by another's command."""

    hooks: str
    scope: str
    """`user`, `workspace` or `plugin`."""
    names: tuple[str, ...]
    """The entries, by name."""


def registered(paths: Paths, store: Store, folders: Iterable[str] = ()) -> list[Registered]:
    """Find every hooks file that runs agguard.

    Args:
        paths: The user's folders.
        store: The record, which knows the projects of earlier installations.
        folders: Projects to look at besides.
    """
    known = [one.hooks for one in store.load()[0].installs]
    candidates = [(paths.host.hooks, "user")]
    candidates += [(hooks, "workspace") for hooks in known if hooks != paths.host.hooks]
    candidates += [(hooks, "workspace") for folder in folders for hooks in above(folder)]
    candidates += [(hooks, "plugin") for hooks in plugin_hooks(paths)]
    found: dict[str, Registered] = {}
    for hooks, scope in candidates:
        if names := running(hooks):
            found.setdefault(os.path.realpath(hooks), Registered(hooks, scope, names))
    return list(found.values())


def running(hooks: str) -> tuple[str, ...]:
    """Return the names of the entries of a hooks file that run agguard's launcher."""
    try:
        with open(hooks, encoding="utf-8", errors="surrogateescape") as file:
            document = read(file.read(), hooks)
    except (OSError, RegistrationError):
        return ()
    found = [NAME] if any(map(runs_launcher, entries(document))) else []
    found += [one.key for one in document.members if one.key != NAME and runs_launcher(one.value)]
    return tuple(found)


def plugin_hooks(paths: Paths) -> Iterator[str]:
    """Yield the hooks files of the user's plugin folders."""
    folder = os.path.join(paths.host.config, "plugins")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name, "hooks.json")
        if os.path.isfile(path):
            yield path


def is_plugin_off(paths: Paths) -> bool:
    """Whether the host's own configuration switches agguard's plugin folder off (section 6)."""
    try:
        with open(os.path.join(paths.host.config, "config.json"), encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return False
    try:
        return content["plugins"][NAME]["enabled"] is False
    except (KeyError, TypeError):
        return False


def warnings(paths: Paths, store: Store, folders: Iterable[str] = ()) -> tuple[str, ...]:
    """Say what the operator should know about the surroundings of a registration."""
    found = registered(paths, store, folders)
    said = []
    scopes = {one.scope for one in found}
    if "user" in scopes and len(found) > 1:
        others = ", ".join(one.hooks for one in found if one.scope != "user")
        said.append(
            f"agguard is registered for this user and again in {others}: there every hook fires "
            "twice; `agguard uninstall --scope workspace --project FOLDER` takes one out"
        )
    if is_plugin_off(paths):
        said.append(
            f"the host has the plugin folder {NAME!r} switched off, so the primary agent does not "
            f"get its rules: run `agy plugin enable {NAME}`"
        )
    return tuple(said)


def above(folder: str) -> Iterator[str]:
    """Yield the hooks files of a folder and of those above it, up to the repository's root."""
    here = os.path.abspath(folder)
    while True:
        for name in FOLDERS:
            path = os.path.join(here, name, "hooks.json")
            if os.path.isfile(path):
                yield path
        above = os.path.dirname(here)
        if os.path.lexists(os.path.join(here, ".git")) or above == here:
            return
        here = above
