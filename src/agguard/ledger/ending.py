"""What becomes of work: started, waiting, finished, failed, silent, taken up again.

The host tells it in several ways and in any order: a child's own hooks, its stop, rows of the
parent's transcript. Every way comes here, and whatever comes second finds the item moved and
changes nothing.
"""

from __future__ import annotations

from agguard.ledger import conversations, turns, work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.connection import Connection
    from agguard.ledger.fsm import TurnEvent
    from agguard.ledger.records import WorkItem

BATCH = 200
"""Items that one sweep ends at the most, so that no hook pays for a long absence."""

SILENT = f"status IN ({turns.OPEN}) AND updated_at < ?"


def accept(link: Connection, issuer: str, step: int, now: float) -> int:
    """Note that the host has started the work of a step; return how many items that concerns."""
    where = "issuer = ? AND step = ? AND status = 'ISSUED' AND accepted = 0"
    items = work.select(link, f"{where} ORDER BY issued_seq", (issuer, step))
    for item in items:
        link.run("UPDATE work_items SET accepted = 1, updated_at = ? WHERE id = ?", (now, item.id))
        turns.advance(link, work.happened("HANDOFF_ACCEPTED", item, now, "ISSUED"))
    return len(items)


def fail(link: Connection, item: WorkItem, cause: str, now: float) -> bool:
    """End an open item that did not end well: not started, an error, killed."""
    started = item.status != "ISSUED" or item.child
    event: TurnEvent = "WORK_FAILED" if started else "HANDOFF_FAILED"
    return work.move(link, work.happened(event, item, now, "FAILED", cause))


def refuse(link: Connection, issuer: str, step: int, cause: str, now: float) -> list[WorkItem]:
    """End what a step has issued and no child holds: the host did not start it."""
    where = "issuer = ? AND step = ? AND status = 'ISSUED' AND child = '' ORDER BY issued_seq"
    items = work.select(link, where, (issuer, step))
    return [item for item in items if fail(link, item, cause, now)]


def rest(link: Connection, child: str, now: float) -> WorkItem | None:
    """Note that a child has stopped and waits for its own work."""
    item = work.held(link, child)
    if item is None:
        return None
    active = work.awaken(link, item, now)
    work.move(link, work.happened("WORK_WAITING", active, now, "WAITING"))
    return work.get(link, item.id)


def finish(link: Connection, item: WorkItem, failure: str, now: float) -> WorkItem | None:
    """End the item that a child holds; None when something else has ended it before."""
    if failure:
        ended = fail(link, item, failure, now)
    else:
        active = work.awaken(link, item, now)
        ended = work.move(link, work.happened("WORK_FINISHED", active, now, "TERMINATED"))
    return work.get(link, item.id) if ended else None


def sweep(link: Connection, now: float, timeout: float) -> list[WorkItem]:
    """End what has been silent for longer than `timeout`; return it."""
    silent = (now - timeout,)
    if not link.rows(f"SELECT 1 FROM work_items WHERE {SILENT} LIMIT 1", silent):  # noqa: S608
        return []  # the usual case costs no transaction
    with link:
        items = work.select(link, f"{SILENT} ORDER BY updated_at LIMIT {BATCH}", silent)
        for item in items:
            work.move(link, work.happened("WORK_SWEPT", item, now, "TIMED_OUT", "silent"))
    return items


def resume(link: Connection, wanted: WorkItem, turn: int, now: float) -> WorkItem | None:
    """Open a further item for a child that its own parent has sent a message to.

    A child with an open item keeps that one. The rights are those that the child is bound to.
    """
    child = conversations.find(link, wanted.child)
    if child is None or child.parent != wanted.issuer or not child.role.is_child:
        return None
    found = work.held(link, child.id) or work.fired(link, wanted)
    if found is not None:
        return found
    return work.insert(
        link,
        wanted.replace(
            token="",
            origin="message",
            accepted=True,
            role=child.role,
            remaining_depth=child.remaining_depth,
            read_only=child.read_only,
        ),
        turn,
        now,
    )


def dead(link: Connection, issuer: str) -> list[WorkItem]:
    """Return the failed and silent work that a conversation has not dealt with yet."""
    was = turns.current(link, issuer)
    where = "issuer = ? AND status IN ('FAILED', 'TIMED_OUT') AND ended_seq > ? ORDER BY ended_seq"
    return work.select(link, where, (issuer, was.answered if was else 0))
