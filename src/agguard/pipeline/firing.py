"""What one firing goes through: who calls, what the guards say, what the ledger keeps."""

from __future__ import annotations

from agguard.model.call import Record, ToolCall
from agguard.model.session import Role
from agguard.model.verdict import Decision, Outcome, Reason
from agguard.pipeline import circumstances, keeping, upkeep
from agguard.pipeline.caller import is_forged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.records import WorkItem
    from agguard.model.call import Spawn
    from agguard.model.event import Event
    from agguard.model.session import Session
    from agguard.pipeline.desk import Desk


def fire(event: Event, desk: Desk) -> Outcome:
    """Decide, record what was decided, and return it.

    Args:
        event: What the host sent.
        desk: What to work with.
    """
    if is_forged(desk.session):
        return _answered(event, desk)
    desk.books.ask(lambda x: upkeep.settle(x, event, desk.session, desk.now))
    outcome = _answered(event, desk)
    if not desk.books.trouble:
        desk.books.ask(lambda x: upkeep.forget(x, desk.now, desk.session.section("ledger")))
    return outcome


def _answered(event: Event, desk: Desk) -> Outcome:
    if event.name == "PreToolUse":
        return _tool(event, desk)
    if event.name == "Stop":
        return _stop(event, desk)
    if event.name in ("PreInvocation", "SessionStart"):
        return _remind(event, desk)
    if event.name == "PostToolUse":
        return _seen(event, desk)
    return Outcome()


def _tool(event: Event, desk: Desk) -> Outcome:
    from agguard.pipeline.tool import ToolPipeline

    session = desk.session
    call = circumstances.known(event.call or ToolCall(""), desk)
    before = _issued(call, desk)
    judged = ToolPipeline(session, desk.dispatcher, desk.host).decide(
        call, tuple(item.token for item in before)
    )
    if judged.outcome.decision == Decision.DENY:
        desk.provisional(judged.outcome)
    desk.dispatcher.observe(Record(event.name, session, call, judged.outcome))
    outcome = _shown(judged.outcome, desk)
    entry = keeping.entry(event, session, outcome, desk.now)
    if outcome.decision == Decision.DENY:
        number = desk.keep(entry)
        # Once more, with what went wrong while recording.
        return _numbered(_shown(judged.outcome, desk), number)
    number = desk.keep(entry, before or _items(call, judged.spawns, desk))
    if judged.spawns and not number:
        return _unissued(outcome, desk)
    _resume(event, desk)
    return _numbered(outcome, number)


def _issued(call: ToolCall, desk: Desk) -> list[WorkItem]:
    """Return the work that an earlier fire of this same call has issued, all of it or nothing."""
    spawns = desk.host.spawns(call)
    if not spawns or is_forged(desk.session):
        return []
    conversation = desk.session.conversation
    known = desk.books.ask(lambda x: x.issued(conversation, call.step)) or []
    return keeping.issued_before(spawns, known)


def _items(call: ToolCall, spawns: tuple[Spawn, ...], desk: Desk) -> list[WorkItem]:
    asked = desk.host.spawns(call) if spawns else ()
    prompts = [spawn.prompt for spawn in asked if not spawn.is_definition]
    return keeping.items(desk.session, spawns, prompts, desk.now)


def _resume(event: Event, desk: Desk) -> None:
    """Open a further task for a finished child that is sent a message.

    A message to the parent is a report, and is taken when the child is at rest: what it does
    after the message counts as well.
    """
    message = desk.host.message(event.call) if event.call else None
    if message is None or is_forged(desk.session) or message[0] == desk.session.parent:
        return
    item = keeping.task(desk.session, message[0], message[1], event.step, desk.now)
    note = keeping.entry(event, desk.session, Outcome(), desk.now).replace(event="Message")
    desk.books.ask(lambda x: x.resume(item, note))


def _stop(event: Event, desk: Desk) -> Outcome:
    from agguard.pipeline import stop

    facts = stop.facts(event, desk.session, desk.books, desk.now)
    outcome = stop.decide(facts.stop, desk.session, desk.dispatcher)
    desk.dispatcher.observe(Record(event.name, desk.session, None, outcome))
    outcome = _shown(outcome, desk)
    goes_on = outcome.decision == Decision.DENY
    if not goes_on and not is_forged(desk.session):
        outcome = stop.ended(
            event, facts, outcome, session=desk.session, books=desk.books, now=desk.now
        )
    entry = keeping.entry(event, desk.session, outcome, desk.now).replace(turn=facts.turn)
    number = desk.keep(entry)
    if not number and goes_on:
        # A rejection that cannot be counted could be repeated for ever.
        text = f"not sent back: {desk.books.trouble}"
        return Outcome(Decision.ALLOW, (Reason("agguard", text, Decision.ALLOW),))
    if goes_on and stop.tells(facts.stop, desk.session):
        _told(desk, facts.newest)
    return _numbered(outcome, number)


