"""The report with which a subagent of the past ended a task, checked against its own record."""

from __future__ import annotations

from agguard.ledger.records import WorkItem
from agguard.pipeline.handoff import at_stop
from agguard.pipeline.lineage import digest
from agguard.transcript.tail import Tail
from agguard.transcript.turns import turn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.report.reading import Report
    from agguard.model.session import Session
    from agguard.pipeline.past import Ended, Past


def report(one: Past, ended: Ended, session: Session) -> Report | None:
    """Return what a hook would have taken for the report; None where none was due.

    Args:
        one: The subagent's conversation.
        ended: The end of its turn.
        session: The subagent.
    """
    if not session.role.is_child or session.section("handoff").get("mode", "strict") == "off":
        return None
    # Later rows were not there yet.
    rows = tuple(row for row in one.rows if row.step <= ended.step)
    lost = f"{one.lost} of its lines cannot be read" if one.lost else ""
    turn = turn_of(Tail(rows, start=True, problem=lost, path=one.transcript))
    return at_stop(turn, session, _item(ended, session)) if turn.answered else None


def _item(ended: Ended, session: Session) -> WorkItem:
    """Return the task as the ledger would have it."""
    task = ended.task
    return WorkItem(
        id="replayed",
        token="",
        issuer=session.parent,
        step=0,
        position=0,
        digest=digest(task.text) if task else "",
        role=session.role,
        remaining_depth=session.remaining_depth,
        read_only=session.read_only,
        child=session.conversation,
        origin="message" if task else "spawn",
    )
