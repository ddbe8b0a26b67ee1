"""Stop: gather the facts, ask the guards, and never send an agent back for ever."""

from __future__ import annotations

from agguard.model.call import Stop
from agguard.model.session import Role
from agguard.model.verdict import Decision, Outcome, Reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.dispatch.dispatcher import Dispatcher
    from agguard.model.session import Session


def decide(stop: Stop, session: Session, dispatcher: Dispatcher) -> Outcome:
    """Decide whether an agent may stop; DENY means that it goes on."""
    if session.role == Role.UNKNOWN:
        note = Reason("agguard", "not judged: it is not known who stops", Decision.ALLOW)
        return Outcome(Decision.ALLOW, (note,))
    reasons = dispatcher.judge_stop(stop, session)
    if not reasons:
        return Outcome(Decision.ALLOW)
    limit = session.section("attention").get("max_rejections", 3)
    if stop.rejections >= limit:
        text = f"yielded after {stop.rejections} rejections in this turn"
        note = Reason("agguard", text, Decision.ALLOW)
        return Outcome(
            Decision.ALLOW, (note, *(r.replace(decision=Decision.ABSTAIN) for r in reasons))
        )
    return Outcome(Decision.DENY, reasons)
