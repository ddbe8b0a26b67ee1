"""The turns' state machine, run on the tables: every step is an event."""

from __future__ import annotations

from agguard.ledger.fsm import ANSWERS, OPEN_STATUSES, Work, after, answers
from agguard.ledger.records import Fact, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.ledger.connection import Connection

STANDING = """
SELECT coalesce(sum(status = 'ISSUED' AND NOT accepted), 0),
    coalesce(sum(status IN ('ACTIVE', 'WAITING') OR (status = 'ISSUED' AND accepted)), 0),
    coalesce(sum(status IN ('FAILED', 'TIMED_OUT') AND ended_seq > ?), 0)
FROM work_items WHERE issuer = ?
"""


def newest(link: Connection) -> int:
    """Return the number of the newest event; 0 when there is none."""
    return link.number("SELECT max(seq) FROM events")


def current(link: Connection, conversation: str) -> Turn | None:
    """Return the latest turn of a conversation."""
    found: tuple[Any, ...] | None = link.row(
        "SELECT conversation, turn, state, answered, updated_at FROM turns"
        " WHERE conversation = ? ORDER BY turn DESC LIMIT 1",
        (conversation,),
    )
    return None if found is None else Turn(*found)


def standing(link: Connection, conversation: str, answered: int) -> Work:
    """Return what the work of a conversation is doing; failures up to `answered` do not count."""
    found: Any = link.row(STANDING, (answered, conversation))
    return Work(*found)


def advance(link: Connection, fact: Fact) -> Turn:
    """Take one step of a conversation's machine and write its event; inside a transaction."""
    was = current(link, fact.conversation) or Turn(fact.conversation, fact.turn or 0)
    seq = newest(link) + 1
    answered = seq if fact.type in ANSWERS else was.answered
    work = standing(link, fact.conversation, answered)
    state = after(was.state, fact.type, work)
    if answers(fact.type, state):
        answered, work = seq, work.replace(dead=0)
    turn = Turn(
        fact.conversation,
        was.turn if fact.turn is None else fact.turn,
        state,
        answered,
        fact.at,
    )
    happened = {**fact.asdict(), "turn": turn.turn, "before": was.state, "after": state}
    link.add("events", {"seq": seq, **happened, **work.asdict()})
    store(link, turn, seq)
    return turn


def store(link: Connection, turn: Turn, seq: int) -> None:
    """Write a turn as it stands after event `seq`."""
    link.run(
        "INSERT INTO turns (conversation, turn, state, answered, updated_at, seq)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (conversation, turn) DO UPDATE SET"
        " state = excluded.state, answered = excluded.answered, seq = excluded.seq,"
        " updated_at = excluded.updated_at",
        (turn.conversation, turn.turn, turn.state, turn.answered, turn.updated_at, seq),
    )


def begin(link: Connection, conversation: str, turn: int, now: float) -> None:
    """Begin `turn` if it is new; an agent that may not delegate has no turns.

    A number that falls (a transcript that was compacted away) is no new message.
    """
    role = link.row("SELECT role FROM conversations WHERE id = ?", (conversation,))
    if role == ("worker",):
        return
    was = current(link, conversation)
    if was is None or turn > was.turn:
        advance(link, Fact("USER_MESSAGE", conversation, now, turn))


def reconcile(link: Connection, conversation: str, now: float) -> Turn | None:
    """Tell a conversation's machine that all of its work is dead, if so (WORK_TIMED_OUT)."""
    if not bereft(link, conversation):  # the usual case costs no transaction
        return current(link, conversation)
    with link:
        if bereft(link, conversation):
            advance(link, Fact("WORK_TIMED_OUT", conversation, now))
        return current(link, conversation)


def bereft(link: Connection, conversation: str) -> bool:
    """Whether a conversation waits for work of which nothing is alive."""
    was = current(link, conversation)
    if was is None or was.state not in ("HANDOFF_PENDING", "EXECUTION_ACTIVE"):
        return False
    work = standing(link, conversation, was.answered)
    return not work.pending and not work.running


def expire(link: Connection, conversation: str, now: float) -> None:
    """Forget the turns of a conversation; nobody may have open work there."""
    advance(link, Fact("TURN_EXPIRED", conversation, now))
    link.run("DELETE FROM turns WHERE conversation = ?", (conversation,))


OPEN = ", ".join(f"'{status}'" for status in OPEN_STATUSES)
"""For `status IN (...)`, spelled as in the partial indexes: SQLite compares the text."""
