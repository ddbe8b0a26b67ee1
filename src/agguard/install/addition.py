"""The plan of an installation: what has to change so that the host runs our hooks."""

from __future__ import annotations

import os

from agguard.errors import RegistrationError
from agguard.install import plugin_folder
from agguard.install.diagnosis import findings
from agguard.install.entry import NAME, entry, runs_launcher, snippet
from agguard.install.files import FileChange, digest
from agguard.install.hooks_json import entries, read, strange_entry, with_entry
from agguard.install.launcher import recognize, render
from agguard.install.plan import Note, Plan
from agguard.install.record import Install, Original
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.install.files import FileState
    from agguard.install.json_text import Document
    from agguard.install.launcher import Launcher
    from agguard.install.record import Record
    from agguard.install.snapshot import Snapshot


PASTED = (
    "between its braces, with a comma between it and other entries, and run the installation again"
)


class Wish(Value):
    """What is to be installed."""

    launcher: Launcher
    rules: str = ""
    """The rules for the plugin folder; '' leaves that folder alone."""


class WayBack(Value):
    """What stood in the hooks file before; see `Install`."""

    original: Original | None
    replaced: str


def plan(wish: Wish, seen: Snapshot, now: float) -> Plan:
    """Decide what an installation changes; the hooks file comes last, when all else stands.

    Args:
        wish: What is to be installed.
        seen: What was found there.
        now: The time for the record, in seconds since the epoch.

    Raises:
        RegistrationError: The hooks file cannot be read as the host reads it or must not be
            written, or a file of somebody else is in our way.
    """
    notes: list[Note] = []
    paste = snippet(windows=seen.place.windows)
    document = read_hooks(seen.hooks, paste)
    hooks = _hooks(seen, document, notes)
    launchers = _launchers(wish, seen, notes)
    plugin = _plugin(wish, seen, notes)
    changes = (*launchers, *plugin, *((hooks,) if hooks else ()))
    original, kept = _original(seen, document)
    back = WayBack(original=original, replaced=_replaced_entry(seen.install, document))
    install = _install(wish, seen, changes, back, now)
    if seen.fault:
        notes.append(Note(f"{seen.fault}; a new record is begun", loud=True))
    return Plan(
        hooks=seen.hooks,
        changes=changes,
        record=_recorded(seen.record, install),
        notes=tuple(dict.fromkeys(notes)),
        original=kept,
        paste=paste,
    )


def _hooks(seen: Snapshot, document: Document, notes: list[Note]) -> FileChange | None:
    """Put our entry into the hooks file; None when it is there."""
    found = seen.hooks
    paste = snippet(windows=seen.place.windows)
    wanted = with_entry(document, entry(windows=seen.place.windows))
    for finding in findings(document):
        if finding.fatal and finding.hook != NAME:
            where = ".".join(filter(None, (finding.hook, finding.where)))
            loss = "the host drops the whole file, our hooks too"
            notes.append(Note(f"{found.path}: {where}: {finding.problem}; {loss}", loud=True))
    if found.data is not None and wanted == document.text:
        return None
    if seen.place.scope == "workspace":
        notes.append(Note("the host runs a project's hooks only in folders that it trusts"))
    if not found.writable:
        msg = (
            f"{found.path} is read-only; nothing was written. Make it writable, or put this "
            f"{PASTED}:\n{paste}"
        )
        raise RegistrationError(msg)
    notes += _former_entry(found.path, document)
    if found.hard_links > 1:
        notes.append(Note(f"{found.path} has other hard links; they keep the old text", loud=True))
    after = wanted.encode("utf-8", "surrogateescape")
    return FileChange(
        found.path, found.target, found.data, after, found.mode or 0o666, found.data is not None
    )


def _former_entry(path: str, document: Document) -> list[Note]:
    """Say what becomes of an entry of our name that is not as it has to be."""
    was = entries(document)
    if not was:
        return []
    if strange_entry(document):
        text = (
            f"the entry {NAME!r} in {path} is not agguard's: ours takes its place, and its hooks "
            "do not run any more; `agguard uninstall` puts it back"
        )
        return [Note(text, loud=True)]
    if isinstance(was[-1], dict) and was[-1].get("enabled") is False:
        return [Note('the entry was switched off ("enabled": false); it is on again', loud=True)]
    return [Note("agguard's entry was edited and is written anew; a backup of the file is kept")]


def read_hooks(found: FileState, paste: str) -> Document:
    """Read a hooks file that is to be changed; a missing one is blank.

    Raises:
        RegistrationError: The host refuses the file, so we do too; `paste` is what to put there.
    """
    try:
        return read(found.text, found.path)
    except RegistrationError as error:
        advice = f" Mend it, or write it anew with this {PASTED}:\n{paste}" if paste else ""
        msg = f"{error}; the host refuses such a file whole. Nothing was written.{advice}"
        raise RegistrationError(msg) from None


def _launchers(wish: Wish, seen: Snapshot, notes: list[Note]) -> tuple[FileChange, ...]:
    after = render(wish.launcher, windows=seen.place.windows).encode("utf-8", "surrogateescape")
    known = dict(seen.install.files) if seen.install else {}
    found = (
        _launcher(state, after, wish.launcher, notes, known=state.path in known)
        for state in seen.launchers
    )
    changes = tuple(change for change in found if change)
    blocked = [state.path for state in seen.launchers if not state.writable]
    for change in changes:
        if change.path not in blocked:
            continue
        if change.path == seen.launchers[0].path:
            msg = f"cannot write {change.path!r}: it or its folder is read-only"
            raise RegistrationError(msg)
        notes.append(
            Note(
                f"{os.path.dirname(change.path)} is read-only: no launcher beside the link's target"
            )
        )
    return tuple(change for change in changes if change.path not in blocked)


