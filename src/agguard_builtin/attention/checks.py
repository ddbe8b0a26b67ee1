"""The checks of a primary's stop, each with its own reason. Pure."""

from __future__ import annotations

from agguard.model.effect import WORK
from agguard.model.session import Role
from agguard_builtin.attention.markers import UNDONE, UNVERIFIED, admits, lacking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.model.call import Artifact, Stop
    from agguard.model.session import Session

NORMAL = ("", "NO_TOOL_CALL", "model_stop")
"""Ends that the agent chose (contract, section 2.2); the last one is of old documents."""

MARKERS = ("Summary of skills used:",)
AFTER = 120


def concerns(stop: Stop, session: Session) -> bool:
    """Whether there is something to judge: a primary ends a turn in which it did something."""
    after = session.section("attention").get("after", AFTER)
    return (
        session.role == Role.PRIMARY
        and stop.fully_idle
        and not stop.error
        and stop.reason in NORMAL
        and not stop.running  # it waits for its subagents; sending it back would make it poll
        and bool(stop.work & WORK)
        and stop.last_message is not None
        and (not after or stop.seconds is None or stop.seconds >= after)
    )


def missing(stop: Stop, settings: Mapping[str, Any]) -> list[str]:
    """Return what is missing, one reason in one line for each check that fails."""
    checks = (
        unfinished(stop),
        unsummarized(stop, tuple(settings.get("markers", MARKERS))),
        absent(stop),
    )
    return [reason for reason in checks if reason]


def unfinished(stop: Stop) -> str:
    """Say which subagents died or failed, unless the message says what is missing by that."""
    if not stop.dead or admits(stop.last_message or "", UNDONE):
        return ""
    return recovery(stop.dead)


def recovery(dead: tuple[str, ...]) -> str:
    """Say what died, and what to do about it."""
    return (
        f"WORK_TIMED_OUT or failed: {'; '.join(dead)}. Nothing will come from there any "
        "more, and what comes late is not counted. Look at what was done, then hand the task out "
        'again with invoke_subagent, or tell the user what is missing ("not done because ...").'
    )


def unsummarized(stop: Stop, markers: tuple[str, ...]) -> str:
    """Say which mandatory lines the last message lacks; an honest admission replaces them."""
    message = stop.last_message or ""
    found = lacking(message, markers)
    if not found or admits(message, UNVERIFIED, UNDONE):
        return ""
    lines = " and ".join(repr(_shown(marker)) for marker in found)
    return (
        f"your last message lacks the line {lines}. You changed something in this turn: "
        "say which skills and tools you used, what was changed, and how it was verified (or "
        '"not verified because ...").'
    )


def absent(stop: Stop) -> str:
    """Say which required artifacts are not there, are empty, or are older than the turn."""
    wrong = [text for artifact in stop.artifacts if (text := _fault(artifact))]
    if not wrong:
        return ""
    return f"required in your artifact directory: {'; '.join(wrong)}. Write it, then stop."


def _fault(artifact: Artifact) -> str:
    if artifact.size is None:
        return f"{artifact.name!r} is missing"
    if not artifact.size:
        return f"{artifact.name!r} is empty"
    return "" if artifact.is_fresh else f"{artifact.name!r} is older than this turn"


def _shown(marker: str) -> str:
    """Return a marker as the agent is to write it: the first of its alternatives."""
    return marker.partition("|")[0].strip()
