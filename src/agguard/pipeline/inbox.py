"""What a conversation's record says of its subagents, taken over into the ledger.

The engine does not tell everything by hooks (contract, the table): failed spawns, children that
make no call, ends of children, reports.
"""

from __future__ import annotations

from agguard.model.report.reading import read
from agguard.model.report.schema import role_of
from agguard.model.value import Value
from agguard.pipeline import brain, handoff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.ledger.records import WorkItem
    from agguard.ledger.store import Ledger
    from agguard.model.report.reading import Report
    from agguard.model.session import Session
    from agguard.transcript.row import Row
    from agguard.transcript.spawns import Spawned
    from agguard.transcript.turns import Turn


class Letter(Value):
    """What a child told its parent, at a step of the parent's record."""

    step: int
    child: str
    text: str
    cut: bool
    is_last: bool
    """The engine says that the child went idle with these words."""


class Inbox:
    """Takes over what the record of a parent says.

    Args:
        ledger: Where it goes.
        session: The parent.
        now: Seconds since 1970.
    """

    def __init__(self, ledger: Ledger, session: Session, now: float) -> None:
        self._ledger = ledger
        self._session = session
        self._mode = handoff.mode(session)
        self._now = now

    def take(self, waiting: list[WorkItem]) -> None:
        """Read the record back to where the oldest of the open tasks was given."""
        from agguard.transcript.calls import calls
        from agguard.transcript.spawns import spawned_in
        from agguard.transcript.tail import tail

        since = max(min(item.step for item in waiting) - 1, -1)
        read = tail(self._session.transcript, lambda row: row.step <= since)
        rows = [row for row in read.rows if row.step > since]
        found = spawned_in(rows, calls(rows), complete=False, problem=read.problem)
        self._settle(found, waiting)
        for letter in sorted(_letters(rows, found), key=lambda one: one.step):
            self._receive(letter)

    def _settle(self, found: Spawned, waiting: list[WorkItem]) -> None:
        """Note which tasks were started, by whom, and which were not."""
        issuer = self._session.conversation
        pending = {item.step for item in waiting if not item.accepted}
        unclaimed = {(item.step, item.position): item.id for item in waiting if not item.child}
        for step in {child.step for child in found.children} & pending:
            self._ledger.accept(issuer, step, self._now)
        for child in found.children:
            item = unclaimed.get((child.step, child.position))
            if item:
                self._ledger.adopt(item, child.conversation, self._now)
        for failed in found.failed:
            if failed.step in pending:
                self._ledger.refuse(issuer, failed.step, failed.error, self._now)

    def _receive(self, letter: Letter) -> None:
        item = self._ledger.held(letter.child)
        if item is None or item.issuer != self._session.conversation or item.step >= letter.step:
            return
        if self._mode == "off":
            if letter.is_last:
                self._ledger.finish(item.child, self._now, issuer=item.issuer)
            return
        turn = self._record_of(item)
        if letter.is_last:
            self._end(item, self._last_report(letter, item, turn))
        else:
            self._receive_message(letter, item, turn)

    def _last_report(self, letter: Letter, item: WorkItem, turn: Turn) -> Report:
        """Return the report of a child that went idle: in these words, or in a message before."""
        said = turn.replace(last_message=letter.text, last_message_cut=letter.cut, answered=True)
        child = self._session.replace(
            conversation=item.child,
            role=item.role,
            read_only=item.read_only,
            parent=item.issuer,
            artifact_dir=self._folder(item),
        )
        return handoff.at_stop(said, child, item)

    def _receive_message(self, letter: Letter, item: WorkItem, turn: Turn) -> None:
        """Take a message for the report if it is one, and if the child is at rest in any case.

        The engine writes no row when a child goes idle that has sent a message in its task.
        """
        role = role_of(item)
        report = read(letter.text, role)
        if letter.cut:
            report = handoff.unreadable(letter.text, role)
        elif report.status:
            since = handoff.began(turn, item)
            report = handoff.checked(report, turn, since, self._folder(item))
        if turn.answered or (report.status and not turn.path):
            self._end(item, report)
        elif report.status:
            self._ledger.deliver(handoff.delivery(report, item, "record", self._now))

    def _end(self, item: WorkItem, report: Report) -> None:
        with self._ledger as ledger:
            ledger.deliver(handoff.delivery(report, item, "record", self._now))
            cause = handoff.failure(report, violated=self._mode == "strict")
            ledger.finish(item.child, self._now, failure=cause, issuer=item.issuer)

    def _record_of(self, item: WorkItem) -> Turn:
        from agguard.transcript.turns import turn

        return turn(brain.record(self._session.transcript, item.child))

    def _folder(self, item: WorkItem) -> str:
        return brain.folder(brain.record(self._session.transcript, item.child))


def _letters(rows: list[Row], found: Spawned) -> Iterator[Letter]:
    from agguard.transcript.message import is_conversation, message

    for report in found.reports:
        yield Letter(report.step, report.child, report.text, report.cut, is_last=True)
    for row in rows:
        sent = message(row)
        if sent is not None and is_conversation(sent.sender):
            yield Letter(sent.step, sent.sender, sent.text, sent.cut, is_last=False)
