"""Reports that a parent's record holds, for children whose ends no hook has told."""

from __future__ import annotations

import os

from agguard.model.value import Value
from agguard.pipeline import handoff
from agguard.pipeline.evidence import Brain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.ledger.records import WorkItem
    from agguard.ledger.store import Ledger
    from agguard.model.report.reading import Report
    from agguard.model.session import Session
    from agguard.transcript.row import Row
    from agguard.transcript.spawns import Report as Row_Report
    from agguard.transcript.turns import Turn


class Letter(Value):
    """What a child told its parent, at a step of the parent's record."""

    step: int
    child: str
    text: str
    sent: str
    """When, as the engine writes it."""
    cut: bool
    is_last: bool
    """The engine says that the child went idle with these words."""


def letters(rows: Iterable[Row], reports: Iterable[Row_Report]) -> list[Letter]:
    """Return what children have told, in the order of steps.

    The engine writes no row when a child goes idle that has sent a message in its task, so
    messages of children count as well.
    """
    from agguard.transcript.message import is_conversation, message

    told = [
        Letter(one.step, one.child, one.text, one.sent, one.cut, is_last=True) for one in reports
    ]
    for row in rows:
        sent = message(row)
        if sent is not None and is_conversation(sent.sender):
            told.append(
                Letter(sent.step, sent.sender, sent.text, sent.sent, sent.cut, is_last=False)
            )
    return sorted(told, key=lambda one: one.step)


class Inbox:
    """Takes a parent's letters as reports about open tasks.

    Args:
        ledger: Where they are kept.
        session: The parent.
    """

    def __init__(self, ledger: Ledger, session: Session) -> None:
        self._ledger = ledger
        self._session = session
        self._mode = handoff.mode(session)
        self._brain = Brain(session.transcript, session.conversation)

    def take(self, letter: Letter, item: WorkItem, at: float) -> None:
        """Take a letter about the task `item` for its report, if the child is at rest.

        A child that works on may still change what it has reported, or report anew.
        """
        if self._mode == "off":
            if letter.is_last:
                self._ledger.finish(item.child, at, issuer=item.issuer)
            return
        turn = self._record_of(item)
        if letter.is_last:
            turn = turn.replace(
                last_message=letter.text, last_message_cut=letter.cut, answered=True
            )
        if turn.answered:
            self._end(item, handoff.at_stop(turn, self._as_child(item), item), at)

    def _as_child(self, item: WorkItem) -> Session:
        """Return the session that the child's own hooks would have."""
        record = self._brain.transcript(item.child)
        return self._session.replace(
            conversation=item.child,
            role=item.role,
            read_only=item.read_only,
            parent=item.issuer,
            # Its record lies in its artifact folder (contract, section 8).
            artifact_dir=os.path.dirname(os.path.dirname(os.path.dirname(record))),
        )

    def _end(self, item: WorkItem, report: Report, at: float) -> None:
        with self._ledger as ledger:
            ledger.deliver(handoff.delivery(report, item, "record", at))
            cause = handoff.failure(report, violated=self._mode == "strict")
            ledger.finish(item.child, at, failure=cause, issuer=item.issuer)

    def _record_of(self, item: WorkItem) -> Turn:
        from agguard.transcript.turns import turn

        return turn(self._brain.transcript(item.child))
