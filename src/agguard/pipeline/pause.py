"""A pause: for a while the operator has nothing enforced, and everything is still recorded.

What keeps agents off the guard itself stands all the same: an agent that could write here would
make a pause of its own that never ends.
"""

from __future__ import annotations

import os
import time

from agguard.model.value import Value
from agguard.model.verdict import Decision, Reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.verdict import Outcome

NAME = "pause.json"

STANDS = ("builtin.protection",)
"""Guards whose word counts during a pause."""

LONGEST = 86_400.0
"""Seconds of a pause, at the most; what claims to be longer is none."""


class Pause(Value):
    """From when until when, in seconds since the epoch."""

    since: float
    until: float

    @property
    def text(self) -> str:
        """The pause in a sentence, with the end as a clock shows it here."""
        end = time.strftime("%H:%M", time.localtime(self.until))
        return f"agguard is paused until {end} and enforces nothing (`agguard resume` ends it)"


def current(state: str, now: float) -> Pause | None:
    """Return the pause that holds now; it ends by itself.

    Args:
        state: The state folder.
        now: Seconds since the epoch.
    """
    from agguard.plugins.manifest import content

    found = content(os.path.join(state, NAME))
    try:
        pause = Pause(float(found["since"]), float(found["until"]))
    except (TypeError, KeyError, ValueError):
        return None
    is_one = 0 < pause.until - pause.since <= LONGEST
    return pause if is_one and pause.since <= now < pause.until else None


def begin(state: str, pause: Pause) -> None:
    """Begin a pause, in the place of another.

    Raises:
        OSError: The state folder cannot be written.
    """
    import json

    path = os.path.join(state, NAME)
    temporary = f"{path}.{os.getpid()}"
    os.makedirs(state, mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with open(os.open(temporary, flags, 0o600), "w", encoding="utf-8") as file:
        json.dump(pause.asdict(), file)
    os.replace(temporary, path)


def end(state: str) -> bool:
    """End the pause; return whether there was a file of one.

    Raises:
        OSError: It cannot be removed.
    """
    try:
        os.unlink(os.path.join(state, NAME))
    except FileNotFoundError:
        return False
    return True


def lifted(outcome: Outcome, pause: Pause) -> Outcome:
    """Return what is left of an outcome during a pause; every reason stays, for the record."""
    kept = [reason.decision for reason in outcome.reasons if reason.guard in STANDS]
    decision = max([*kept, Decision.ALLOW])
    changed = {} if outcome.decision > Decision.ALLOW else outcome.overwrite
    said = Reason("agguard", pause.text, decision)
    return outcome.replace(
        decision=decision, reasons=(*outcome.reasons, said), overwrite=dict(changed)
    )
