"""Whether the registered command answers, how fast, and whether the host has ever run it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from agguard.doctor.finding import BAD, GOOD, WARNING, Finding
from agguard.install import last_resort
from agguard.install.entry import NAME
from agguard.pipeline.seen import DOCTOR, EVENTS, last

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.doctor.registered import Fired
    from agguard.install.surroundings import Registered
    from agguard.paths import Paths

RUNS = 3
SLOW = 1000.0
"""Milliseconds from which on every tool call is felt to wait."""

DAY = 86_400.0

USUAL = ("PreToolUse", "Stop")
"""Events that every session has; on the others builds of the host differ (contract, 1.1)."""


def command(paths: Paths, folder: str) -> Iterator[Finding]:
    """Run the registered command with a real payload, as the host does; no one else's hook runs."""
    from agguard.install.store import Store
    from agguard.install.surroundings import registered

    for one in registered(paths, Store(paths.state), (folder,)):
        if NAME in one.names and one.scope != "plugin":
            yield from _command(paths, one)


def _command(paths: Paths, there: Registered) -> Iterator[Finding]:
    from agguard.doctor.registered import fire
    from agguard.doctor.stage import environment

    call = {"name": "view_file", "args": {"AbsolutePath": there.hooks}}
    payload = {"conversationId": DOCTOR, "toolCall": call, "stepIdx": 0}
    try:
        environ = environment(paths.home)
        runs = [fire(there.hooks, "PreToolUse", payload, environ, NAME) for _ in range(RUNS)]
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        yield Finding("command", BAD, f"{there.hooks} cannot be used: {error}")
        return
    if ours := [one for run in runs for one in run]:
        yield _answered(ours, there)
    else:
        text = f"{there.hooks} registers no command of ours for PreToolUse"
        yield Finding("command", BAD, text, *_again(there))


def _answered(ours: list[Fired], there: Registered) -> Finding:
    took = sorted(one.milliseconds for one in ours)[len(ours) // 2]
    fault = next((one.fault for one in ours if one.fault), "")
    answer = ours[-1].answer
    what = "the registered command" + (f" of {there.hooks}" if there.scope != "user" else "")
    if fault:
        said = next((one.last_words for one in ours if one.last_words), "")
        text = f"{what} fails: {fault}{': ' + said if said else ''}"
        return Finding("command", BAD, text, *_again(there))
    if answer.get("decision") != "allow":
        decision, reason = answer.get("decision"), answer.get("reason", "")
        if last_resort.is_one(reason):
            said = ours[-1].last_words
            text = f"{what} runs no agguard: {reason}{' It said: ' + said if said else ''}"
            return Finding("command", BAD, text, *_again(there, lost=True))
        text = f"{what} answers a harmless call with {decision}{': ' + reason if reason else ''}"
        return Finding("command", BAD, text, "`agguard log --conversation agguard-doctor`")
    text = f"{what} answers a real payload in {took:.0f} ms"
    if took > SLOW:
        return Finding("command", WARNING, f"{text}: every tool call waits for it")
    return Finding("command", GOOD, text)


def _again(there: Registered, *, lost: bool = False) -> tuple[str, str]:
    """Return the next step, and what `--fix` does about it.

    Args:
        there: The registration.
        lost: Whether its launcher answers and finds no agguard; a project's looks on the PATH.
    """
    if there.scope == "user":
        return "run `agguard install`", "install"
    if lost:
        return "put `agguard` on the PATH that the host has", ""
    folder = os.path.dirname(os.path.dirname(there.hooks))
    return f"run `agguard install --scope workspace --project {folder}`", ""


def fired(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Say when the host last fired each event: that it is registered proves nothing."""
    since = _registered_since(paths)
    if since is None:
        return
    now = time.time()
    seen = last(paths.state)
    for event in EVENTS:
        if event in seen:
            text = f"{event} was last fired {_ago(now - seen[event])} ago"
            yield Finding("fired", GOOD, text)
    missing = [event for event in EVENTS if event not in seen]
    if not missing:
        return
    text = f"registered {_ago(now - since)} ago, never seen: {', '.join(missing)}"
    if not seen:
        step = (
            "start a session; if this stays, the host does not run hooks here: see which product "
            "and version you use, and whether `/hooks` lists agguard"
        )
        yield Finding("fired", WARNING, text, step)
    elif any(event in missing for event in USUAL) and now - since > DAY:
        yield Finding("fired", WARNING, text, "this build of the host may not run these hooks")
    else:
        yield Finding("fired", GOOD, text)


def _registered_since(paths: Paths) -> float | None:
    from agguard.install.store import Store

    found = Store(paths.state).find(paths.host.hooks)
    return found.since if found else None


def _ago(seconds: float) -> str:
    for size, unit in ((DAY, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"
