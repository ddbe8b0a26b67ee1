"""The attention guard: a primary that did something ends its turn with an account of it."""

from __future__ import annotations

from agguard.model.effect import WORK
from agguard.model.session import Role
from agguard.model.verdict import StopVerdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Stop
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


def _holds(message: str, marker: str) -> bool:
    """Whether a line of the message begins with the marker; case and Markdown do not matter."""
    wanted = _plain(marker)
    return any(_plain(line).startswith(wanted) for line in message.splitlines())


def _plain(line: str) -> str:
    """Return a line without emphasis, heading and list marks, in lower case."""
    return " ".join(line.translate({ord(mark): None for mark in "*_`#>~"}).lower().split()).lstrip(
        "-+•0123456789.) "
    )
