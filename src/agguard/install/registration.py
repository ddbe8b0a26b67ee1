"""Registers agguard with the host and takes it out again: the library behind the command line.

    place = of_user(paths)                      # or of_project("/some/project")
    store = Store(paths.state)
    wish = Wish(launcher_for(place, store, version="1.0"), rules="Delegate.")
    outcome = install(place, store, wish)
    outcome.changed, outcome.diff, outcome.notes

Nothing is printed here, and nothing is written when the hooks file cannot be read.
"""

from __future__ import annotations

import os
import sys
import time

from agguard.errors import RegistrationError
from agguard.install import addition, removal
from agguard.install.apply import StaleError, apply
from agguard.install.launcher import Launcher
from agguard.install.plan import Kept
from agguard.install.snapshot import take
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.install.addition import Wish
    from agguard.install.files import FileChange
    from agguard.install.place import Place
    from agguard.install.plan import Note, Plan
    from agguard.install.snapshot import Snapshot
    from agguard.install.store import Store

_ATTEMPTS = 5


class Outcome(Value):
    """What was done, or would be."""

    place: Place
    dry_run: bool
    changes: tuple[FileChange, ...]
    diff: str
    """All changes as a unified diff; '' when there are none."""
    notes: tuple[Note, ...]
    kept: tuple[Kept, ...]
    backups: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything had to change."""
        return bool(self.changes)


def launcher_for(place: Place, store: Store, version: str, if_missing: str = "") -> Launcher:
    """Describe the launcher for the environment that runs this.

    Args:
        place: Where it will be; one for a project carries no paths of this machine.
        store: The state folder that it will name.
        version: agguard's version.
        if_missing: `ask` or `deny`; '' keeps what an earlier installation chose.
    """
    former = store.find(place.hooks)
    choice = if_missing or (former.launcher.if_missing if former else "ask")
    if place.scope == "workspace":
        return Launcher(version, if_missing=choice)
    return Launcher(version, sys.executable, site(), store.state, choice)


def site() -> str:
    """Return the folder that holds the agguard which runs this."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.dirname(package)


def install(
    place: Place, store: Store, wish: Wish, *, dry_run: bool = False, now: float | None = None
) -> Outcome:
    """Register agguard at a place; doing it again changes nothing.

    Args:
        place: Which hooks file.
        store: Where the way back is kept.
        wish: The launcher and the rules.
        dry_run: Only say what would be done.
        now: The time to record, in seconds since the epoch.

    Raises:
        RegistrationError: It cannot be done safely; nothing was written.
    """
    moment = time.time() if now is None else now
    return _run(place, store, lambda seen: addition.plan(wish, seen, moment), dry_run=dry_run)


def uninstall(place: Place, store: Store, *, dry_run: bool = False) -> Outcome:
    """Take agguard out of a place; everything else stays, and `kept` says what and why.

    Raises:
        RegistrationError: It cannot be done safely; nothing was written.
    """
    outcome = _run(place, store, removal.plan, dry_run=dry_run)
    if not outcome.backups:
        return outcome
    backups = Kept(store.backups, "former contents of changed files, should you miss something")
    return outcome.replace(kept=(*outcome.kept, backups))


def _run(
    place: Place, store: Store, decide: Callable[[Snapshot], Plan], *, dry_run: bool
) -> Outcome:
    # What changes nothing or is refused needs no state folder; the lock would make one.
    seen = take(place, store)
    plan = decide(seen)
    if dry_run or (not plan.changes and plan.record == seen.record):
        return _outcome(place, plan, dry_run=dry_run)
    with store.lock():
        for _ in range(_ATTEMPTS):
            before, seen = seen, take(place, store)
            plan = plan if seen == before else decide(seen)
            try:
                backups = apply(plan, store)
            except StaleError:
                continue
            return _outcome(place, plan, dry_run=False).replace(backups=backups)
    msg = f"{place.hooks!r} keeps changing: another program writes to it; try again later"
    raise RegistrationError(msg)


def _outcome(place: Place, plan: Plan, *, dry_run: bool) -> Outcome:
    return Outcome(place, dry_run, plan.changes, plan.diff, plan.notes, plan.kept)
