"""Stop: gather the facts, ask the guards, and never send an agent back for ever."""

from __future__ import annotations

from agguard.model.call import Stop
from agguard.model.effect import Effect
from agguard.model.session import Role
from agguard.model.value import Value
from agguard.model.verdict import Decision, Outcome, Reason
from agguard.pipeline import upkeep
from agguard.pipeline.artifacts import wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.dispatch.dispatcher import Dispatcher
    from agguard.ledger.records import WorkItem
    from agguard.ledger.store import Ledger
    from agguard.model.event import Event
    from agguard.model.report.reading import Report
    from agguard.model.session import Session
    from agguard.pipeline.books import Books
    from agguard.transcript.turns import Turn


NORMAL = ("", "NO_TOOL_CALL", "TERMINAL_STEP_TYPE", "INJECTED_RESPONSE", "model_stop")
"""Ends that are no failure (contract, section 2.2); the last one is of old documents."""


UNFINISHED = "its transcript does not hold its last message"


class Facts(Value):
    """What a stop is judged by, and what the judgment is filed under."""

    stop: Stop
    turn: int = -1
    """The step of the user's message that began the turn."""
    item: str = ""
    """The task that a child holds."""
    newest: int = 0
    """The number of the newest report in the facts."""


def facts(event: Event, session: Session, books: Books, now: float) -> Facts:
    """Gather what a stop is judged by."""
    if session.role == Role.UNKNOWN:
        return Facts(Stop(event.termination, event.error, event.fully_idle))
    from agguard.transcript.poll import Patience

    turn = Patience().turn(event.transcript)
    conversation = session.conversation
    step = -1 if turn.user_step is None else turn.user_step
    began = turn.started_at or 0.0
    work = books.ask(lambda x: x.work_since(conversation, step, began - upkeep.SECOND))
    rejections = books.ask(lambda x: x.rejections(conversation, step))
    running, dead = upkeep.described(books, session)
    reports, newest = upkeep.reports(books, session)
    item = _ending(event, session, books)
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
        report=_report(turn, session, item) if item else None,
        reports=reports,
        problem=turn.problem or books.trouble or ("" if turn.answered else UNFINISHED),
    )
    return Facts(stop, step, item.id if item else "", newest)


def _report(turn: Turn, session: Session, item: WorkItem) -> Report:
    from agguard.pipeline.handoff import at_stop

    return at_stop(turn, session, item)


def _ending(event: Event, session: Session, books: Books) -> WorkItem | None:
    """Return the task that a child ends with this stop, if it has to report about it."""
    if not session.role.is_child or not event.fully_idle or failed(event):
        return None
    if session.section("handoff").get("mode", "strict") == "off":
        return None
    return books.ask(lambda x: x.held(session.conversation))


def failed(event: Event) -> str:
    """Say why an agent stopped, where it was no normal end."""
    return event.error[:200] or ("" if event.termination in NORMAL else event.termination)


def decide(stop: Stop, session: Session, dispatcher: Dispatcher) -> Outcome:
    """Decide whether an agent may stop; DENY means that it goes on."""
    if session.role == Role.UNKNOWN:
        why = f" ({session.bound_by})" if session.bound_by else ""
        return _allowed(f"not judged: it is not known who stops{why}")
    reasons = dispatcher.judge_stop(stop, session)
    limit = session.section("attention").get("max_rejections", 3)
    if reasons and stop.rejections >= limit:
        from agguard.quantity import counted

        rejections = counted(stop.rejections, "rejection")
        return _allowed(f"yielded after {rejections} in this turn", *reasons)
    if reasons:
        return Outcome(Decision.DENY, reasons)
    return _allowed(stop.problem) if stop.problem else Outcome(Decision.ALLOW)


def tells(stop: Stop, session: Session) -> bool:
    """Whether the reasons for going on name the reports that are not borne out."""
    return not stop.running and session.section("handoff").get("mode", "strict") == "strict"


def ended(  # noqa: PLR0913 - what is known about one stop
    event: Event, facts: Facts, outcome: Outcome, *, session: Session, books: Books, now: float
) -> Outcome:
    """Note the end of a child's task, or its pause; what comes late changes nothing and says so."""
    if not session.role.is_child:
        return outcome
    child = session.conversation
    if not event.fully_idle:
        books.ask(lambda x: x.rest(child, now))
        return outcome
    if books.ask(lambda x: _finish(x, event, facts, outcome, child, now)):
        return outcome
    text = "late: this work had ended before, and nothing was changed"
    return outcome.replace(reasons=(*outcome.reasons, Reason("agguard", text, Decision.ALLOW)))


def _finish(  # noqa: PLR0913, PLR0917 - as above
    ledger: Ledger, event: Event, facts: Facts, outcome: Outcome, child: str, now: float
) -> WorkItem | None:
    """End a child's task with its report, in one transaction."""
    from agguard.pipeline import handoff

    report = facts.stop.report
    overruled = any(reason.decision == Decision.ABSTAIN for reason in outcome.reasons)
    cause = failed(event) or handoff.failure(report, violated=overruled)
    with ledger:
        item = ledger.held(child)
        if report is not None and item is not None and item.id == facts.item:
            way = "stop" if report.text == (facts.stop.last_message or "") else "message"
            ledger.deliver(handoff.delivery(report, item, way, now))
        return ledger.finish(child, now, failure=cause)


def _allowed(text: str, *overruled: Reason) -> Outcome:
    """Let it stop, and keep why."""
    kept = tuple(reason.replace(decision=Decision.ABSTAIN) for reason in overruled)
    return Outcome(Decision.ALLOW, (Reason("agguard", text, Decision.ALLOW), *kept))
