"""The ledger for people and tools: reads, and cannot write or lock.

The file is opened with `?mode=ro`; every method reads what it needs in one short transaction and
ends it, so that no writer waits and no log is held back between two looks.
"""

from __future__ import annotations

import os

from agguard.errors import LedgerError
from agguard.ledger import conversations, decisions, work
from agguard.ledger.connection import VERSION, Connection, examine
from agguard.ledger.records import Conversation, Event, Turn, WorkItem
from agguard.model.session import Role
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any, Self

    from agguard.ledger.connection import Row, Scalar
    from agguard.ledger.records import Entry

EVENT = (
    "seq, at, conversation, turn, type, before, after, item, child, from_status, to_status,"
    " pending, running, dead, detail"
)

LAST_TURNS = """
SELECT conversation, turn, state, answered, updated_at FROM turns AS t
WHERE NOT EXISTS (
    SELECT 1 FROM turns AS n WHERE n.conversation = t.conversation AND n.turn > t.turn)
"""

CHECKS = {
    "token {!r} has no work item": """
        SELECT token FROM tokens AS t WHERE NOT EXISTS (
            SELECT 1 FROM work_items WHERE token = t.token AND id = t.item)""",
    "work item {!r} has lost its token": """
        SELECT id FROM work_items AS w WHERE token IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM tokens WHERE token = w.token AND item = w.id)""",
    "token {!r} is claimed by nobody who is known": """
        SELECT token FROM tokens WHERE claimed_by IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM conversations WHERE id = claimed_by AND role <> '')""",
    "work item {!r} and its token name two children": """
        SELECT w.id FROM work_items AS w JOIN tokens AS t ON t.item = w.id
        WHERE coalesce(t.claimed_by, '') <> w.child""",
    "conversation {!r} has rights that its parent lacks": """
        SELECT c.id FROM conversations AS c JOIN conversations AS p ON p.id = c.parent
        WHERE p.role <> '' AND (c.read_only < p.read_only
            OR (c.remaining_depth > 0 AND c.remaining_depth >= p.remaining_depth))""",
}
"""What it means if a query finds something."""


class Node(Value):
    """A conversation in the tree of who started whom."""

    conversation: Conversation
    """With the role `unknown` when it was only seen."""
    turn: Turn | None = None
    work: tuple[WorkItem, ...] = ()
    """The tasks that it was given, oldest first."""
    children: tuple[Node, ...] = ()


