"""The audit log, and what is counted in it."""

from __future__ import annotations

from agguard.ledger import conversations, turns
from agguard.ledger.records import Entry, Fact
from agguard.model.effect import Effect
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.ledger.connection import Connection, Scalar

COLUMNS = (
    "at, conversation, event, step, turn, tool, subject, effect, decision, reasons, faults,"
    " micros, role, inert, answers, seq"
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


def work_since(link: Connection, conversation: str, step: int, began: float) -> Effect:
    """Return what the calls of a conversation after `step` did, joined; a denied call did nothing.

    What was decided before the time `began` does not count either.

    A call that the user was asked about counts: nobody tells us how the user answered.
    """
    joined = Effect(0)
    for (effect,) in link.rows(
        "SELECT DISTINCT effect FROM decisions WHERE event = 'PreToolUse' AND decision <> 'deny'"
        " AND inert = 0 AND conversation = ? AND step > ? AND at >= ?",
        (conversation, step, began),
    ):
        joined |= Effect(int(effect or 0))
    return joined


class Wanted(Value):
    """Which entries are wanted; what is empty or None does not count."""

    conversation: str = ""
    since: float | None = None
    until: float | None = None
    decision: str = ""
    """A word like `deny`: what came of it, or what a guard said where nothing was enforced."""
    guard: str = ""
    """A guard, or a plugin with all of its parts: who said something, or failed."""
    after: int = 0
    """The number of an entry that is known already."""
    seq: int = 0
    """The number of the only one that is wanted."""
    without: str = ""
    """A conversation that is left out, unless it is the one that is wanted."""


def entries(link: Connection, wanted: Wanted, limit: int) -> list[Entry]:
    """Return entries, newest first, as far as the filters let them through."""
    clauses: dict[str, tuple[Scalar, ...]] = {}
    if wanted.conversation:
        clauses["conversation = ?"] = (wanted.conversation,)
    elif wanted.without:
        clauses["conversation <> ?"] = (wanted.without,)
    if wanted.since is not None:
        clauses["at >= ?"] = (wanted.since,)
    if wanted.until is not None:
        clauses["at < ?"] = (wanted.until,)
    if wanted.decision:
        clauses["(decision = ? OR instr(reasons, ?))"] = (wanted.decision, f'"{wanted.decision}"')
    if wanted.guard:
        # Inside a text of the JSON a quote is escaped, so this finds whole names only.
        names = (f'"{wanted.guard}"', f'"{wanted.guard}.')
        said = " OR ".join(["instr(reasons || answers || faults, ?)"] * len(names))
        clauses[f"({said})"] = names
    if wanted.after:
        clauses["seq > ?"] = (wanted.after,)
    if wanted.seq:
        clauses["seq = ?"] = (wanted.seq,)
    where = " AND ".join(clauses) or "1"
    args = [arg for some in clauses.values() for arg in some]
    sql = f"SELECT {COLUMNS} FROM decisions WHERE {where} ORDER BY seq DESC LIMIT ?"  # noqa: S608
    return [value(row) for row in link.rows(sql, (*args, limit))]


def counts(link: Connection, since: float, without: str = "") -> dict[tuple[str, str], int]:
    """Return how often each event was decided how, as (event, decision), from a time on.

    Args:
        link: The ledger.
        since: The time.
        without: A conversation that is left out.
    """
    found: list[Any] = link.rows(
        "SELECT event, decision, count(*) FROM decisions WHERE at >= ? AND inert = 0"
        " AND conversation NOT IN ('', ?) GROUP BY event, decision",
        (since, without),
    )
    return {(event, decision): count for event, decision, count in found}


def named(link: Connection, beginning: str) -> list[str]:
    """Return the conversations with a decision whose ids begin like this."""
    sql = "SELECT DISTINCT conversation FROM decisions WHERE substr(conversation, 1, ?) = ?"
    return [str(name) for (name,) in link.rows(sql, (len(beginning), beginning))]
