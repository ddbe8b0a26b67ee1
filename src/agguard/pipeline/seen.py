"""When each event was last fired by the host: the only proof that the host runs our hooks."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.session import Session

FOLDER = "seen"

DOCTOR = "agguard-doctor"
"""The conversation in whose name `agguard doctor` fires a hook: no sign of the host."""

EVENTS = ("SessionStart", "PreInvocation", "PreToolUse", "PostToolUse", "Stop")


def note(state: str, event: str, session: Session) -> None:
    """Note that the host fired an event, where the state folder can be written.

    Args:
        state: The state folder.
        event: The event.
        session: For whom; the doctor's and those of an agent's shell do not count.
    """
    if session.conversation == DOCTOR or session.inside_agent or event not in EVENTS:
        return
    path = os.path.join(state, FOLDER, event)
    try:
        os.utime(path)
    except OSError:
        _make(path)


def last(state: str) -> dict[str, float]:
    """Return when each event was last fired, in seconds since the epoch; without the never seen."""
    found = {}
    for event in EVENTS:
        try:
            found[event] = os.stat(os.path.join(state, FOLDER, event)).st_mtime
        except OSError:
            continue
    return found


def _make(path: str) -> None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        # A pipe without a reader would block an open that waits.
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
        os.close(os.open(path, flags, 0o600))
    except OSError:
        return
