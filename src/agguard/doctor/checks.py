"""The checks of `agguard doctor`, one function each."""

from __future__ import annotations

import os
import sqlite3
import time
from typing import TYPE_CHECKING

from agguard.doctor.finding import BAD, GOOD, WARNING, Finding
from agguard.errors import AgguardError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.paths import Paths
    from agguard.plugins.registry import Plugin

STATES = {"active": GOOD, "blocked": GOOD, "untrusted": WARNING, "refused": BAD}


def examine(paths: Paths) -> Iterator[Finding]:
    """Look at everything; findings come as they are made."""
    for check in (registration, command, configuration, plugins, rtk, ledger):
        try:
            yield from check(paths)
        except AgguardError as error:
            yield Finding(check.__name__, BAD, str(error))


def registration(paths: Paths) -> Iterator[Finding]:
    """Whether hooks.json holds our entry, and whether the host can read the file."""
    from agguard.install.examination import examine as look
    from agguard.install.place import of_user
    from agguard.install.store import Store

    found = look(of_user(paths), Store(paths.state))
    mend = "run `agguard install`"
    if found.registered:
        yield Finding("registration", GOOD, f"registered in {paths.host.hooks}")
    else:
        text = f"not registered in {paths.host.hooks}: no session is guarded"
        yield Finding("registration", BAD, text, mend)
    for one in found.findings:
        where = ".".join(filter(None, (one.hook, one.where)))
        level = BAD if one.fatal else WARNING
        yield Finding("hooks.json", level, f"{where}: {one.problem}")
    for launcher in found.launchers if found.registered else ():
        if launcher.condition != "intact":
            yield Finding("launcher", BAD, f"{launcher.path} is {launcher.condition}", mend)
    for path in found.changed:
        yield Finding("changed", WARNING, f"{path} was changed outside agguard", mend)
    if found.fault:
        yield Finding("record", WARNING, found.fault, mend)


def command(paths: Paths) -> Iterator[Finding]:
    """Whether the registered command answers a real payload, and how fast."""
    from agguard.doctor.registered import fire
    from agguard.doctor.stage import environment

    if not os.path.exists(paths.host.hooks):
        return
    payload = {
        "conversationId": "agguard-doctor",
        "toolCall": {"name": "view_file", "args": {"AbsolutePath": paths.host.hooks}},
        "stepIdx": 0,
    }
    try:
        environ = environment(paths.home)
        runs = [fire(paths.host.hooks, "PreToolUse", payload, environ) for _ in range(3)]
    except (OSError, ValueError) as error:
        yield Finding("command", BAD, f"{paths.host.hooks} cannot be used: {error}")
        return
    ours = [one for run in runs for one in run if "agguard-hook" in one.command]
    if not ours:
        return
    slowest = sorted(one.milliseconds for one in ours)[len(ours) // 2]
    fault = next((one.fault for one in ours if one.fault), "")
    answer = ours[-1].answer
    if fault:
        yield Finding("command", BAD, f"the registered command fails: {fault}")
    elif answer.get("decision") != "allow":
        reason = answer.get("reason", "")
        yield Finding(
            "command", BAD, f"a harmless call is answered {answer.get('decision')}: {reason}"
        )
    else:
        text = f"the registered command answers a real payload in {slowest:.0f} ms"
        yield Finding("command", GOOD, text)


def configuration(paths: Paths) -> Iterator[Finding]:
    """Whether the configuration is sound, and which profile is on."""
    from agguard.config.load import load

    loaded = load(paths.config_file)
    for problem in loaded.problems:
        level = BAD if problem.grave else WARNING
        yield Finding("configuration", level, problem.text)
    if loaded.sound:
        text = f"the profile {loaded.settings['profile']!r} is on ({paths.config_file})"
        yield Finding("configuration", GOOD, text)


def plugins(paths: Paths) -> Iterator[Finding]:
    """Which plugins run, which do not, and why."""
    from agguard.plugins.build import configuration as configured
    from agguard.plugins.build import plugins as registered

    for plugin in registered(configured(paths, None)).plugins:
        yield Finding("plugin", STATES[plugin.state], _about(plugin))
        for text in plugin.warnings:
            yield Finding("plugin", WARNING, f"{plugin.found.name}: {text}")


def _about(plugin: Plugin) -> str:
    found = plugin.found
    hooks = ", ".join(plugin.hooks)
    detail = f": {plugin.problem or hooks}"
    return f"{found.name} ({found.distribution} {found.version}) is {plugin.state}{detail}"


def rtk(_: Paths) -> Iterator[Finding]:
    """Whether the real rtk is there."""
    import shutil
    import subprocess

    path = shutil.which("rtk")
    if path is None:
        text = "rtk is not on the PATH: commands run as they are"
        yield Finding("rtk", WARNING, text, "install rtk, or `agguard config set rtk.mode off`")
        return
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, check=False, timeout=5, text=True
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield Finding("rtk", WARNING, f"{path} does not run: {error}")
        return
    version = done.stdout.strip()
    if version.startswith("rtk "):
        yield Finding("rtk", GOOD, f"{version} ({path})")
    else:
        text = f"{path} is another tool of that name: commands run as they are"
        yield Finding("rtk", WARNING, text, "put the real rtk before it on the PATH")


def ledger(paths: Paths) -> Iterator[Finding]:
    """Whether the ledger can be written, by writing."""
    from agguard.ledger.store import Ledger

    path = os.path.join(paths.state, "ledger.db")
    if not os.path.exists(path):
        yield Finding("ledger", GOOD, f"no ledger yet; the first hook makes {path}")
        return
    store = Ledger.open(path, wait=2.0, now=time.time())
    try:
        store.touch("agguard-doctor", time.time())
    finally:
        store.close()
    yield from _integrity(path)


def _integrity(path: str) -> Iterator[Finding]:
    try:
        link = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            (result,) = link.execute("PRAGMA integrity_check").fetchone()
        finally:
            link.close()
    except sqlite3.Error as error:
        yield Finding("ledger", BAD, f"{path} cannot be read: {error}")
        return
    if result != "ok":
        yield Finding("ledger", BAD, f"{path} is damaged: {result}", "move it away")
        return
    size = os.path.getsize(path) / 1_000_000
    yield Finding("ledger", GOOD, f"{path} can be written and is whole ({size:.1f} MB)")
