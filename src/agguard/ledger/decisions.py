"""The audit log, and what is counted in it."""

from __future__ import annotations

from agguard.ledger import conversations, turns
from agguard.ledger.records import Entry, Fact
from agguard.model.effect import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.ledger.connection import Connection, Scalar

COLUMNS = (
    "at, conversation, event, step, turn, tool, subject, effect, decision, reasons, faults,"
    " micros, role, inert, seq"
)

SENT_BACK = ("deny", "continue")
"""Decisions about a stop that make the agent go on: agguard's word and the host's."""


def value(row: Any) -> Entry:  # noqa: ANN401 - a row as SQLite gives it
    """Return the value of a row of COLUMNS."""
    fields = [*row]
    fields[13] = bool(fields[13])
    return Entry(*fields)


def record(link: Connection, entry: Entry) -> int:
    """Append an entry and let its turn take part; inside a transaction."""
    seq = link.number("SELECT max(seq) FROM decisions") + 1
    link.add("decisions", {**entry.asdict(), "inert": int(entry.inert), "seq": seq})
    return seq


def follow(link: Connection, entry: Entry) -> None:
    """Let the caller's turn begin, and stop, as the entry says; inside a transaction."""
    if entry.inert or not entry.conversation:
        return
    conversations.see(link, entry.conversation, entry.at)
    turns.begin(link, entry.conversation, entry.turn, entry.at)
    if turns.current(link, entry.conversation) is None:
        return
    if entry.event == "Stop":
        back = entry.decision in SENT_BACK
        stopped = Fact("STOP_REJECTED" if back else "STOP_ALLOWED", entry.conversation, entry.at)
        turns.advance(link, stopped)
    elif entry.event == "PreToolUse" and entry.decision == "deny":
        turns.advance(link, Fact("TOOL_DENIED", entry.conversation, entry.at))


def rejections(link: Connection, conversation: str, turn: int) -> int:
    """Return how often in a row the stops of this turn were sent back, up to now."""
    stops = (
        "SELECT {} FROM decisions WHERE event = 'Stop' AND inert = 0"
        " AND conversation = ? AND turn = ?"
    )
    marks = ", ".join("?" * len(SENT_BACK))
    last = link.number(
        stops.format("max(seq)") + f" AND decision NOT IN ({marks})",
        (conversation, turn, *SENT_BACK),
    )
    return link.number(stops.format("count(*)") + " AND seq > ?", (conversation, turn, last))


def work_since(link: Connection, conversation: str, step: int) -> Effect:
    """Return what the calls of a conversation after `step` did, joined; a denied call did nothing.

    A call that the user was asked about counts: nobody tells us how the user answered.
    """
    joined = Effect(0)
    for (effect,) in link.rows(
        "SELECT DISTINCT effect FROM decisions WHERE event = 'PreToolUse' AND decision <> 'deny'"
        " AND inert = 0 AND conversation = ? AND step > ?",
        (conversation, step),
    ):
        joined |= Effect(int(effect or 0))
    return joined


def entries(
    link: Connection,
    *,
    conversation: str = "",
    since: float | None = None,
    decision: str = "",
    limit: int = 100,
) -> list[Entry]:
    """Return entries, newest first, as far as the filters let them through."""
    given = {
        "conversation = ?": conversation or None,
        "at >= ?": since,
        "decision = ?": decision or None,
    }
    args: dict[str, Scalar] = {clause: arg for clause, arg in given.items() if arg is not None}
    where = " AND ".join(args) or "1"
    sql = f"SELECT {COLUMNS} FROM decisions WHERE {where} ORDER BY seq DESC LIMIT ?"  # noqa: S608
    rows = link.rows(sql, (*args.values(), limit))
    return [value(row) for row in rows]
