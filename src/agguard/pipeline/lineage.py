"""Who is calling (design, section 3).

The host sends no agent identity, so it is established from evidence that its subject cannot write:
what the ledger holds, the engine's own record of how the conversation opened, and the parent's
records. What cannot be established is `unknown`, is never stored, and is worked out anew.
"""

from __future__ import annotations

import os

from agguard import checksum
from agguard.ledger.records import Conversation
from agguard.model import token
from agguard.model.session import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agguard.ledger.records import WorkItem
    from agguard.ledger.store import Ledger
    from agguard.model.event import Event
    from agguard.pipeline.evidence import Brain, Named
    from agguard.transcript.head import Opening

STARTING = 600.0
"""Seconds after which no child comes for work that nobody has claimed, as far as it is told only
by the words of a prompt."""

PATIENCE = 0.5
"""Seconds that the first hook of a conversation waits for a transcript that is late."""


def unknown(event: Event, now: float, why: str = "") -> Conversation:
    """Return the conversation of a caller about whom nothing is known, and why nothing is."""
    return Conversation(
        event.conversation, Role.UNKNOWN, bound_by=why, first_seen=now, last_seen=now
    )


class Lineage:
    """Binds conversations to their place in the tree of agents.

    Args:
        ledger: Where bindings are stored.
        now: Seconds since the epoch.
        depth: What a primary may have below it.
        patience: Seconds to wait for a transcript that is late.
    """

    def __init__(self, ledger: Ledger, now: float, depth: int, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._ledger = ledger
        self._now = now
        self._depth = depth

    def of(self, event: Event) -> Conversation:
        """Return who fired `event`, binding the conversation if it can be bound."""
        if not event.conversation:
            return unknown(event, self._now, "the payload names no conversation")
        known = self._ledger.conversation(event.conversation)
        if known:
            return known
        from agguard.pipeline.evidence import Brain

        brain = Brain(event.transcript, event.conversation)
        opening = self._opening(event) if brain.is_own else None
        found = self._by_payload(event, opening) or self._by_records(event, opening, brain)
        if not isinstance(found, Conversation):
            return unknown(event, self._now, found or _missing(event, brain))
        return found if _is_orphan(found) else self._ledger.bind(found)

    def _opening(self, event: Event) -> Opening | None:
        """Return how the conversation began; only its first hook waits to learn that."""
        from agguard.transcript.poll import Patience

        before = self._ledger.entries(conversation=event.conversation, limit=5)
        was_here = any(not entry.inert for entry in before)
        opening = Patience(0 if was_here else self._patience).opening(event.transcript)
        # The host rewrote the file if it begins with a later step.
        return None if opening is None or opening.step else opening

    def _by_payload(self, event: Event, opening: Opening | None) -> Conversation | None:
        """Step 1: a parent field, should a later host send one."""
        if not event.parent or event.parent == event.conversation:
            return None
        return self._child(event, event.parent, opening, "payload")

    def _by_records(
        self, event: Event, opening: Opening | None, brain: Brain
    ) -> Conversation | str | None:
        """Steps 3 to 5: how the engine's own records say that the conversation began.

        Returns:
            The conversation, or why it cannot be told whose it is.
        """
        if opening and opening.kind == "agent":
            if opening.sender == event.conversation:
                return "its opening record names itself as the sender"
            return self._child(event, opening.sender, opening, "sender")
        words = opening if opening and opening.kind == "user" else None
        unclaimed = self._ledger.unclaimed()
        named = brain.child() or brain.spawned(unclaimed)
        if named:
            return self._child(event, named.parent, words, named.by, named)
        return self._by_user(event, words, brain, unclaimed) if words else None

    def _by_user(
        self, event: Event, opening: Opening, brain: Brain, unclaimed: Sequence[WorkItem]
    ) -> Conversation | str:
        """Step 5: the record says that a user opened it, and nobody's record names it.

        Agents of a workflow look the same, and so do children on builds that record their prompt
        as the user's. A user who pastes another conversation's prompt looks like such a child, so
        the words of a prompt are never evidence for anything, only a reason to wait.
        """
        from agguard.pipeline.evidence import FINISH
        from agguard.transcript.moment import epoch

        named = brain.workflow(epoch(opening.created_at) or self._now)
        if named:
            return self._bound(event, named.parent, None, "workflow")
        if opening.text.endswith(FINISH):
            return self._bound(event, "", None, "the prompt of a workflow")
        since = self._now - STARTING
        fresh = (x for x in unclaimed if x.created_at > since and _may_be(x, opening, event))
        if not all(map(brain.has_settled, fresh)):
            return "its opening record holds the prompt of a subagent that is about to start"
        return Conversation(
            event.conversation,
            Role.PRIMARY,
            remaining_depth=self._depth,
            bound_by="user",
            first_seen=self._now,
            last_seen=self._now,
        )

    def _child(
        self,
        event: Event,
        parent: str,
        opening: Opening | None,
        by: str,
        named: Named | None = None,
    ) -> Conversation:
        """Bind a child of `parent`: by its token, or by whatever else tells its work (step 4)."""
        secret = token.opening(opening.text) if opening else ""
        item = secret and self._ledger.claim(secret, event.conversation, parent, self._now)
        if not item:
            item = self._adopted(event, parent, opening, named)
        return self._bound(event, parent, item or None, by)

    def _adopted(
        self, event: Event, parent: str, opening: Opening | None, named: Named | None
    ) -> WorkItem | None:
        """Give a child without a token the work that it was started for.

        Where several items fit, it gets the least right of all of them, also of those that others
        have taken: the one that comes last must not be left with more than its own.
        """
        waiting = self._ledger.unclaimed(parent)
        if not waiting:
            return None
        placed = named if named and named.position >= 0 else self._row(event, waiting)
        if placed:
            exact = [item for item in waiting if _is_at(item, placed)]
            return self._taken(event, exact, exact)
        same = [item for item in self._ledger.running(parent) if _fits(item, opening, named)]
        return self._taken(event, [item for item in waiting if item in same], same)

    def _row(self, event: Event, waiting: Sequence[WorkItem]) -> Named | None:
        """Return the place at which the parent's own row names this conversation, if it does."""
        from agguard.pipeline.evidence import Brain

        return Brain(event.transcript, event.conversation).spawned(waiting)

    def _taken(
        self, event: Event, items: Sequence[WorkItem], rivals: Sequence[WorkItem]
    ) -> WorkItem | None:
        if not items:
            return None
        item, least = min(items, key=_rights), min(rivals, key=_rights)
        return self._ledger.adopt(item.id, event.conversation, self._now, at_most=least)

    def _bound(self, event: Event, parent: str, item: WorkItem | None, by: str) -> Conversation:
        return Conversation(
            event.conversation,
            item.role if item else Role.WORKER,
            parent=parent,
            remaining_depth=item.remaining_depth if item else 0,
            read_only=item.read_only if item else True,
            bound_by=by,
            first_seen=self._now,
            last_seen=self._now,
        )


def digest(prompt: str) -> str:
    """Return what a prompt is recognized by when its token was lost on the way."""
    return checksum.of_text(prompt.strip())


def _is_orphan(found: Conversation) -> bool:
    """Whether it looks like an agent's child and nobody knows whose; that is never stored."""
    return found.role.is_child and not found.parent


def _missing(event: Event, brain: Brain) -> str:
    """Say what evidence there is not; called when the transcript told nothing."""
    if not brain.is_own:
        return f"{event.transcript!r} is not the transcript of this conversation"
    from agguard.transcript.files import candidates

    there = [path for path in candidates(event.transcript) if os.path.exists(path)]
    if not there:
        return f"its transcript {event.transcript!r} is missing"
    if not any(os.path.isfile(path) and os.access(path, os.R_OK) for path in there):
        return f"its transcript {there[0]!r} cannot be read"
    return f"its transcript {there[0]!r} does not say how it began"


def _may_be(item: WorkItem, opening: Opening, event: Event) -> bool:
    """Whether a conversation that a user seems to have opened may be the child of `item`."""
    if item.issuer == event.conversation:
        return False
    secret = token.opening(opening.text)
    return item.token == secret if secret else item.digest == digest(opening.text)


def _is_at(item: WorkItem, placed: Named) -> bool:
    return (item.issuer, item.step, item.position) == (placed.parent, placed.step, placed.position)


def _fits(item: WorkItem, opening: Opening | None, named: Named | None) -> bool:
    """Whether an item can be what a child was started for, by all that is known of the child."""
    if item.origin != "spawn":
        return False
    if named and named.step >= 0:
        about = (named.step, named.type_name, named.agent_role)
        if about != (item.step, item.type_name, item.agent_role):
            return False
    elif opening is None:
        return False
    # The engine cuts long prompts (measured: at 48 kB), and nobody can compare the rest.
    return opening is None or opening.cut or item.digest == digest(opening.text)


def _rights(item: WorkItem) -> tuple[bool, int]:
    """Order items by their rights, the least first."""
    return not item.read_only, item.remaining_depth
