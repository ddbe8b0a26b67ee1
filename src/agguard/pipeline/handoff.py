"""A child's report: found in what it said, checked against its record, kept with its task.

A child reports with its last message or with `send_message`. Where the host asks a hook about
neither (contract, the table), the report is found in the parent's record when the parent acts next.
"""

from __future__ import annotations

from agguard import jsontext
from agguard.ledger.records import Delivery
from agguard.model.report.reading import Report, read
from agguard.model.report.schema import role_of
from agguard.pipeline import keeping
from agguard.pipeline.lineage import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.ledger.records import WorkItem
    from agguard.model.session import Session
    from agguard.pipeline.books import Books
    from agguard.transcript.turns import Turn

SEND = "send_message"
VIOLATION = "payload violation"
SHOWN = 20
"""Reports that an agent's facts hold at the most."""


def mode(session: Session) -> str:
    """Return how strictly reports are taken: off, advise or strict."""
    return str(session.section("handoff").get("mode", "strict"))


def at_stop(turn: Turn, session: Session, item: WorkItem) -> Report:
    """Return the report with which a child ends its task.

    That is its last message if it is one, else the last message to its parent that is one. A last
    message that is none is returned with its problems.
    """
    since = began(turn, item)
    if turn.last_message is None or not turn.answered:
        problem = turn.problem or "its transcript does not hold its last message"
        last = Report("", role_of(session), unproven=(f"its report is not known: {problem}",))
    elif turn.last_message_cut:
        last = _unreadable(turn.last_message, role_of(session))
    else:
        last = read(turn.last_message, role_of(session))
    if last.status:
        return checked(last, turn, since, session.artifact_dir)
    sent = (read(text, role_of(session)) for text in _sent(turn, session.parent, since))
    found = next((report for report in sent if report.status), None)
    return checked(found, turn, since, session.artifact_dir) if found else last


def began(turn: Turn, item: WorkItem) -> int:
    """Return the step of a child's record at which its present task begins; -1 for the first one.

    A task that came by message is found by its text, or else by being the newest message.
    """
    if item.origin == "spawn":
        return -1
    own = [one for one in turn.messages if one.sender == item.issuer]
    same = [one.step for one in own if digest(one.text) == item.digest]
    return max(same or [one.step for one in own], default=-1)


def checked(report: Report, turn: Turn, since: int, folder: str) -> Report:
    """Return a report with the claims that the child's record does not bear out."""
    from agguard.pipeline.claims import unproven

    if report.problems:
        return report
    return report.replace(unproven=unproven(report, turn, since, folder))


def delivery(report: Report, item: WorkItem, way: str, now: float) -> Delivery:
    """Make the row of a report, with every secret taken out."""
    return Delivery(
        item=item.id,
        issuer=item.issuer,
        child=item.child,
        at=now,
        way=way,
        standing=report.standing,
        status=report.status,
        summary=keeping.clean(report.summary),
        detail=jsontext.dumps([keeping.clean(one) for one in report.problems or report.unproven]),
        body=jsontext.dumps(keeping.cleaned(report.document)),
        digest=digest(report.text),
    )


def failure(report: Report | None, *, violated: bool) -> str:
    """Say why a task with this report has failed; empty when it has not.

    Args:
        report: The report, if there is one.
        violated: Whether a text that is no report counts as a failure.
    """
    if report is None:
        return ""
    if report.problems:
        return f"{VIOLATION}: {report.problems[0]}"[:200] if violated else ""
    if report.status == "failed":
        kind = report.document.get("failure_kind", "")
        return keeping.clean(f"reported {kind}: {report.summary}")[:200]
    return ""


def known(books: Books, session: Session) -> tuple[tuple[Report, ...], int]:
    """Return what a conversation's children have reported lately, and the newest one's number."""
    rows = books.ask(lambda x: x.deliveries(session.conversation, SHOWN)) or []
    if not rows:
        return (), 0
    items = {one.id: one for one in books.ask(lambda x: x.given(session.conversation)) or []}
    return tuple(_recalled(row, items.get(row.item)) for row in rows), rows[-1].seq


def _unreadable(text: str, role: str) -> Report:
    """Return the report of a text that the host has shortened, so that nobody can read it."""
    return Report(text, role, unproven=("the host shortened it, so it cannot be read",))


def _sent(turn: Turn, parent: str, since: int) -> Iterable[str]:
    """Yield what a child has sent to its parent in its task, the newest first."""
    for call in reversed(turn.calls):
        if call.name != SEND or call.step <= since or call.args.get("Recipient") != parent:
            continue
        text = call.args.get("Message")
        if isinstance(text, str) and not (call.result and call.result.denied):
            yield text


def _recalled(row: Delivery, item: WorkItem | None) -> Report:
    """Return a stored report as the parent's guards see it."""
    detail = tuple(map(str, jsontext.loads(row.detail)))
    invalid = row.standing == "invalid"
    return Report(
        "",
        role_of(item) if item else "",
        jsontext.loads(row.body),
        problems=detail if invalid else (),
        unproven=() if invalid else detail,
        who=keeping.name(item) if item else "subagent",
        is_new=not row.told,
    )
