"""Everything that a plan depends on, read once."""

from __future__ import annotations

import contextlib
import os

from agguard.errors import RegistrationError
from agguard.install import plugin_folder
from agguard.install.files import FileState, look, missing_folders
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.install.place import Place
    from agguard.install.record import Install, Record
    from agguard.install.store import Store


class Snapshot(Value):
    """What was found at one place and in the record of it."""

    place: Place
    hooks: FileState
    launchers: tuple[FileState, ...]
    former: tuple[FileState, ...]
    """Launchers at places where the host no longer looks for them, as the record knows them."""
    plugin: tuple[FileState, ...]
    """plugin.json and the rules, in this order; empty for a project."""
    plugin_hooks: str
    """A hooks.json in our plugin folder, which should not be there; '' when it is not."""
    missing: tuple[str, ...]
    """Folders that have to be made, outermost first."""
    record: Record
    install: Install | None
    """What the record says about this hooks file."""
    original: bytes | None
    """The hooks file as it was before agguard; None when there was none or it is not known."""
    fault: str
    """What is wrong with the record; '' when nothing is."""


def take(place: Place, store: Store) -> Snapshot:
    """Look at a place.

    Raises:
        RegistrationError: A file cannot be read.
    """
    hooks = look(place.hooks)
    launchers = tuple(look(path) for path in place.launchers)
    plugin = tuple(look(path) for path in _plugin_files(place))
    record, fault = store.load()
    install = record.find(place.hooks, hooks.target)
    kept = install.original if install else None
    stray = os.path.join(place.plugin, "hooks.json") if place.plugin else ""
    folders = [missing_folders(state.target) for state in (hooks, *launchers, *plugin)]
    return Snapshot(
        place=place,
        hooks=hooks,
        launchers=launchers,
        former=_former(install, {state.path for state in (*launchers, *plugin)}),
        plugin=plugin,
        plugin_hooks=stray if stray and os.path.lexists(stray) else "",
        missing=tuple(dict.fromkeys(folder for found in folders for folder in found)),
        record=record,
        install=install,
        original=store.original(kept.digest) if kept and kept.existed else None,
        fault=fault,
    )


def _plugin_files(place: Place) -> tuple[str, ...]:
    if not place.plugin:
        return ()
    names = (plugin_folder.MANIFEST, plugin_folder.RULES)
    return tuple(os.path.join(place.plugin, *name.split("/")) for name in names)


def _former(install: Install | None, known: set[str]) -> tuple[FileState, ...]:
    """Look at the files of ours that the record has and the place has not."""
    found = []
    for path, _ in install.files if install else ():
        if path not in known:
            with contextlib.suppress(RegistrationError):
                found.append(look(path))
    return tuple(found)
