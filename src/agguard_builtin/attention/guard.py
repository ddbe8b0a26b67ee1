"""The attention guard: a primary that did something ends its turn with an account of it."""

from __future__ import annotations

from agguard.model.verdict import StopVerdict
from agguard_builtin.attention.checks import concerns, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Invocation, Stop
    from agguard.model.contribution import Reminder
    from agguard.model.session import Session


def judge(stop: Stop, session: Session) -> StopVerdict | None:
    """Send a primary's stop back while something is missing, and say its rules once more."""
    settings = session.section("attention")
    if settings.get("mode", "on") == "off" or not concerns(stop, session):
        return None
    reasons = missing(stop, settings)
    if not reasons:
        return None
    from agguard_builtin.attention.refresh import refreshed

    what = "agguard: " + " Also: ".join(reasons)
    rules = refreshed(session, settings.get("refresh_tokens", 2000))
    return StopVerdict.go_on(f"{what}\n\n{rules}" if rules else what)


def remind(invocation: Invocation, session: Session) -> Reminder | None:
    """Tell an agent which of its subagents are dead, and a primary now and then what it is."""
    from agguard.model.contribution import Reminder
    from agguard_builtin.attention.reminder import lines

    settings = session.section("attention")
    if settings.get("mode", "on") == "off":
        return None
    found = lines(invocation, session, settings.get("remind_every", 25))
    return Reminder("\n".join(found)) if found else None
