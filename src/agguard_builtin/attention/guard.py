"""The attention guard: a primary that did something ends its turn with an account of it."""

from __future__ import annotations

from agguard.model.contribution import Reminder
from agguard.model.effect import WORK
from agguard.model.session import Role
from agguard.model.verdict import StopVerdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Invocation, Stop
    from agguard.model.session import Session

NORMAL = ("", "NO_TOOL_CALL", "model_stop")
"""Ends that the agent chose (contract, section 2.2); the last one is of old documents."""


def judge(stop: Stop, session: Session) -> StopVerdict | None:
    """Send a primary's stop back when its last message lacks the summary."""
    settings = session.section("attention")
    if settings.get("mode", "on") == "off" or session.role != Role.PRIMARY:
        return None
    if not stop.fully_idle or stop.error or stop.reason not in NORMAL:
        return None
    if stop.running:  # it waits for its subagents; sending it back would make it poll
        return None
    if stop.dead:
        return StopVerdict.go_on(recovery(stop.dead))
    if not stop.work & WORK or stop.last_message is None:
        return None
    markers = settings.get("markers", ("Summary of skills used:",))
    missing = [marker for marker in markers if not _holds(stop.last_message, marker)]
    if not missing:
        return None
    return StopVerdict.go_on(
        f"agguard: your last message lacks the line {missing[0]!r}. You changed something in this "
        "turn: say which skills and tools you used, what was changed, and how it was verified "
        '(or "not verified because ...").'
    )


def remind(invocation: Invocation, session: Session) -> Reminder | None:
    """Tell an agent which of its subagents are dead, so that it does not wait for them."""
    if session.section("attention").get("mode", "on") == "off" or not invocation.dead:
        return None
    return Reminder(recovery(invocation.dead))


def recovery(dead: tuple[str, ...]) -> str:
    """Say what died, and what to do about it."""
    return (
        f"agguard: WORK_TIMED_OUT or failed: {'; '.join(dead)}. Nothing will come from there any "
        "more, and what comes late is not counted. Look at what was done, then hand the task out "
        "again with invoke_subagent, or tell the user what is missing."
    )


def _holds(message: str, marker: str) -> bool:
    """Whether a line of the message begins with the marker; case and Markdown do not matter."""
    wanted = _plain(marker)
    return any(_plain(line).startswith(wanted) for line in message.splitlines())


def _plain(line: str) -> str:
    """Return a line without emphasis, heading and list marks, in lower case."""
    return " ".join(line.translate({ord(mark): None for mark in "*_`#>~"}).lower().split()).lstrip(
        "-+•0123456789.) "
    )
