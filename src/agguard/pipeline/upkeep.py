"""What every hook does for the ledger beside its own question.

Whoever fires a hook lives; what has been silent for too long is dead; and what the engine has
written down about a conversation's subagents is taken over (`agguard.pipeline.inbox`).
"""

from __future__ import annotations

from agguard.model.session import Role
from agguard.pipeline import keeping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.ledger.records import Turn, WorkItem
    from agguard.ledger.store import Ledger
    from agguard.model.event import Event
    from agguard.model.session import Session
    from agguard.pipeline.books import Books

ENDS = {"FAILED": "failed", "TIMED_OUT": "fell silent and was given up"}

SECOND = 1.0
"""The engine stamps messages with whole seconds."""


def sweep(ledger: Ledger, now: float, timeout: float) -> None:
    """End the work that has been silent for more than `timeout` seconds."""
    ledger.sweep(now, timeout)


def task(ledger: Ledger, event: Event, session: Session, now: float) -> WorkItem | None:
    """Return the open work of a child, taking up a task that its parent sent by message.

    Without open work a child may read and report, but not change anything.
    """
    if not session.role.is_child:
        return None
    return ledger.held(session.conversation) or _resumed(ledger, event, session, now)


def settle(ledger: Ledger, session: Session, now: float) -> Turn | None:
    """Take over what the transcript says of the caller's subagents.

    Returns:
        Where the caller's turn stands afterwards; None for one that never delegated.
    """
    if session.role not in (Role.PRIMARY, Role.COORDINATOR):
        return None
    waiting = ledger.running(session.conversation)
    if waiting:
        from agguard.pipeline.inbox import Inbox

        Inbox(ledger, session, now).take(waiting)
    return ledger.reconcile(session.conversation, now)


def kill(ledger: Ledger, children: Iterable[str], issuer: str, now: float) -> None:
    """End the work of children that their parent has killed."""
    for child in children:
        ledger.finish(child, now, failure="killed", issuer=issuer)


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


def _cause(item: WorkItem) -> str:
    return f" ({item.cause})" if item.cause and item.status == "FAILED" else ""


def _resumed(ledger: Ledger, event: Event, session: Session, now: float) -> WorkItem | None:
    """Open a further item for a message that the parent sent after the last one ended."""
    from agguard.ledger.records import Entry
    from agguard.transcript.moment import epoch
    from agguard.transcript.turns import turn

    last = ledger.latest(session.conversation)
    if last is None:  # it never had a task of its own, so there is none to follow it
        return None
    for message in reversed(turn(event.transcript).messages):
        sent = epoch(message.sent)
        if message.sender != session.parent or not message.step or sent is None:
            continue
        if sent + SECOND <= last.updated_at:
            break
        wanted = keeping.task(
            session.replace(conversation=session.parent),
            session.conversation,
            message.text,
            message.step,
            now,
        )
        note = Entry(now, session.conversation, "Message", message.step, role=str(session.role))
        found = ledger.resume(wanted, note)
        return found if found and found.status in ("ISSUED", "ACTIVE", "WAITING") else None
    return None
