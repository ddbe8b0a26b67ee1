"""How a registration stands: what the host will read, and whether other hands were at it."""

from __future__ import annotations

import os

from agguard.errors import RegistrationError
from agguard.install.diagnosis import diagnose
from agguard.install.entry import entry, runs_launcher
from agguard.install.files import digest
from agguard.install.hooks_json import entries, is_same, read
from agguard.install.launcher import recognize
from agguard.install.snapshot import take
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.install.diagnosis import Finding
    from agguard.install.files import FileState
    from agguard.install.launcher import Launcher
    from agguard.install.place import Place
    from agguard.install.record import Install
    from agguard.install.store import Store


class LauncherState(Value):
    """How one launcher stands."""

    path: str
    condition: str
    """`intact`, `edited` (not as it was written), `missing`, `foreign` (not ours) or `blocked`
    (not executable)."""
    launcher: Launcher | None
    """What it knows, when it is ours."""
    lacks: str = ""
    """What it needs and is gone: its interpreter, or agguard there; '' when all is there."""


class Examination(Value):
    """How a registration stands at one place."""

    place: Place
    registered: bool
    """Whether our entry is in the hooks file as it has to be, and the host can read the file."""
    entry: str
    """How the entry of our name stands that counts: `right`, `edited` (runs our launcher, but not
    as it has to), `strange` (does not run it) or `missing`."""
    entries: int
    """How often our name stands in the file; the host takes the last."""
    launchers: tuple[LauncherState, ...]
    findings: tuple[Finding, ...]
    """What is wrong with the hooks file, whoever wrote it."""
    install: Install | None
    """What the record says."""
    changed: tuple[str, ...]
    """Files that are no longer as agguard wrote them, by path."""
    fault: str
    """What is wrong with the record; '' when nothing is."""

    @property
    def installed(self) -> bool:
        """Whether there is an installation to be mended: on record, or by its entry.

        After `agguard uninstall` there is none, whatever else is found here.
        """
        return self.install is not None or self.entry in ("right", "edited")


def examine(place: Place, store: Store) -> Examination:
    """Look at a registration; nothing is written.

    Raises:
        RegistrationError: A file cannot be read.
    """
    seen = take(place, store)
    findings = diagnose(seen.hooks.text) if seen.hooks.data is not None else ()
    ours = _entries(seen.hooks.text)
    condition = _condition(ours, windows=place.windows)
    install = seen.install
    states = (seen.hooks, *seen.launchers, *seen.plugin)
    known = {**dict(install.files), install.hooks: install.written} if install else {}
    changed = (one.path for one in states if one.path in known and _differs(one, known[one.path]))
    return Examination(
        place=place,
        registered=condition == "right" and not any(finding.fatal for finding in findings),
        entry=condition,
        entries=len(ours),
        launchers=tuple(_launcher(state, windows=place.windows) for state in seen.launchers),
        findings=findings,
        install=install,
        changed=tuple(changed),
        fault=seen.fault,
    )


def _entries(text: str) -> tuple[object, ...]:
    try:
        return entries(read(text))
    except RegistrationError:
        return ()


def _condition(named: tuple[object, ...], *, windows: bool) -> str:
    if not named:
        return "missing"
    if is_same(named[-1], entry(windows=windows)):
        return "right"
    return "edited" if runs_launcher(named[-1]) else "strange"


def _differs(state: FileState, written: str) -> bool:
    return state.data is None or digest(state.data) != written


def _launcher(state: FileState, *, windows: bool) -> LauncherState:
    found = recognize(state.text)
    if state.data is None:
        condition = "missing"
    elif found is None:
        condition = "foreign"
    elif not found.intact:
        condition = "edited"
    elif not windows and not os.access(state.target, os.X_OK):
        condition = "blocked"
    else:
        condition = "intact"
    launcher = found.launcher if found else None
    return LauncherState(state.path, condition, launcher, _lacking(launcher) if launcher else "")


def _lacking(launcher: Launcher) -> str:
    """Return what of its environment is gone; one for a project finds its own when it runs."""
    needed = (launcher.python, os.path.join(launcher.site, "agguard", "_entry.py"))
    if not launcher.python:
        return ""
    return next((path for path in needed if not os.path.exists(path)), "")
