"""Whether the host finds our hooks, and what else it finds where it looks."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from agguard import __version__
from agguard.doctor.finding import BAD, GOOD, WARNING, Finding
from agguard.install.diagnosis import diagnose
from agguard.install.entry import NAME
from agguard.install.examination import examine
from agguard.install.place import of_user
from agguard.install.registration import site
from agguard.install.store import Store
from agguard.install.surroundings import is_plugin_off, plugin_hooks, registered, running
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.install.diagnosis import Finding as Wrong
    from agguard.install.examination import Examination, LauncherState
    from agguard.install.launcher import Launcher
    from agguard.paths import Paths

INSTALL = "run `agguard install`"

NOT_READ = (
    "settings.json",
    "hooks.json",
    "antigravity-cli/hooks.json",
    "antigravity-ide/hooks.json",
)
"""Below `~/.gemini`: where hooks are written to and the host does not look (contract, 1.1)."""

BROKEN = {
    "right": "the host cannot read the file",
    "edited": "our entry is not as it has to be",
    "strange": f"the entry {NAME!r} is not agguard's any more",
    "missing": "our entry is gone",
}
"""Why the host does not run us, by the condition of our entry."""

CONDITIONS = {
    "missing": "is missing",
    "edited": "was edited",
    "foreign": "is not agguard's",
    "blocked": "is blocked: it is not executable",
}
"""What is wrong with a launcher, in words."""

MOST = 10
"""How many hooks of others are named."""

ANCESTOR = "attention-guard"
"""The plugin that agguard follows: both at once judge every call twice."""


def registration(paths: Paths, folder: str) -> Iterator[Finding]:
    """Whether hooks.json holds our entry once, and whether the host can read the file."""
    store = Store(paths.state)
    found = examine(of_user(paths), store)
    everywhere = registered(paths, store, (folder,))
    elsewhere = [one.hooks for one in everywhere if one.scope == "workspace"]
    if found.registered:
        yield Finding("registration", GOOD, f"registered in {paths.host.hooks}")
    elif found.installed:
        yield _broken(found)
    elif elsewhere:
        text = f"registered for projects only: {', '.join(elsewhere)}"
        yield Finding("registration", WARNING, text, f"{INSTALL} to guard every session")
    else:
        strange = f"; its entry {NAME!r} is not agguard's" if found.entries else ""
        text = f"not registered in {paths.host.hooks}: no session is guarded{strange}"
        broken = any(wrong.fatal and not wrong.hook for wrong in found.findings)
        step = f"mend that file as said below, then {INSTALL}" if broken else INSTALL
        yield Finding("registration", BAD, text, step)
    if found.installed and found.entries > 1:
        times = counted(found.entries, "time")
        text = f"our name stands {times} in {paths.host.hooks}: the last one counts"
        yield Finding("registration", WARNING, text, INSTALL, "install")
    if found.install and found.install.replaced:
        text = f"another entry {NAME!r} gave way to ours; `agguard uninstall` puts it back"
        yield Finding("registration", GOOD, text)
    again = [one for one in everywhere if one.scope != "user" and NAME in one.names]
    if found.registered and again:
        text = f"registered twice: every hook also fires from {_listed([x.hooks for x in again])}"
        projects = all(one.scope == "workspace" for one in again)
        step = "`agguard uninstall --scope workspace --project FOLDER` takes one out"
        yield Finding("twice", WARNING, text, step if projects else "delete its entry there")
    for one in everywhere:
        if strangers := [name for name in one.names if name != NAME]:
            text = f"{one.hooks}: the entry {', '.join(strangers)} runs agguard's launcher, too"
            yield Finding("twice", WARNING, text, "delete that entry")
    yield from _files(found)


def _broken(found: Examination) -> Finding:
    """Say why the host does not run what is installed; of others' entries only they can mend it."""
    strangers = any(wrong.fatal and wrong.hook != NAME for wrong in found.findings)
    why = "the host cannot read the file" if strangers else BROKEN[found.entry]
    text = f"installed in {found.place.hooks}, and no session is guarded: {why}"
    if strangers:
        return Finding("registration", BAD, text, "mend what is wrong in that file, as said below")
    return Finding("registration", BAD, text, INSTALL, "install")


