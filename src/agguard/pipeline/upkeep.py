"""What every hook does for the ledger beside its own question.

Whoever fires a hook lives; what has been silent for too long is dead; what is over is forgotten;
and what the engine has written down about a conversation's subagents is taken over, for it does
not tell everything by hooks (contract, the table): failed spawns, ends of children, kills, second
tasks.
"""

from __future__ import annotations

from agguard.model.session import Role
from agguard.pipeline import keeping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from agguard.ledger.records import Turn, WorkItem
    from agguard.ledger.store import Ledger
    from agguard.model.event import Event
    from agguard.model.report.reading import Report
    from agguard.model.session import Session
    from agguard.pipeline.books import Books
    from agguard.transcript.calls import Call
    from agguard.transcript.message import Message

TIMEOUT = 86_400
"""Seconds of silence after which work is dead, where the configuration does not say."""

KEPT = 30
"""Days that decisions are kept, where the configuration does not say."""

DAY = 86_400.0

ENDS = {"FAILED": "failed", "TIMED_OUT": "fell silent and was given up"}

SECOND = 1.0
"""The engine stamps messages with whole seconds."""

KILLED = "killed"

SHOWN = 20
"""Reports that an agent's facts hold at the most."""


def sweep(ledger: Ledger, now: float, settings: Mapping[str, Any]) -> None:
    """End the work that has been silent for too long.

    Args:
        ledger: The ledger.
        now: Seconds since the epoch.
        settings: The section `[ledger]`.
    """
    ledger.sweep(now, settings.get("work_timeout", TIMEOUT))


def forget(ledger: Ledger, now: float, settings: Mapping[str, Any]) -> None:
    """Delete a bounded number of rows that are over, at most once a minute."""
    ledger.prune(now, keep_decisions=DAY * settings.get("keep_decisions", KEPT))


def task(ledger: Ledger, event: Event, session: Session, now: float) -> WorkItem | None:
    """Return the open work of a child, taking up a task that its parent sent by message.

    Without open work a child may read and report, but not change anything.
    """
    if not session.role.is_child:
        return None
    return ledger.held(session.conversation) or _resumed(ledger, event, session, now)


def settle(ledger: Ledger, event: Event, session: Session, now: float) -> Turn | None:
    """Take over what the transcript says of the caller's subagents.

    Returns:
        Where the caller's turn stands afterwards; None for one that never delegated.
    """
    if session.role not in (Role.PRIMARY, Role.COORDINATOR):
        return None
    waiting = ledger.running(session.conversation)
    if waiting:
        from agguard.pipeline.evidence import Brain

        if Brain(event.transcript, session.conversation).is_own:
            Record(ledger, session.replace(transcript=event.transcript), waiting).settle(now)
    return ledger.reconcile(session.conversation, now)


def kill(ledger: Ledger, children: Iterable[str], issuer: str, now: float) -> None:
    """End the work of children that their parent has killed, and all that they have started.

    The engine kills descendants, too, and nobody else would hear of it (measured).
    """
    for child in children:
        ended = ledger.finish(child, now, failure=KILLED, issuer=issuer)
        if ended:
            _orphan(ledger, child, now)


def described(books: Books, session: Session) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Say which of the caller's subagents work, and which are dead and not dealt with."""
    if session.role not in (Role.PRIMARY, Role.COORDINATOR):
        return (), ()
    running = books.ask(lambda x: x.running(session.conversation)) or []
    dead = books.ask(lambda x: x.dead(session.conversation)) or []
    return (
        tuple(keeping.name(item) for item in running),
        tuple(
            f"{keeping.name(item)} {ENDS.get(item.status, 'ended')}{_cause(item)}" for item in dead
        ),
    )


def reports(books: Books, session: Session) -> tuple[tuple[Report, ...], int]:
    """Return what the caller's children have reported lately, and the newest one's number."""
    rows = books.ask(lambda x: x.deliveries(session.conversation, SHOWN))
    if not rows:
        return (), 0
    from agguard.pipeline.handoff import recalled

    given = books.ask(lambda x: x.given(session.conversation))
    return recalled(rows, given or ()), rows[-1].seq


def _cause(item: WorkItem) -> str:
    return f" ({item.cause})" if item.cause and item.status == "FAILED" else ""


