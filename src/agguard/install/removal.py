"""The plan of an uninstallation: what has to change so that all is as it was before agguard."""

from __future__ import annotations

import contextlib
import os

from agguard.errors import RegistrationError
from agguard.install.addition import read_hooks
from agguard.install.entry import NAME, runs_launcher
from agguard.install.files import FileChange, digest
from agguard.install.hooks_json import entries, read, with_former, without_entry
from agguard.install.launcher import recognize
from agguard.install.plan import Kept, Note, Plan
from agguard.install.plugin_folder import is_ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.install.files import FileState
    from agguard.install.json_text import Document
    from agguard.install.record import Install
    from agguard.install.snapshot import Snapshot


def plan(seen: Snapshot) -> Plan:
    """Decide what an uninstallation changes.

    The hooks file comes first, so that the host runs nothing that is no longer there.

    Raises:
        RegistrationError: The hooks file cannot be read as the host reads it, or not be written.
    """
    notes: list[Note] = []
    kept: list[Kept] = []
    hooks = _hooks(seen, notes, kept)
    launchers = _launchers(seen, kept)
    plugin = _plugin(seen, kept)
    if hooks and launchers:
        notes.append(
            Note("a session in the middle of a turn may refuse its tools until the next turn")
        )
    return Plan(
        hooks=seen.hooks,
        changes=(*((hooks,) if hooks else ()), *launchers, *plugin),
        record=seen.record.without(seen.hooks.path, seen.hooks.target),
        notes=tuple(notes),
        kept=tuple(kept),
        folders=_folders(seen),
    )


def _hooks(seen: Snapshot, notes: list[Note], kept: list[Kept]) -> FileChange | None:
    """Take our entry out; the original comes back where nobody has written since."""
    found = seen.hooks
    if found.data is None:
        return None
    document = read_hooks(found, paste="")
    notes += _still_running(found.path, document)
    named = entries(document)
    if not any(map(runs_launcher, named)):
        if named:
            kept.append(Kept(found.path, f"its entry {NAME!r} is not agguard's"))
        return None
    if not found.writable:
        msg = f"{found.path} is read-only: delete its entry {NAME!r} and uninstall again"
        raise RegistrationError(msg)
    after, why = _after(seen, document)
    return FileChange(found.path, found.target, found.data, after, found.mode, backup=True, why=why)


def _after(seen: Snapshot, document: Document) -> tuple[bytes | None, str]:
    """Return what the hooks file becomes, None for no file, and what a person should know of it."""
    install = seen.install
    original = install.original if install else None
    unchanged = install is not None and digest(seen.hooks.data or b"") == install.written
    if unchanged and original and not original.existed:
        return None, "there was none before agguard"
    if unchanged and original and seen.original is not None:
        return seen.original, "it is as it was before agguard, byte for byte"
    text, put_back = _without_ours(install, document)
    if original is not None and not original.existed and not read(text).members:
        return None, "there was none before agguard, and nobody else has an entry in it"
    back = f"; the entry {NAME!r} that was there before is back" if put_back else ""
    why = f"only our entry was taken out{back}: {_why(seen)}"
    return text.encode("utf-8", "surrogateescape"), why


def _without_ours(install: Install | None, document: Document) -> tuple[str, bool]:
    """Take our entry out, and say whether the one whose place it took is there again."""
    if install and install.replaced:
        with contextlib.suppress(RegistrationError):  # somebody was at the record
            return with_former(document, install.replaced), True
    return without_entry(document, which=runs_launcher), False


def _still_running(path: str, document: Document) -> Iterator[Note]:
    """Name the entries of others that run our launcher, which goes."""
    for member in document.members:
        if member.key != NAME and runs_launcher(member.value):
            text = f"{path}: the entry {member.key!r} runs agguard's launcher, too: delete it"
            yield Note(text, loud=True)


def _why(seen: Snapshot) -> str:
    if seen.fault:
        return seen.fault
    if not seen.install:
        return "there is no record of what it was before"
    if digest(seen.hooks.data or b"") != seen.install.written:
        return "it was changed since agguard wrote it"
    if not seen.install.original:
        return "it was changed between two installations, or the record of the first was lost"
    return "the kept original is gone"


def _launchers(seen: Snapshot, kept: list[Kept]) -> list[FileChange]:
    changes = []
    for found in seen.launchers:
        former = recognize(found.text)
        if found.data is None:
            continue
        if former is None:
            kept.append(Kept(found.path, "it is not agguard's"))
        elif not former.intact:
            kept.append(Kept(found.path, "it was edited; nothing runs it any more"))
        else:
            changes.append(_removed(found))
    # The record is only believed about files that are ours by themselves.
    for found in seen.former:
        former = recognize(found.text)
        if former and former.intact:
            changes.append(_removed(found))
    return changes


def _plugin(seen: Snapshot, kept: list[Kept]) -> list[FileChange]:
    """Remove the plugin files that are as we wrote them."""
    changes = []
    for index, found in enumerate(seen.plugin):
        if found.data is None:
            continue
        known = seen.install.digest_of(found.path) if seen.install else ""
        if digest(found.data) == known or (not known and not index and is_ours(found.data)):
            changes.append(_removed(found))
        else:
            why = "it was edited" if known else "there is no record that agguard wrote it"
            kept.append(Kept(found.path, why))
    return changes


def _removed(found: FileState) -> FileChange:
    return FileChange(found.path, found.target, found.data, None, found.mode, link_too=True)


def _folders(seen: Snapshot) -> tuple[str, ...]:
    """Return the folders to remove if they are empty: those of ours, and those that we made."""
    targets = (seen.hooks.target, *(found.target for found in seen.plugin))
    created = seen.install.created if seen.install else ()
    # The record is only believed about folders that lie on the way to our files.
    made = [one for one in created if any(path.startswith(one + os.sep) for path in targets)]
    own = {os.path.dirname(path) for path in targets[1:]}
    return tuple(sorted(own.union(made), key=len, reverse=True))
