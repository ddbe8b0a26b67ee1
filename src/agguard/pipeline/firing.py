"""What one firing goes through: who calls, what the guards say, what the ledger keeps."""

from __future__ import annotations

from agguard.model.call import Invocation, Record, ToolCall
from agguard.model.value import Value
from agguard.model.verdict import Decision, Fault, Outcome, Reason
from agguard.pipeline import keeping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.dispatch.dispatcher import Dispatcher
    from agguard.hosts.port import Host
    from agguard.model.event import Event
    from agguard.model.session import Session
    from agguard.pipeline.books import Books


class Desk(Value):
    """What every firing works with."""

    dispatcher: Dispatcher
    host: Host
    books: Books
    now: float
    """Seconds since the epoch."""
    problems: tuple[Fault, ...] = ()
    """What was already wrong when the hook began, such as a broken configuration."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Everything that went wrong so far."""
        return (*self.problems, *self.books.faults, *self.dispatcher.faults)


def fire(
    event: Event, session: Session, desk: Desk, provisional: Callable[[Outcome], None]
) -> Outcome:
    """Decide, record what was decided, and return it.

    Args:
        event: What the host sent.
        session: Who fired it.
        desk: What to work with.
        provisional: Told of a deny before it is recorded, in case recording ends the process.
    """
    if event.name == "PreToolUse":
        return _tool(event, session, desk, provisional)
    if event.name == "Stop":
        return _stop(event, session, desk)
    if event.name in ("PreInvocation", "SessionStart"):
        return _remind(event, session, desk)
    if event.name == "PostToolUse":
        return _seen(event, session, desk)
    return Outcome()


def _tool(
    event: Event, session: Session, desk: Desk, provisional: Callable[[Outcome], None]
) -> Outcome:
    from agguard.pipeline.tool import ToolPipeline

    call = event.call or ToolCall("")
    spawning = bool(desk.host.spawns(call))
    before = desk.books.ask(lambda x: x.issued(session.conversation, call.step)) if spawning else []
    judged = ToolPipeline(session, desk.dispatcher, desk.host).decide(
        call, tuple(item.token for item in before or ())
    )
    if judged.outcome.decision == Decision.DENY:
        provisional(judged.outcome)
    desk.dispatcher.observe(Record(event.name, session, call, judged.outcome))
    outcome = _with_problems(judged.outcome, session, desk)
    entry = keeping.entry(event, session, outcome, desk.now)
    if not judged.spawns or outcome.decision == Decision.DENY:
        desk.books.ask(lambda x: x.record(entry))
        # What went wrong while recording belongs into the reason, too.
        return _with_problems(judged.outcome, session, desk)
    prompts = [spawn.prompt for spawn in desk.host.spawns(call)]
    items = keeping.items(session, judged.spawns, prompts, desk.now)
    desk.books.ask(lambda x: x.issue(items, entry))
    return _unissued(outcome, session, desk) if desk.books.faults else outcome


def _stop(event: Event, session: Session, desk: Desk) -> Outcome:
    from agguard.pipeline import stop

    facts, turn = stop.facts(event, session, desk.books)
    outcome = stop.decide(facts, session, desk.dispatcher)
    desk.dispatcher.observe(Record(event.name, session, None, outcome))
    outcome = _with_problems(outcome, session, desk)
    entry = keeping.entry(event, session, outcome, desk.now).replace(turn=turn)
    if desk.books.ask(lambda x: x.record(entry)) is None and outcome.decision == Decision.DENY:
        # A rejection that cannot be counted could be repeated for ever.
        text = f"not sent back: {desk.books.trouble}"
        return Outcome(Decision.ALLOW, (Reason("agguard", text, Decision.ALLOW),))
    return outcome


def _remind(event: Event, session: Session, desk: Desk) -> Outcome:
    texts = desk.dispatcher.remind(Invocation(event.name, event.invocation), session)
    outcome = Outcome(messages=tuple(texts), faults=desk.faults)
    if texts or outcome.faults:
        desk.books.ask(lambda x: x.record(keeping.entry(event, session, outcome, desk.now)))
    return outcome


def _seen(event: Event, session: Session, desk: Desk) -> Outcome:
    desk.dispatcher.observe(Record(event.name, session, event.call, error=event.error))
    outcome = Outcome(faults=desk.faults)
    if event.error or outcome.faults:
        desk.books.ask(lambda x: x.record(keeping.entry(event, session, outcome, desk.now)))
    return outcome


def _with_problems(outcome: Outcome, session: Session, desk: Desk) -> Outcome:
    """Attach the faults, show them where a reason is shown, and enforce nothing when observing."""
    reasons = outcome.reasons
    if outcome.decision > Decision.ALLOW and (desk.problems or desk.books.faults):
        texts = dict.fromkeys(fault.text for fault in (*desk.problems, *desk.books.faults))
        note = "agguard is not healthy: " + "; ".join(texts) + " (see `agguard doctor`)"
        reasons = (*reasons, Reason("agguard", note, outcome.decision))
    outcome = outcome.replace(reasons=reasons, faults=desk.faults)
    if outcome.decision > Decision.ALLOW and _only_observes(session):
        return outcome.replace(decision=Decision.ALLOW, overwrite={})
    return outcome


def _only_observes(session: Session) -> bool:
    return bool(session.section("hooks").get("observe"))


def _unissued(outcome: Outcome, session: Session, desk: Desk) -> Outcome:
    """Deny a spawn whose token could not be stored: the child would come without rights."""
    if _only_observes(session):
        return outcome
    text = f"agguard: the subagent cannot be registered ({desk.books.trouble}); try again"
    reason = Reason("agguard", text, Decision.DENY)
    return outcome.replace(decision=Decision.DENY, reasons=(*outcome.reasons, reason), overwrite={})