def _files(found: Examination) -> Iterator[Finding]:
    """What is wrong with the launchers, and with what we wrote."""
    known = dict(found.install.files) if found.install else {}
    wrong = set()
    for launcher in found.launchers if found.installed else ():
        if launcher.condition != "intact":
            wrong.add(launcher.path)
            yield _launcher(launcher, known=launcher.path in known)
        elif launcher.lacks:
            text = f"the launcher needs {launcher.lacks}, which is gone: no call is judged"
            step = f"{INSTALL} from an environment that stays"
            yield Finding("launcher", BAD, text, step, "install")
        elif launcher.launcher:
            yield from _elsewhere(launcher.launcher)
    for path in found.changed:
        if path not in wrong:
            text = f"{path} was changed outside agguard"
            yield Finding("changed", WARNING, text, f"{INSTALL}, which keeps a backup", "install")
    if found.fault:
        mend = "install" if found.installed else ""
        yield Finding("record", WARNING, found.fault, INSTALL, mend)


def _launcher(found: LauncherState, *, known: bool) -> Finding:
    text = f"the launcher {found.path} {CONDITIONS[found.condition]}"
    if found.condition == "foreign" and not known:
        return Finding("launcher", BAD, text, f"move it away, then {INSTALL}")
    return Finding("launcher", BAD, text, INSTALL, "install")


def _elsewhere(answering: Launcher) -> Iterator[Finding]:
    """Say that another environment answers than the one that runs this."""
    if os.path.realpath(answering.site) == os.path.realpath(site()):
        return
    text = (
        f"hooks are answered by another environment than this one: agguard {answering.version} "
        f"in {answering.site}; this is agguard {__version__} in {site()}"
    )
    if answering.version == __version__:
        yield Finding("launcher", GOOD, text)
    else:
        yield Finding("launcher", WARNING, text, f"{INSTALL}, and this one answers")


def others(paths: Paths, folder: str) -> Iterator[Finding]:
    """Which entries harm a file that the host reads, ours or not, and who else has hooks."""
    from agguard.install.surroundings import FOLDERS

    files = [paths.host.hooks, *plugin_hooks(paths)]
    files += [os.path.join(folder, name, "hooks.json") for name in FOLDERS]
    for path in files:
        text = _text(path)
        if text is None:
            continue
        ours = NAME in running(path)
        for wrong in diagnose(text):
            yield _wrong(path, wrong, ours=ours)
        names = [name for name in _names(text) if name != NAME]
        if names:
            yield Finding("others", GOOD, f"{path} also has hooks of: {_listed(names)}")
        if any(ANCESTOR in name for name in (*names, path)):
            said = f"{path}: {ANCESTOR} judges the same calls as agguard"
            yield Finding("others", WARNING, said, "keep one of the two")


def _listed(names: list[str]) -> str:
    """Name the first few, and count the others."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def _wrong(path: str, wrong: Wrong, *, ours: bool) -> Finding:
    """Say what is wrong with an entry, by hook and event."""
    if not wrong.hook:
        text = f"{path}{wrong.problem.removeprefix('hooks.json')}; the host refuses it whole"
        return Finding(
            "hooks.json", BAD, text, "mend the file; a JSON checker names the place, too"
        )
    hook = f"hook {wrong.hook!r}"
    event = f", {wrong.event}" if wrong.event else ""
    where = f" at {wrong.where}" if wrong.where else ""
    text = f"{path}: {hook}{event}{where}: {wrong.problem}"
    if not wrong.fatal:
        return Finding("hooks.json", WARNING, text)
    text = f"{text}; the host drops every hook of this file{', ours too' if ours else ''}"
    step = (
        INSTALL if ours and wrong.hook == NAME else "mend or delete that entry; it is not agguard's"
    )
    return Finding("hooks.json", BAD, text, step)


def unread(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Whether something of agguard stands where the host does not look."""
    for name in NOT_READ:
        path = os.path.join(paths.host.gemini, *name.split("/"))
        text = _text(path)
        if text and "agguard" in text:
            said = f"{path} names agguard, and the host does not read hooks there"
            yield Finding("unread", WARNING, said, f"delete that entry; {INSTALL}")


def plugin_folder(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Whether the rules for the primary reach it."""
    if is_plugin_off(paths):
        text = "the host has agguard's plugin folder switched off: the primary gets no rules"
        yield Finding("plugin folder", WARNING, text, "run `agy plugin enable agguard`")
    stray = os.path.join(paths.host.plugin, "hooks.json")
    if os.path.lexists(stray):
        text = f"{stray} is not agguard's: hooks there fire besides ours"
        yield Finding("plugin folder", WARNING, text, "delete it")


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return None


def _names(text: str) -> list[str]:
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return list(found) if isinstance(found, dict) else []
