"""Stop: gather the facts, ask the guards, and never send an agent back for ever."""

from __future__ import annotations

from agguard.model.call import Stop
from agguard.model.effect import Effect
from agguard.model.session import Role
from agguard.model.verdict import Decision, Outcome, Reason
from agguard.pipeline import upkeep
from agguard.pipeline.artifacts import wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.dispatch.dispatcher import Dispatcher
    from agguard.model.event import Event
    from agguard.model.session import Session
    from agguard.pipeline.books import Books


NORMAL = ("", "NO_TOOL_CALL", "TERMINAL_STEP_TYPE", "INJECTED_RESPONSE", "model_stop")
"""Ends that are no failure (contract, section 2.2); the last one is of old documents."""


UNFINISHED = "its transcript does not hold its last message"


def facts(event: Event, session: Session, books: Books, now: float) -> tuple[Stop, int]:
    """Gather what a stop is judged by.

    Returns:
        The stop, and the step of the user's message that began the turn.
    """
    if session.role == Role.UNKNOWN:
        return Stop(event.termination, event.error, event.fully_idle), -1
    from agguard.transcript.poll import Patience

    turn = Patience().turn(event.transcript)
    conversation = session.conversation
    step = -1 if turn.user_step is None else turn.user_step
    work = books.ask(lambda x: x.work_since(conversation, step))
    rejections = books.ask(lambda x: x.rejections(conversation, step))
    running, dead = upkeep.described(books, session)
    stop = Stop(
        reason=event.termination,
        error=event.error,
        fully_idle=event.fully_idle,
        continuation=event.continuation,
        rejections=max(rejections or 0, event.continuation),
        work=work or Effect(0),
        # Until the closing message is there, what was said last is not what the agent ends with.
        running=running,
        dead=dead,
        last_message=turn.last_message if turn.answered else None,
        seconds=None if turn.started_at is None else now - turn.started_at,
        artifacts=wanted(session, turn.started_at),
        problem=turn.problem or books.trouble or ("" if turn.answered else UNFINISHED),
    )
    return stop, step


def decide(stop: Stop, session: Session, dispatcher: Dispatcher) -> Outcome:
    """Decide whether an agent may stop; DENY means that it goes on."""
    if session.role == Role.UNKNOWN:
        why = f" ({session.bound_by})" if session.bound_by else ""
        return _allowed(f"not judged: it is not known who stops{why}")
    reasons = dispatcher.judge_stop(stop, session)
    limit = session.section("attention").get("max_rejections", 3)
    if reasons and stop.rejections >= limit:
        return _allowed(f"yielded after {stop.rejections} rejections in this turn", *reasons)
    if reasons:
        return Outcome(Decision.DENY, reasons)
    return _allowed(stop.problem) if stop.problem else Outcome(Decision.ALLOW)


def ended(event: Event, session: Session, outcome: Outcome, books: Books, now: float) -> Outcome:
    """Note the end of a child's task, or its pause; what comes late changes nothing and says so."""
    if not session.role.is_child:
        return outcome
    child = session.conversation
    if not event.fully_idle:
        books.ask(lambda x: x.rest(child, now))
        return outcome
    failure = event.error[:200] or ("" if event.termination in NORMAL else event.termination)
    if books.ask(lambda x: x.finish(child, now, failure=failure)):
        return outcome
    text = "late: this work had ended before, and nothing was changed"
    return outcome.replace(reasons=(*outcome.reasons, Reason("agguard", text, Decision.ALLOW)))


def _allowed(text: str, *overruled: Reason) -> Outcome:
    """Let it stop, and keep why."""
    kept = tuple(reason.replace(decision=Decision.ABSTAIN) for reason in overruled)
    return Outcome(Decision.ALLOW, (Reason("agguard", text, Decision.ALLOW), *kept))
