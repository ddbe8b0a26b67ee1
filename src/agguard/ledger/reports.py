"""What children reported about their tasks."""

from __future__ import annotations

from agguard.ledger import turns, work
from agguard.ledger.records import Delivery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.connection import Connection

COLUMNS = "item, issuer, child, at, way, standing, status, summary, detail, body, digest, told, seq"


def store(link: Connection, delivery: Delivery) -> bool:
    """Store a report of open work; inside a transaction.

    Returns:
        False when nothing was stored: the work has ended, or this very report is known.
    """
    where = f"id = ? AND child = ? AND issuer = ? AND status IN ({turns.OPEN})"
    if not work.select(link, where, (delivery.item, delivery.child, delivery.issuer)):
        return False
    same = "SELECT 1 FROM reports WHERE item = ? AND digest = ?"
    if link.row(same, (delivery.item, delivery.digest)):
        return False
    seq = link.number("SELECT max(seq) FROM reports") + 1
    link.add("reports", {**delivery.asdict(), "seq": seq})
    return True


def of(link: Connection, issuer: str, limit: int) -> list[Delivery]:
    """Return the newest reports to a conversation, oldest of them first."""
    sql = f"SELECT {COLUMNS} FROM reports WHERE issuer = ? ORDER BY seq DESC LIMIT ?"  # noqa: S608
    # SQLite's rows are untyped; the query names the fields in the record's order.
    return [Delivery(*row) for row in reversed(link.rows(sql, (issuer, limit)))]  # type: ignore[arg-type]


def tell(link: Connection, issuer: str, seq: int, now: float) -> int:
    """Note that a conversation was told of its reports up to `seq`; return of how many."""
    return link.run(
        "UPDATE reports SET told = ? WHERE issuer = ? AND seq <= ? AND told = 0", (now, issuer, seq)
    )
