"""The ledger as the hook path uses it."""

from __future__ import annotations

from agguard.ledger import conversations, decisions, ending, turns, work
from agguard.ledger.connection import ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from agguard.ledger.connection import Connection
    from agguard.ledger.records import Conversation, Delivery, Entry, Turn, WorkItem
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

    def hurry(self, wait: float) -> None:
        """Wait for other writers no longer than `wait` seconds from now on."""
        self._link.hurry(wait)

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
        if work.named(self._link, token, issuer) is None:
            return None  # a worthless token does not get to hold the lock
        with self._link as link:
            item = work.named(link, token, issuer)
            return None if item is None else work.take(link, item, conversation, now, "token")

    def adopt(
        self,
        item_id: str,
        conversation: str,
        now: float,
        evidence: str = "match",
        *,
        at_most: WorkItem | None = None,
    ) -> WorkItem | None:
        """Give an item that the caller has matched to a conversation; as `claim` otherwise.

        Args:
            item_id: The item.
            conversation: Who gets it.
            now: The time.
            evidence: What the match rests on, for `Conversation.bound_by`.
            at_most: The item with the least rights among those that would have matched as well;
                the conversation gets no more than that one's.
        """
        with self._link as link:
            item = work.get(link, item_id)
            if item is None:
                return None
            least = work.at_most(item, at_most or item)
            return work.take(link, least, conversation, now, evidence)

    def unclaimed(self, issuer: str = "") -> list[WorkItem]:
        """Return what a conversation, or anybody, has issued and nobody holds, in order."""
        order = "ORDER BY step, position, issued_seq"
        if issuer:
            where = f"issuer = ? AND status = 'ISSUED' AND child = '' {order}"
            return work.select(self._link, where, (issuer,))
        # The first condition is the partial index's own; without it SQLite reads all items.
        where = f"status IN ({turns.OPEN}) AND status = 'ISSUED' AND child = '' {order}"
        return work.select(self._link, where, ())

    def issuer(self, token: str) -> str:
        """Return who issued a token; empty when agguard did not."""
        found = work.select(self._link, "token = ? AND token <> ''", (token,))
        return found[0].issuer if found else ""

    def held(self, child: str) -> WorkItem | None:
        """Return the open work item of a child: without one it may read and report only."""
        return work.held(self._link, child)

    def accept(self, issuer: str, step: int, now: float) -> int:
        """Note that the host has started what `issuer` issued at `step`; return how many items."""
        with self._link as link:
            return ending.accept(link, issuer, step, now)

    def refuse(self, issuer: str, step: int, cause: str, now: float) -> list[WorkItem]:
        """Note that the host did not start what `issuer` issued at `step`.

        Returns:
            The items that failed by this: those without a child. Their tokens are worth nothing.
        """
        with self._link as link:
            return ending.refuse(link, issuer, step, cause, now)

    def rest(self, child: str, now: float) -> WorkItem | None:
        """Note that a child stopped and is not fully idle; None when it holds no open work."""
        with self._link as link:
            return ending.rest(link, child, now)

    def finish(
        self,
        child: str,
        now: float,
        *,
        failure: str = "",
        issuer: str = "",
        before_step: int | None = None,
    ) -> WorkItem | None:
        """End the open work of a child.

        Args:
            child: The child's conversation.
            now: The time.
            failure: Why it did not end well (an error, killed); empty when it did.
            issuer: Whose transcript says so; then only an item that it issued is meant.
            before_step: The step of that row; then only an item issued before it is meant, so
                that an old row does not end a new task.

        Returns:
            The item as it ended now; None when nothing changed: it had ended before, it was
            timed out (a late child), or it never was.
        """
        with self._link as link:
            item = work.held(link, child)
            if item is None or (issuer and item.issuer != issuer):
                return None
            if before_step is not None and item.step >= before_step:
                return None
            return ending.finish(link, item, failure, now)

    def resume(self, wanted: WorkItem, record: Entry) -> WorkItem | None:
        """Open a further item for the finished child `wanted.child`; log the decision with it.

        Args:
            wanted: Names the item: id, issuer, step, position, digest and child. The rights are
                the child's own, whatever it says.
            record: The decision that let the message through.

        Returns:
            The child's open item, new or not; None when the issuer is not its parent.
        """
        with self._link as link:
            decisions.follow(link, record)
            found = ending.resume(link, wanted, record.turn, record.at)
            decisions.record(link, record)
            return found

    def latest(self, child: str) -> WorkItem | None:
        """Return the newest item of a child, whatever became of it."""
        where = "child = ? AND child <> '' ORDER BY issued_seq DESC LIMIT 1"
        found = work.select(self._link, where, (child,))
        return found[0] if found else None

    def running(self, issuer: str) -> list[WorkItem]:
        """Return the open work that a conversation has issued."""
        where = f"issuer = ? AND status IN ({turns.OPEN}) ORDER BY issued_seq"
        return work.select(self._link, where, (issuer,))

    def dead(self, issuer: str) -> list[WorkItem]:
        """Return the failed and silent work that a conversation has not dealt with yet."""
        return ending.dead(self._link, issuer)

    def given(self, issuer: str) -> list[WorkItem]:
        """Return all work that a conversation has issued and that is remembered, in order."""
        return work.select(self._link, "issuer = ? ORDER BY issued_seq", (issuer,))

    def deliver(self, delivery: Delivery) -> bool:
        """Store a child's report about its open work; False when it is known, or too late."""
        from agguard.ledger import reports

        with self._link as link:
            return reports.store(link, delivery)

    def deliveries(self, issuer: str, limit: int = 50) -> list[Delivery]:
        """Return the newest reports to a conversation, oldest of them first."""
        from agguard.ledger import reports

        return reports.of(self._link, issuer, limit)

    def tell(self, issuer: str, seq: int, now: float) -> int:
        """Note that a conversation was told of its reports up to `seq`; return of how many."""
        from agguard.ledger import reports

        with self._link as link:
            return reports.tell(link, issuer, seq, now)

    def sweep(self, now: float, timeout: float) -> list[WorkItem]:
        """End what has been silent for more than `timeout` seconds; return it as it was.

        Every hook calls this. It writes nothing unless something is silent.
        """
        return ending.sweep(self._link, now, timeout)

    # Turns and decisions

    def turn(self, conversation: str) -> Turn | None:
        """Return where a conversation stands; None when it has not begun or may not delegate."""
        return turns.current(self._link, conversation)

    def reconcile(self, conversation: str, now: float) -> Turn | None:
        """Return where a conversation stands, after WORK_TIMED_OUT if all of its work is dead.

        Every hook of a conversation that delegates calls this after `sweep`: it never waits for
        the dead.
        """
        return turns.reconcile(self._link, conversation, now)

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

    def work_since(self, conversation: str, step: int, began: float = 0.0) -> Effect:
        """Return the joined effects of a conversation's calls that were not denied.

        Args:
            conversation: Who called.
            step: Calls after this step count.
            began: Of those, the calls from this time on: a host that rewrites a transcript may
                count its steps anew, and then the calls of earlier turns have higher ones.
        """
        return decisions.work_since(self._link, conversation, step, began)

    def entries(
        self,
        *,
        conversation: str = "",
        since: float | None = None,
        decision: str = "",
        limit: int = 100,
    ) -> list[Entry]:
        """Return the newest decisions first; `since` is a time, `decision` a word like `deny`."""
        wanted = decisions.Wanted(conversation, since, decision=decision)
        return decisions.entries(self._link, wanted, limit)

    # Files and age

    def keep_hashes(self, sums: Mapping[str, str], now: float) -> None:
        """Store the sha256 of the guard's own files by path, in place of the former ones."""
        from agguard.ledger import hashes

        with self._link as link:
            hashes.keep(link, sums, now)

    def hashes(self) -> dict[str, str]:
        """Return the stored sha256 of each path."""
        from agguard.ledger import hashes

        return hashes.kept(self._link)

    def prune(
        self,
        now: float,
        *,
        keep_state: float = 172_800.0,
        keep_decisions: float = 2_592_000.0,
        max_bytes: int = 1_073_741_824,
        batch: int = 200,
    ) -> int:
        """Forget what is over, at most once a minute and a bounded batch at a time.

        Args:
            now: The time.
            keep_state: Seconds that dead turns and ended work with its tokens are kept (48 h).
            keep_decisions: Seconds that decisions, events and silent conversations are kept.
            max_bytes: Above this size the oldest decisions and events go first, at any age.
            batch: Rows of each kind that one call looks at and deletes.

        Returns:
            How many rows went.
        """
        from agguard.ledger import retention

        keep = retention.Keep(keep_state, keep_decisions, max_bytes, batch)
        return retention.prune(self._link, now, keep)
