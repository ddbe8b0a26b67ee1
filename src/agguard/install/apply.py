"""Carries out a plan: everything is prepared first, then put in place file by file."""

from __future__ import annotations

import contextlib
import os

from agguard.errors import RegistrationError
from agguard.install import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.install.files import FileChange
    from agguard.install.plan import Plan
    from agguard.install.store import Store


class StaleError(Exception):
    """A file changed after the plan was made; make a new plan."""


def apply(plan: Plan, store: Store) -> tuple[str, ...]:
    """Do what a plan says, under the store's lock; return the backups that were made.

    Copies, backups and the record are written before the first file is replaced, so that a full
    disk or a read-only folder leaves everything as it was.

    Raises:
        StaleError: A file is no longer what the plan was made for; nothing was written.
        RegistrationError: Something could not be written; what was replaced is back.
    """
    made: list[str] = []
    copies: dict[FileChange, str] = {}
    try:
        for change in plan.changes:
            _prepare(change, made, copies)
        if plan.original is not None:
            store.keep_original(plan.original)
        backups = tuple(_back_up(change, store) for change in plan.changes if change.backup)
        _check_fresh(plan)
        _commit(plan, copies, store)
    except OSError as error:
        _undo(made, copies)
        msg = f"cannot write {error.filename!r}: {error.strerror}; nothing was changed"
        if plan.paste:
            msg = f"{msg}. The entry for {plan.hooks.path}:\n{plan.paste}"
        raise RegistrationError(msg) from None
    except BaseException:
        _undo(made, copies)
        raise
    for folder in plan.folders:
        with contextlib.suppress(OSError):
            os.rmdir(folder)
    return backups


def _prepare(change: FileChange, made: list[str], copies: dict[FileChange, str]) -> None:
    """Make the folders and the finished copy that a change needs."""
    folder, name = os.path.split(change.target)
    for leftover in files.leftovers(folder, name):
        files.discard(leftover)
    if change.after is None:
        return
    for missing in files.missing_folders(change.target):
        os.mkdir(missing)
        made.append(missing)
    copies[change] = files.stage(change)


def _check_fresh(plan: Plan) -> None:
    """Look again, for other programs write to the hooks file without asking for our lock."""
    if any(files.look(change.path).data != change.before for change in plan.changes):
        raise StaleError


def _back_up(change: FileChange, store: Store) -> str:
    return store.back_up(change.target, change.before or b"")


def _commit(plan: Plan, copies: dict[FileChange, str], store: Store) -> None:
    """Replace the files; the record goes first, for it knows the way back from a half done job."""
    former = store.load()[0]
    if former != plan.record:
        store.save(plan.record)
    done: list[FileChange] = []
    try:
        for change in plan.changes:
            files.commit(change, copies.get(change, ""))
            done.append(change)
    except OSError:
        for change in reversed(done):
            with contextlib.suppress(OSError):
                files.carry_out(change.replace(before=change.after, after=change.before))
        with contextlib.suppress(OSError):
            store.save(former)
        raise
    store.forget_originals(plan.record)


def _undo(made: list[str], copies: dict[FileChange, str]) -> None:
    for copy in copies.values():
        files.discard(copy)
    for folder in reversed(made):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