def _remind(event: Event, desk: Desk) -> Outcome:
    from agguard.pipeline import invocation

    asked, newest = invocation.facts(event, desk.session, desk.books)
    texts = desk.dispatcher.remind(asked, desk.session)
    outcome = Outcome(messages=tuple(texts), faults=desk.faults)
    entry = keeping.entry(event, desk.session, outcome, desk.now)
    about = entry.subject or invocation.subject(asked.dead)
    desk.keep(entry.replace(turn=_turn(event, desk.session), subject=about))
    if texts:
        _told(desk, newest)
    return outcome


def _told(desk: Desk, newest: int) -> None:
    """Note that an agent was told of the reports of its children, so that it is told once."""
    if newest and not is_forged(desk.session):
        desk.books.ask(lambda x: x.tell(desk.session.conversation, newest, desk.now))


def _turn(event: Event, session: Session) -> int:
    """Return the step of the message that began a primary's turn, at the turn's first model call.

    0 where it is not known; a number that does not rise begins no turn.
    """
    if event.invocation or session.role != Role.PRIMARY:
        return 0
    from agguard.transcript.turns import turn

    return turn(event.transcript).user_step or 0


def _seen(event: Event, desk: Desk) -> Outcome:
    desk.dispatcher.observe(Record(event.name, desk.session, event.call, error=event.error))
    outcome = Outcome(faults=desk.faults)
    if event.call and not is_forged(desk.session):
        _ended(event, event.call, desk)
    if event.error or outcome.faults:
        desk.keep(keeping.entry(event, desk.session, outcome, desk.now))
    else:
        desk.beat()
    return outcome


def _ended(event: Event, call: ToolCall, desk: Desk) -> None:
    """Note what the end of a tool call says of subagents: started, refused, killed."""
    issuer, now = event.conversation, desk.now
    if call.name == "invoke_subagent":
        if event.error:
            desk.books.ask(lambda x: x.refuse(issuer, event.step, event.error[:200], now))
        else:
            desk.books.ask(lambda x: x.accept(issuer, event.step, now))
    if killed := () if event.error else desk.host.killed(call):
        desk.books.ask(lambda x: upkeep.kill(x, killed, issuer, now))


def _shown(outcome: Outcome, desk: Desk) -> Outcome:
    """Attach the faults, show them where a reason is shown, and enforce nothing when observing."""
    reasons = outcome.reasons
    unhealthy = (*desk.problems, *desk.books.faults)
    if outcome.decision > Decision.ALLOW and unhealthy:
        texts = dict.fromkeys(fault.text for fault in unhealthy)
        note = "agguard is not healthy: " + "; ".join(texts) + " (see `agguard doctor`)"
        reasons = (*reasons, Reason("agguard", note, outcome.decision))
    outcome = outcome.replace(reasons=reasons, faults=desk.faults)
    if desk.pause:
        from agguard.pipeline.pause import lifted

        return lifted(outcome, desk.pause)
    if outcome.decision > Decision.ALLOW and _only_observes(desk):
        return outcome.replace(decision=Decision.ALLOW, overwrite={})
    return outcome


def _numbered(outcome: Outcome, number: int) -> Outcome:
    """Add the number by which `agguard why` knows a decision, where its reason is shown."""
    if outcome.decision <= Decision.ALLOW or not number:
        return outcome
    said = Reason("agguard", f"(decision {number})", outcome.decision)
    return outcome.replace(reasons=(*outcome.reasons, said))


def _only_observes(desk: Desk) -> bool:
    return bool(desk.session.section("hooks").get("observe"))


def _unissued(outcome: Outcome, desk: Desk) -> Outcome:
    """Deny a spawn whose token could not be stored: the child would come without rights."""
    if desk.pause or _only_observes(desk):
        return outcome.replace(overwrite={})
    text = f"agguard: the subagent cannot be registered ({desk.books.trouble}); try again"
    reason = Reason("agguard", text, Decision.DENY)
    return outcome.replace(decision=Decision.DENY, reasons=(*outcome.reasons, reason), overwrite={})
