"""Whether the host finds our hooks, and what else it finds where it looks."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from agguard.doctor.finding import BAD, GOOD, WARNING, Finding
from agguard.install.diagnosis import diagnose
from agguard.install.examination import examine
from agguard.install.place import of_user
from agguard.install.store import Store
from agguard.install.surroundings import is_plugin_off, plugin_hooks, registered
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.install.diagnosis import Finding as Wrong
    from agguard.install.examination import Examination
    from agguard.paths import Paths

INSTALL = "run `agguard install`"

NOT_READ = (
    "settings.json",
    "hooks.json",
    "antigravity-cli/hooks.json",
    "antigravity-ide/hooks.json",
)
"""Below `~/.gemini`: where hooks are written to and the host does not look (contract, 1.1)."""

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
    elif elsewhere:
        text = f"registered for projects only: {', '.join(elsewhere)}"
        yield Finding("registration", WARNING, text, f"{INSTALL} to guard every session")
    else:
        text = f"not registered in {paths.host.hooks}: no session is guarded"
        yield Finding("registration", BAD, text, INSTALL, "install")
    if found.entries > 1:
        times = counted(found.entries, "time")
        text = f"our name stands {times} in {paths.host.hooks}: the last one counts"
        yield Finding("registration", WARNING, text, INSTALL, "install")
    if found.registered and len(everywhere) > 1:
        others = ", ".join(one.hooks for one in everywhere if one.scope != "user")
        text = f"registered twice: every hook also fires from {others}"
        yield Finding("twice", WARNING, text, "uninstall in one of the two scopes")
    for one in everywhere:
        if strangers := [name for name in one.names if name != "agguard"]:
            text = f"{one.hooks}: the entry {', '.join(strangers)} runs agguard's launcher, too"
            yield Finding("twice", WARNING, text, "delete that entry")
    yield from _files(found)


def _files(found: Examination) -> Iterator[Finding]:
    """What is wrong with the launchers, and with what we wrote."""
    for launcher in found.launchers if found.registered else ():
        if launcher.condition != "intact":
            text = f"the launcher {launcher.path} is {launcher.condition}"
            yield Finding("launcher", BAD, text, INSTALL, "install")
        elif launcher.launcher and not os.path.exists(launcher.launcher.python):
            text = f"the launcher's Python is gone: {launcher.launcher.python}"
            yield Finding("launcher", BAD, text, f"{INSTALL} from an environment that stays")
    for path in found.changed:
        text = f"{path} was changed outside agguard"
        yield Finding("changed", WARNING, text, f"{INSTALL}, which keeps a backup", "install")
    if found.fault:
        yield Finding("record", WARNING, found.fault, INSTALL, "install")


def others(paths: Paths, folder: str) -> Iterator[Finding]:
    """Which entries harm a file that the host reads, ours or not, and who else has hooks."""
    from agguard.install.surroundings import FOLDERS

    files = [paths.host.hooks, *plugin_hooks(paths)]
    files += [os.path.join(folder, name, "hooks.json") for name in FOLDERS]
    for path in files:
        text = _text(path)
        if text is None:
            continue
        for wrong in diagnose(text):
            yield _wrong(path, wrong)
        names = [name for name in _names(text) if name != "agguard"]
        if names:
            yield Finding("others", GOOD, f"{path} also has hooks of: {', '.join(names)}")
        if any(ANCESTOR in name for name in (*names, path)):
            said = f"{path}: {ANCESTOR} judges the same calls as agguard"
            yield Finding("others", WARNING, said, "keep one of the two")


def _wrong(path: str, wrong: Wrong) -> Finding:
    """Say what is wrong with an entry, by hook and event."""
    hook = f"hook {wrong.hook!r}" if wrong.hook else "the file"
    event = f", {wrong.event}" if wrong.event else ""
    where = f" at {wrong.where}" if wrong.where else ""
    if wrong.fatal:
        loss = "the host drops every hook of this file, ours too"
        text = f"{path}: {hook}{event}{where}: {wrong.problem}; {loss}"
        return Finding("hooks.json", BAD, text, "mend or delete that entry; it is not agguard's")
    return Finding("hooks.json", WARNING, f"{path}: {hook}{event}{where}: {wrong.problem}")


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
