"""The ledger as the hook path uses it."""

from __future__ import annotations

from agguard.ledger import conversations, decisions, turns, work
from agguard.ledger.connection import ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Self

    from agguard.ledger.connection import Connection
    from agguard.ledger.records import Conversation, Entry, Turn, WorkItem
    from agguard.model.effect import Effect


class Ledger:
    """One open ledger. Every change is one transaction; `with ledger:` makes several one.

    Raises:
        LedgerError: From every method: the file cannot be read or written, and why.
    """

    def __init__(self, link: Connection) -> None:
        self._link = link

    @classmethod
    def open(cls, path: str, *, wait: float, now: float) -> Ledger:
        """Open the ledger; make it (0600, in a folder of 0700) or bring it up to date if need be.

        Args:
            path: The database file.
            wait: How long to wait for other writers, in seconds, at every transaction.
            now: The time.

        Raises:
            LedgerError: The file cannot be used, is not a ledger, or is from a newer agguard.
        """
        return cls(ready(path, wait=wait, now=now))

    def close(self) -> None:
        """Close the file."""
        self._link.close()

    def __enter__(self) -> Self:
        """Begin a transaction; the calls inside are all stored, or none is."""
        self._link.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._link.__exit__(kind, error, trace)

    # Who is who

    def conversation(self, name: str) -> Conversation | None:
        """Return a conversation whose role is established, else None."""
        return conversations.find(self._link, name)

    def bind(self, conversation: Conversation) -> Conversation:
        """Store a role, cut down to what the parent leaves; one that is stored already wins."""
        with self._link as link:
            return conversations.bind(link, conversation)

    def touch(self, name: str, now: float) -> None:
        """Note that a conversation lives, and with it the work that it holds."""
        with self._link as link:
            conversations.see(link, name, now)
            link.run("UPDATE conversations SET last_seen = ? WHERE id = ?", (now, name))
            item = work.held(link, name)
            if item is not None:
                work.awaken(link, item, now)

    # Work

    def issue(self, items: Sequence[WorkItem], record: Entry) -> list[WorkItem]:
        """Store work items, their tokens and the decision that let them start, or nothing.

        Rights beyond the issuer's are cut off, and an item without a token is read-only.

        Returns:
            The items as they are stored: when the host fires twice for one call (same issuer,
            step, position and digest), the first ones with the first tokens.
        """
        with self._link as link:
            decisions.follow(link, record)
            stored = work.issue(link, items, record.turn, record.at)
            decisions.record(link, record)
            return stored

    def issued(self, issuer: str, step: int) -> list[WorkItem]:
        """Return the items that a conversation issued at a step, in order."""
        return work.select(
            self._link, "issuer = ? AND step = ? ORDER BY issued_seq", (issuer, step)
        )

    def claim(
        self, token: str, conversation: str, issuer: str | None, now: float
    ) -> WorkItem | None:
        """Give the work of a token to a conversation and bind it; None when it has no right.

        Args:
            token: The token.
            conversation: Who presents it.
            issuer: Who sent it, where the transcript says so; it must be the issuer.
            now: The time.
        """
        with self._link as link:
            return work.claim(link, token, conversation, issuer, now)

    def adopt(self, item_id: str, conversation: str, now: float) -> WorkItem | None:
        """Give an item that the caller has matched to a conversation; as `claim` otherwise."""
        with self._link as link:
            item = work.get(link, item_id)
            return None if item is None else work.take(link, item, conversation, now, "match")

    def unclaimed(self, issuer: str) -> list[WorkItem]:
        """Return what a conversation has issued and nobody holds, in order."""
        where = (
            "issuer = ? AND status = 'ISSUED' AND child = '' ORDER BY step, position, issued_seq"
        )
        return work.select(self._link, where, (issuer,))

    def issuer(self, token: str) -> str:
        """Return who issued a token; empty when agguard did not."""
        found = work.select(self._link, "token = ? AND token <> ''", (token,))
        return found[0].issuer if found else ""

    def held(self, child: str) -> WorkItem | None:
        """Return the open work item of a child: without one it may read and report only."""
        return work.held(self._link, child)

    # Turns and decisions

    def turn(self, conversation: str) -> Turn | None:
        """Return where a conversation stands; None when it has not begun or may not delegate."""
        return turns.current(self._link, conversation)

    def record(self, entry: Entry) -> int:
        """Append to the audit log and return the entry's number.

        The entry also moves its conversation's turn: a higher turn number is a new user message,
        a stop closes or goes on. An `inert` entry moves and counts for nothing.
        """
        with self._link as link:
            decisions.follow(link, entry)
            return decisions.record(link, entry)

    def rejections(self, conversation: str, turn: int) -> int:
        """Return how often in a row the stops of this turn have been sent back."""
        return decisions.rejections(self._link, conversation, turn)

    def work_since(self, conversation: str, step: int) -> Effect:
        """Return the joined effects of a conversation's calls after `step` that were not denied."""
        return decisions.work_since(self._link, conversation, step)

    def entries(
        self,
        *,
        conversation: str = "",
        since: float | None = None,
        decision: str = "",
        limit: int = 100,
    ) -> list[Entry]:
        """Return the newest decisions first; `since` is a time, `decision` a word like `deny`."""
        return decisions.entries(
            self._link, conversation=conversation, since=since, decision=decision, limit=limit
        )