class Record:
    """What the transcript of a conversation says of its children, back to its oldest open work."""

    def __init__(self, ledger: Ledger, session: Session, waiting: Sequence[WorkItem]) -> None:
        from agguard.transcript.calls import calls
        from agguard.transcript.spawns import spawned_in
        from agguard.transcript.tail import tail

        first = min(item.step for item in waiting)
        # Back to the answer that made the call: a call that could not be parsed has no row.
        read = tail(session.transcript, lambda row: row.step < first and row.by_model)
        self._rows = read.rows
        self._ledger = ledger
        self._session = session
        self._issuer = session.conversation
        self._waiting = waiting
        self._calls = calls(self._rows)
        self._found = spawned_in(self._rows, self._calls, complete=read.found, problem=read.problem)

    def settle(self, now: float) -> None:
        """Bring the work of the children up to it."""
        from agguard.pipeline.inbox import Inbox, letters

        self._start(now)
        inbox = Inbox(self._ledger, self._session)
        for letter in letters(self._rows, self._found.reports):
            at = min(_moment(letter.sent) or now, now)
            item = self._open(letter.child, letter.step, now)
            # A report that is older than the work was about an earlier task of the same child.
            if item and item.created_at < at + SECOND:
                inbox.take(letter, item, at)
        for call in self._calls:
            if call.name == "manage_subagents" and call.result and not call.result.error:
                killed = [c for c in self._killed(call) if self._open(c, call.step, now)]
                kill(self._ledger, killed, self._issuer, now)

    def _start(self, now: float) -> None:
        """Note which spawns the host has carried out, and which have failed."""
        # The engine may have started some children of a call that failed, and names none of
        # them: one that has claimed its work goes on, the others are refused.
        pending = {x.step for x in self._waiting if x.origin == "spawn" and not x.accepted}
        for step in {child.step for child in self._found.children} & pending:
            self._ledger.accept(self._issuer, step, now)
        for failed in self._found.failed:
            if failed.step in pending:
                self._ledger.refuse(self._issuer, failed.step, failed.error[:200], now)

    def _open(self, child: str, before: int, now: float) -> WorkItem | None:
        """Return the open work of a child that was given to it before a step.

        A child that never fired a hook is bound here, by its place in its parent's row.
        """
        item = self._ledger.held(child)
        if item is None and self._ledger.latest(child) is None:
            places = [(x.step, x.position) for x in self._found.children if x.conversation == child]
            unclaimed = self._ledger.unclaimed(self._issuer) if places else []
            own = [x for x in unclaimed if (x.step, x.position) in places]
            item = self._ledger.adopt(own[0].id, child, now) if own else None
        return item if item and item.issuer == self._issuer and item.step < before else None

    def _killed(self, call: Call) -> list[str]:
        """Return the children that a call of `manage_subagents` names or means."""
        action, named = call.args.get("Action"), call.args.get("ConversationIds")
        if action == "kill_all":
            started = [x.conversation for x in self._found.children if x.step < call.step]
            return list(dict.fromkeys([*started, *(x.child for x in self._waiting if x.child)]))
        if action == "kill" and isinstance(named, list):
            return [one for one in named if isinstance(one, str) and one]
        return []


def _orphan(ledger: Ledger, parent: str, now: float) -> None:
    """End what a killed agent has started."""
    for item in ledger.running(parent):
        if item.child:
            kill(ledger, (item.child,), parent, now)
        else:
            ledger.refuse(parent, item.step, KILLED, now)


def _resumed(ledger: Ledger, event: Event, session: Session, now: float) -> WorkItem | None:
    """Open a further item for a message that the parent sent after the last one ended."""
    from agguard.transcript.turns import turn

    last = ledger.latest(session.conversation)
    if last is None:  # it never had a task of its own, so there is none to follow it
        return None
    for message in reversed(turn(event.transcript).messages):
        sent = _moment(message.sent)
        if message.sender != session.parent or not message.step or sent is None:
            continue
        if sent + SECOND <= last.updated_at:
            return None
        return _taken_up(ledger, event, session, message, now)
    return None


def _taken_up(
    ledger: Ledger, event: Event, session: Session, message: Message, now: float
) -> WorkItem | None:
    from agguard.ledger.records import Entry

    parent = session.replace(conversation=session.parent)
    step = _sent_at(event, session, message)
    wanted = keeping.task(parent, session.conversation, message.text, step, now)
    note = Entry(now, session.conversation, "Message", message.step, role=str(session.role))
    found = ledger.resume(wanted, note)
    return found if found and found.status in ("ISSUED", "ACTIVE", "WAITING") else None


def _sent_at(event: Event, session: Session, message: Message) -> int:
    """Return the parent's step that sent a message, for work is counted in its issuer's steps.

    Where the parent's record does not show the call yet, its last step is the next best: what it
    will say of this task comes later, and what it has said was about earlier ones.
    """
    from agguard.pipeline.evidence import Brain
    from agguard.transcript.turns import turn

    brain = Brain(event.transcript, session.conversation)
    read = turn(brain.transcript(session.parent)) if brain.is_own else None
    for call in reversed(read.calls if read else ()):
        if call.name == "send_message" and call.args.get("Message") == message.text:
            return call.step
    return (read.last_step or 0) if read else 0


def _moment(stamp: str) -> float | None:
    from agguard.transcript.moment import epoch

    return epoch(stamp)
