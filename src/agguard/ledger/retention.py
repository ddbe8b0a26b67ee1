"""Forgets what is over, a bounded batch at a time, and never shrinks the file.

Freed pages are used again; compacting the file takes a lock and time, and is nothing for a hook.
"""

from __future__ import annotations

from agguard.ledger import turns
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.connection import Connection

INTERVAL = 60.0
"""Seconds between two sweeps, while they find less than a batch."""

ENDED = "'TERMINATED', 'FAILED', 'TIMED_OUT'"
"""Spelled as in the schema's partial index."""

OVER = f"""
SELECT id FROM work_items AS w WHERE status IN ({ENDED}) AND updated_at < ?
    AND ended_seq <= coalesce((
        SELECT answered FROM turns WHERE conversation = w.issuer ORDER BY turn DESC LIMIT 1
    ), ended_seq)
ORDER BY updated_at LIMIT ?
"""  # noqa: S608 - constants
"""Ended work, unless its issuer's turn still has to deal with it."""

PAST = """
SELECT conversation, turn FROM turns AS t WHERE updated_at < ? AND EXISTS (
    SELECT 1 FROM turns AS n WHERE n.conversation = t.conversation AND n.turn > t.turn)
ORDER BY updated_at LIMIT ?
"""
"""Turns that a later one has followed."""

DEAD = f"""
SELECT conversation FROM turns AS t WHERE updated_at < ?1
    AND NOT EXISTS (
        SELECT 1 FROM turns AS n WHERE n.conversation = t.conversation AND n.turn > t.turn)
    AND NOT EXISTS (
        SELECT 1 FROM conversations WHERE id = t.conversation AND last_seen >= ?1)
    AND NOT EXISTS (
        SELECT 1 FROM work_items WHERE issuer = t.conversation AND status IN ({turns.OPEN}))
ORDER BY updated_at LIMIT ?2
"""  # noqa: S608 - constants
"""The last turns of conversations that are silent and wait for nothing."""

GONE = """
SELECT id FROM conversations AS c WHERE id > ?1 AND last_seen < ?2
    AND NOT EXISTS (SELECT 1 FROM turns WHERE conversation = c.id)
    AND NOT EXISTS (SELECT 1 FROM tokens WHERE claimed_by = c.id)
    AND NOT EXISTS (SELECT 1 FROM work_items WHERE issuer = c.id)
    AND NOT EXISTS (SELECT 1 FROM work_items WHERE child = c.id AND child <> '')
    AND id <= ?3
"""


class Keep(Value):
    """How much is kept; `Ledger.prune` says what of."""

    state: float
    decisions: float
    max_bytes: int
    batch: int


def prune(link: Connection, now: float, keep: Keep) -> int:
    """Forget up to a batch of rows of each kind; return how many. Does nothing when just done."""
    batch = keep.batch
    if 0 <= now - mark(link, "pruned_at") < INTERVAL:
        return 0
    with link:
        state, log = now - keep.state, now - keep.decisions
        if used(link) > keep.max_bytes:
            log = float("inf")  # the oldest rows go, however young they are
        counts = (
            prefix(link, "decisions", log, batch),
            prefix(link, "events", log, batch),
            past_turns(link, state, batch),
            dead_turns(link, state, now, batch),
            ended_work(link, state, batch),
        )
        silent = conversations_gone(link, now - max(keep.decisions, keep.state), batch)
        if max(counts) < batch and used(link) <= keep.max_bytes:
            put(link, "pruned_at", now)
    return sum(counts) + silent


def mark(link: Connection, name: str) -> float:
    """Return a number that an earlier sweep has left."""
    found = link.row("SELECT value FROM marks WHERE name = ?", (name,))
    return float(found[0] or 0) if found else 0.0


def put(link: Connection, name: str, value: float | str) -> None:
    """Leave something for the next sweep."""
    link.run("INSERT OR REPLACE INTO marks VALUES (?, ?)", (name, value))


def used(link: Connection) -> int:
    """Return the bytes that hold data."""
    pages = link.number("PRAGMA page_count") - link.number("PRAGMA freelist_count")
    return pages * link.number("PRAGMA page_size")


def prefix(link: Connection, table: str, before: float, batch: int) -> int:
    """Delete the oldest rows of a log, up to the first that is younger, but never the newest.

    The newest row keeps the numbering going; a log without holes can be replayed.
    """
    oldest = f"SELECT seq, at FROM {table} ORDER BY seq LIMIT ?"  # noqa: S608 - a constant
    rows = link.rows(oldest, (batch + 1,))
    last = 0
    for seq, at in rows[:-1]:
        if float(at or 0) >= before:
            break
        last = int(seq or 0)
    return link.run(f"DELETE FROM {table} WHERE seq <= ?", (last,))  # noqa: S608


def past_turns(link: Connection, before: float, batch: int) -> int:
    """Delete turns that a later one has followed."""
    rows = link.rows(PAST, (before, batch))
    for row in rows:
        link.run("DELETE FROM turns WHERE conversation = ? AND turn = ?", row)
    return len(rows)


def dead_turns(link: Connection, before: float, now: float, batch: int) -> int:
    """End the turns of silent conversations, with an event that says so."""
    rows = link.rows(DEAD, (before, batch))
    for (conversation,) in rows:
        turns.expire(link, str(conversation), now)
    return len(rows)


def ended_work(link: Connection, before: float, batch: int) -> int:
    """Delete ended work with its tokens and reports; tokens that nobody came for, too."""
    rows = link.rows(OVER, (before, batch))
    for row in rows:
        link.run("DELETE FROM reports WHERE item = ?", row)
        link.run("DELETE FROM tokens WHERE item = ?", row)
        link.run("DELETE FROM work_items WHERE id = ?", row)
    return len(rows)


def conversations_gone(link: Connection, before: float, batch: int) -> int:
    """Delete silent conversations among the next `batch` of all, and remember where that was.

    An index on the last sign of life would be rewritten by every hook.
    """
    found = link.row("SELECT value FROM marks WHERE name = 'conversation'")
    after = str(found[0]) if found else ""
    ids = link.rows("SELECT id FROM conversations WHERE id > ? ORDER BY id LIMIT ?", (after, batch))
    put(link, "conversation", str(ids[-1][0]) if len(ids) == batch else "")
    if not ids:
        return 0
    rows = link.rows(GONE, (after, before, ids[-1][0]))
    for row in rows:
        link.run("DELETE FROM conversations WHERE id = ?", row)
    return len(rows)