def _launcher(
    found: FileState, after: bytes, wanted: Launcher, notes: list[Note], *, known: bool
) -> FileChange | None:
    """Put a launcher in its place; None when it is there.

    One that has lost its marker is still ours to replace where the record says that we wrote it.
    """
    # Whoever may read it may run it; the host runs it as this user.
    mode = (found.mode | found.mode >> 2 & 0o111 | 0o100) if found.data is not None else 0o777
    if found.data == after and mode == found.mode:
        return None
    former = recognize(found.text)
    if found.data is not None and not former and not known:
        msg = f"{found.path!r} is not agguard's: move it away and try again"
        raise RegistrationError(msg)
    if former:
        notes += _replaced(found.path, former.launcher, wanted)
    edited = found.data is not None and not (former and former.intact)
    if edited:
        notes.append(Note(f"{found.path} was edited; a backup of it is kept", loud=True))
    return FileChange(found.path, found.target, found.data, after, mode, edited)


def _replaced(path: str, former: Launcher, wanted: Launcher) -> list[Note]:
    """Say that another environment's installation ends, or that ours was renewed."""
    if (former.python, former.site) != (wanted.python, wanted.site):
        text = (
            f"{path} answered from another environment, {former.site} (agguard {former.version}, "
            f"{former.python}); from now on agguard {wanted.version} in {wanted.site} does"
        )
        return [Note(text, loud=True)]
    if former.version != wanted.version:
        return [Note(f"agguard {former.version} becomes {wanted.version}")]
    return []


def _plugin(wish: Wish, seen: Snapshot, notes: list[Note]) -> tuple[FileChange, ...]:
    """Write the plugin folder; what the user changed there is kept as a backup."""
    if not seen.plugin or not wish.rules:
        return ()
    manifest = seen.plugin[0]
    if manifest.data is None:
        notes.append(
            Note("a new plugin folder counts after a restart of the host; the hooks count at once")
        )
    elif not plugin_folder.is_ours(manifest.data):
        msg = f"{manifest.path!r} is another plugin's: move its folder away and try again"
        raise RegistrationError(msg)
    if seen.plugin_hooks:
        notes.append(
            Note(f"{seen.plugin_hooks} is not agguard's: hooks there fire besides ours", loud=True)
        )
    wanted = plugin_folder.contents(wish.launcher.version, wish.rules).values()
    pairs = zip(seen.plugin, wanted, strict=True)
    changes = [change for found, after in pairs if (change := _written(seen, found, after))]
    notes += [Note(f"{one.path} was edited; a backup is kept") for one in changes if one.backup]
    return tuple(changes)


def _written(seen: Snapshot, found: FileState, after: bytes) -> FileChange | None:
    if found.data == after:
        return None
    if not found.writable:
        msg = f"cannot write {found.path!r}: it or its folder is read-only"
        raise RegistrationError(msg)
    known = seen.install.digest_of(found.path) if seen.install else ""
    foreign = found.data is not None and digest(found.data) != known
    return FileChange(found.path, found.target, found.data, after, found.mode or 0o666, foreign)


def _original(seen: Snapshot, document: Document) -> tuple[Original | None, bytes | None]:
    """Return what uninstalling goes back to, and its bytes when they have to be kept.

    A file without our entry is the original itself, whatever else has our name there. One with it
    leads back to the original that we know, as long as nobody else has written to it since.
    """
    data = seen.hooks.data
    if not any(map(runs_launcher, entries(document))):
        return Original(data is not None, digest(data) if data is not None else ""), data
    if seen.install and data is not None and digest(data) == seen.install.written:
        return seen.install.original, None
    return None, None


def _install(
    wish: Wish,
    seen: Snapshot,
    changes: tuple[FileChange, ...],
    back: WayBack,
    now: float,
) -> Install:
    before = seen.install
    after = {change.path: change.after for change in changes}
    made = (one for one in seen.missing if any(c.target.startswith(one + os.sep) for c in changes))
    known = dict(before.files) if before else {}
    for state in (*seen.launchers, *(seen.plugin if wish.rules else ())):
        data = after.get(state.path, state.data)
        if data is not None:
            known[state.path] = digest(data)
    install = Install(
        scope=seen.place.scope,
        hooks=seen.hooks.path,
        target=seen.hooks.target,
        launcher=wish.launcher,
        since=now,
        written=digest(after.get(seen.hooks.path, seen.hooks.data) or b""),
        original=back.original,
        files=tuple(known.items()),
        created=tuple(dict.fromkeys((*(before.created if before else ()), *made))),
        replaced=back.replaced,
    )
    return before if before and before.replace(since=now) == install else install


def _replaced_entry(before: Install | None, document: Document) -> str:
    """Return the entry of somebody else whose place ours takes, or took in an earlier run."""
    if before and any(map(runs_launcher, entries(document))):
        return before.replaced
    return strange_entry(document)


def _recorded(record: Record, install: Install) -> Record:
    return record if install in record.installs else record.with_install(install)
