"""What a reminder is made of: the facts about a model call that is about to happen."""

from __future__ import annotations

from agguard.model.call import Failures, Invocation
from agguard.model.verdict import Decision
from agguard.pipeline import keeping, upkeep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.records import Entry
    from agguard.model.event import Event
    from agguard.model.session import Session
    from agguard.pipeline.books import Books

MOST = 50
"""Entries of the log that are looked at."""


def facts(event: Event, session: Session, books: Books) -> tuple[Invocation, int]:
    """Gather what a model call is reminded of.

    Returns:
        The facts, and the number of the newest report among them.
    """
    running, dead = upkeep.described(books, session)
    before = _newest(session, books)
    last = _last_told(session, books) if dead else None
    reports, newest = upkeep.reports(books, session)
    found = Invocation(
        event.name,
        event.invocation,
        repeated=_is_same(before, event),
        rejected=_is_rejection(before),
        running=running,
        dead=dead,
        dead_is_new=last is None or last.subject != subject(dead),
        reports=reports,
        failures=_failures(session, books),
    )
    return found, newest


def subject(dead: tuple[str, ...]) -> str:
    """Return what a model call is filed under: the dead of which it was reminded."""
    return keeping.clean("; ".join(dead))


def _last_told(session: Session, books: Books) -> Entry | None:
    """Return the entry of the caller's last model call; None where it is long ago."""
    found = books.ask(lambda x: x.entries(conversation=session.conversation, limit=MOST)) or []
    return next((one for one in found if one.event in ("PreInvocation", "SessionStart")), None)


def _failures(session: Session, books: Books) -> Failures:
    if not session.role.is_child or session.section("escalation").get("mode", "advise") == "off":
        return Failures()
    from agguard.pipeline.failures import failures

    return failures(session, books)


def _newest(session: Session, books: Books) -> Entry | None:
    """Return the last thing that the caller's hooks have recorded."""
    found = books.ask(lambda x: x.entries(conversation=session.conversation, limit=1))
    return found[0] if found else None


def _is_same(before: Entry | None, event: Event) -> bool:
    """Whether this call was announced already; the count of steps tells one from the next."""
    return (
        before is not None
        and before.event == event.name
        and before.step == event.step
        and event.step > 0
    )


def _is_rejection(before: Entry | None) -> bool:
    return before is not None and before.event == "Stop" and before.decision == Decision.DENY.word
