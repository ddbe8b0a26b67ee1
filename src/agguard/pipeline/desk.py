"""What every firing works with, and how it writes into the ledger."""

from __future__ import annotations

import time

from agguard.model.value import Value
from agguard.pipeline import keeping
from agguard.pipeline.answers import kept
from agguard.pipeline.caller import is_forged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agguard.dispatch.dispatcher import Dispatcher
    from agguard.hosts.port import Host
    from agguard.ledger.records import Entry, WorkItem
    from agguard.ledger.store import Ledger
    from agguard.model.session import Session
    from agguard.model.verdict import Fault, Outcome
    from agguard.pipeline.books import Books
    from agguard.pipeline.pause import Pause


class Desk(Value):
    """What every firing works with."""

    dispatcher: Dispatcher
    host: Host
    books: Books
    now: float
    """Seconds since the epoch."""
    session: Session
    pause: Pause | None = None
    """While it holds, nothing is enforced."""
    problems: tuple[Fault, ...] = ()
    """What was already wrong when the hook began, such as a broken configuration."""
    provisional: Callable[[Outcome], None] = lambda _: None
    """Told of a deny before it is recorded, in case recording ends the process."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Everything that went wrong so far."""
        return (*self.problems, *self.books.faults, *self.dispatcher.faults)

    def keep(self, entry: Entry, items: Sequence[WorkItem] = ()) -> int:
        """Record a decision, with the work that it lets start, in one transaction.

        A forged call is recorded as such and moves nothing.

        Returns:
            The decision's number; 0 when it was not recorded.
        """
        full = entry.replace(
            answers=kept(self.dispatcher.answers),
            micros=max(0, int((time.time() - self.now) * 1_000_000)),
        )
        if is_forged(self.session):
            inert = keeping.inert(full, self.session)
            return self.books.ask(lambda x: x.record(inert)) or 0

        def write(ledger: Ledger) -> int:
            with ledger:
                if _is_alive(full):
                    ledger.touch(full.conversation, self.now)
                if not items:
                    return ledger.record(full)
                ledger.issue(items, full)
                return ledger.entries(conversation=full.conversation, limit=1)[0].seq

        return self.books.ask(write) or 0

    def beat(self) -> None:
        """Note that a child lives, where nothing else is recorded of it."""
        if self.session.role.is_child and not is_forged(self.session):
            self.books.ask(lambda x: x.touch(self.session.conversation, self.now))


def _is_alive(entry: Entry) -> bool:
    """Whether the event shows that the caller goes on; one that stops may wait or have ended."""
    return entry.event != "Stop" or entry.decision == "deny"