class Reader:
    """A look at the ledger.

    Raises:
        LedgerError: From every method: the file cannot be read, and why.
    """

    def __init__(self, link: Connection) -> None:
        self._link = link

    @classmethod
    def open(cls, path: str, *, wait: float = 1.0) -> Self:
        """Open the ledger for reading.

        Args:
            path: The database file.
            wait: How long to wait, in seconds, while another process recovers the file.

        Raises:
            LedgerError: There is no ledger, it is not one, or its version is another.
        """
        if not os.path.exists(path):
            msg = f"ledger {path!r} does not exist yet; the first hook of a session makes it"
            raise LedgerError(msg)
        link = Connection(path, wait, read_only=True)
        try:
            version = examine(link)
        except BaseException:
            link.db.close()
            raise
        if version < VERSION:
            link.db.close()
            msg = f"ledger {path!r} has version {version}, not {VERSION}; the next hook upgrades it"
            raise LedgerError(msg)
        return cls(link)

    def close(self) -> None:
        """Close the file."""
        self._link.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def tree(self, conversation: str = "") -> list[Node]:
        """Return the conversations as trees, the longest known first.

        Args:
            conversation: The root of the one tree that is wanted; empty for all.
        """
        wheres = (conversations.SELECT + " ORDER BY first_seen, id", LAST_TURNS, work.SELECT)
        seen, turns, items = self._together(*wheres)
        tasks: dict[str, list[WorkItem]] = {}
        for item in sorted(map(work.value, items), key=lambda item: (item.created_at, item.step)):
            tasks.setdefault(item.child, []).append(item)
        return _trees(
            [_seen(row) for row in seen],
            {turn.conversation: turn for turn in map(_turn, turns)},
            tasks,
            conversation,
        )

    def unclaimed(self, issuer: str = "") -> list[WorkItem]:
        """Return the open items that no child holds, of one conversation or of all."""
        where = "status = 'ISSUED' AND child = '' AND (issuer = ?1 OR ?1 = '') ORDER BY issued_seq"
        return work.select(self._link, where, (issuer,))

    def events(
        self,
        *,
        conversation: str = "",
        about: str = "",
        without: str = "",
        since: float | None = None,
        limit: int = 1000,
    ) -> list[Event]:
        """Return the newest events, oldest of them first.

        Args:
            conversation: The only one that is wanted; empty for all.
            about: As `conversation`, with the events of the work that it was given besides: those
                are its issuer's.
            without: A conversation that is left out.
            since: A time.
            limit: How many.
        """
        args: dict[str, Scalar] = {}
        if conversation:
            args["conversation = ?"] = conversation
        if about:
            args["? IN (conversation, child)"] = about
        if without:
            args["conversation <> ?"] = without
        if since is not None:
            args["at >= ?"] = since
        where = " AND ".join(args) or "1"
        sql = f"SELECT {EVENT} FROM events WHERE {where} ORDER BY seq DESC LIMIT ?"  # noqa: S608
        return [_event(row) for row in reversed(self._link.rows(sql, (*args.values(), limit)))]

    def entries(
        self,
        *,
        conversation: str = "",
        since: float | None = None,
        decision: str = "",
        limit: int = 100,
    ) -> list[Entry]:
        """Return the newest decisions first; as `Ledger.entries`."""
        wanted = decisions.Wanted(conversation, since, decision=decision)
        return decisions.entries(self._link, wanted, limit)

    def wanted(self, wanted: decisions.Wanted, limit: int) -> list[Entry]:
        """Return the newest decisions that are wanted first."""
        return decisions.entries(self._link, wanted, limit)

    def conversations(self, beginning: str) -> list[str]:
        """Return the conversations with a decision whose ids begin like this."""
        return decisions.named(self._link, beginning)

    def newest(self) -> int:
        """Return the number of the newest decision; 0 when there is none."""
        return self._link.number("SELECT max(seq) FROM decisions")

    def counts(self, since: float, without: str = "") -> dict[tuple[str, str], int]:
        """Return how often each event was decided how, as `decisions.counts`."""
        return decisions.counts(self._link, since, without)

    def hashes(self) -> dict[str, str]:
        """Return the stored sha256 of the guard's own files by path."""
        from agguard.ledger import hashes

        return hashes.kept(self._link)

    def verify(self) -> list[str]:
        """Return every disagreement: of the file with itself, and of the tables with the events."""
        return [*self._file(), *self._replayed()]

    def _file(self) -> Iterator[str]:
        """Yield what SQLite and the checks above find."""
        for (text,) in self._link.rows("PRAGMA integrity_check"):
            if text != "ok":
                yield f"the file is damaged: {text}"
        for row in self._link.rows("PRAGMA foreign_key_check"):
            yield f"table {row[0]!r} refers to a row of {row[2]!r} that is not there"
        for text, sql in CHECKS.items():
            for (name,) in self._link.rows(sql):
                yield text.format(name)

    def _replayed(self) -> Iterator[str]:
        """Yield what the replay finds."""
        from agguard.ledger.replay import disagreements

        self._link.rows("BEGIN")  # the tables and the events of one moment
        try:
            turns = map(_turn, self._link.rows(LAST_TURNS))
            items = {item.id: item for item in map(work.value, self._link.rows(work.SELECT))}
            events = self._link.stream(f"SELECT {EVENT} FROM events ORDER BY seq")  # noqa: S608
            yield from disagreements(map(_event, events), turns, items)
        finally:
            self._link.rows("COMMIT")

    def _together(self, *queries: str) -> list[list[Row]]:
        """Run queries on one state of the database, and let go of it."""
        self._link.rows("BEGIN")
        try:
            return [self._link.rows(sql) for sql in queries]
        finally:
            self._link.rows("COMMIT")


def _seen(row: Any) -> Conversation:  # noqa: ANN401 - a row as SQLite gives it
    """Return a conversation, with the role `unknown` when none is stored."""
    name, role, *rest = row
    return conversations.value((name, role or Role.UNKNOWN, *rest))


def _turn(row: Any) -> Turn:  # noqa: ANN401 - a row as SQLite gives it
    return Turn(*row)


def _event(row: Any) -> Event:  # noqa: ANN401 - a row as SQLite gives it
    return Event(*row)


def _trees(
    seen: list[Conversation],
    turns: dict[str, Turn],
    tasks: dict[str, list[WorkItem]],
    wanted: str,
) -> list[Node]:
    """Build the trees; a parent that was forgotten makes its children roots."""
    below: dict[str, list[Conversation]] = {}
    known = {one.id for one in seen}
    for one in seen:
        below.setdefault(one.parent if one.parent in known else "", []).append(one)

    def node(one: Conversation, above: frozenset[str]) -> Node:
        children = (c for c in below.get(one.id, ()) if c.id not in above)
        return Node(
            one,
            turns.get(one.id),
            tuple(tasks.get(one.id, ())),
            tuple(node(child, above | {child.id}) for child in children),
        )

    roots = [one for one in seen if one.id == wanted] if wanted else below.get("", [])
    return [node(one, frozenset({one.id})) for one in roots]
