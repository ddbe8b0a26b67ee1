"""Who is calling (design, section 3).

The host sends no agent identity, so it is established from evidence that its subject cannot write:
what the ledger holds, the engine's own record of how the conversation opened, and the parent's
records. What cannot be established is `unknown`, is never stored, and is worked out anew.
"""

from __future__ import annotations

import os

from agguard.ledger.records import Conversation
from agguard.model import token
from agguard.model.session import Role
from agguard.pipeline import brain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.records import WorkItem
    from agguard.ledger.store import Ledger
    from agguard.model.event import Event
    from agguard.transcript.head import Opening
    from agguard.transcript.spawns import Child


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
        starter: The conversation in whose shell this hook runs, if it runs in one.
        patience: Seconds to wait for a transcript that is late.
    """

    def __init__(
        self, ledger: Ledger, now: float, depth: int, starter: str, patience: float = 0.2
    ) -> None:
        self._patience = patience
        self._ledger = ledger
        self._now = now
        self._depth = depth
        self._starter = starter

    def of(self, event: Event) -> Conversation:
        """Return who fired `event`, binding the conversation if it can be bound."""
        if not event.conversation:
            return unknown(event, self._now, "the payload names no conversation")
        known = self._ledger.conversation(event.conversation)
        if known:
            return known
        found = self._by_payload(event) or self._by_starter(event) or self._by_opening(event)
        if found is None:
            return unknown(event, self._now, _missing(event))
        return self._ledger.bind(found)

    def _by_payload(self, event: Event) -> Conversation | None:
        """Step 1: a parent field, should a later host send one."""
        if not event.parent or event.parent == event.conversation:
            return None
        return self._adopted(event, event.parent, "", "payload")

    def _by_starter(self, event: Event) -> Conversation | None:
        """An agent's shell started this session: it is that agent's child, without rights."""
        if not self._starter or self._starter == event.conversation:
            return None
        return self._child(event, self._starter, None, "environment")

    def _by_opening(self, event: Event) -> Conversation | None:
        """Steps 3 to 5: how the engine's own record says that the conversation began."""
        if not _is_own_record(event):
            return None
        from agguard.transcript.poll import Patience

        opening = Patience(self._patience).opening(event.transcript)
        if opening is None or opening.step:  # a later step: the host rewrote the file
            return None
        if opening.kind == "agent" and opening.sender != event.conversation:
            return self._by_sender(event, opening)
        if opening.kind == "user":
            return self._by_user(event, opening)
        return None

    def _by_sender(self, event: Event, opening: Opening) -> Conversation:
        secret = token.opening(opening.text)
        item = secret and self._ledger.claim(secret, event.conversation, opening.sender, self._now)
        if item:
            return self._child(event, item.issuer, item, "token")
        return self._adopted(event, opening.sender, opening.text, "sender")

    def _by_user(self, event: Event, opening: Opening) -> Conversation | None:
        """A user opened it: primary, unless a parent's record names it as its child.

        Older builds record a child's prompt as the user's. A user who pastes another
        conversation's prompt looks the same, so a token alone is not believed here.
        """
        secret = token.opening(opening.text)
        issuer = self._ledger.issuer(secret) if secret else ""
        if issuer and self._is_named(event, issuer):
            item = self._ledger.claim(secret, event.conversation, issuer, self._now)
            if item:
                return self._child(event, issuer, item, "token")
        return Conversation(
            event.conversation,
            Role.PRIMARY,
            remaining_depth=self._depth,
            bound_by="user",
            first_seen=self._now,
            last_seen=self._now,
        )

    def _adopted(self, event: Event, parent: str, prompt: str, by: str) -> Conversation:
        """Match a child without a token against its parent's unclaimed work (step 4)."""
        waiting = self._ledger.unclaimed(parent)
        for candidates, how in (
            (self._placed(event, parent, waiting), "order"),
            (_same_prompt(waiting, prompt), "digest"),
        ):
            if candidates:
                least = min(candidates, key=_rights)
                item = self._ledger.adopt(least.id, event.conversation, self._now)
                if item:
                    return self._child(event, parent, item, f"{by}, {how}")
        return self._child(event, parent, None, by)

    def _placed(self, event: Event, parent: str, waiting: list[WorkItem]) -> list[WorkItem]:
        """Find the item by the place at which the parent's record names this conversation."""
        for child in _children(event, parent):
            if child.conversation == event.conversation:
                place = (child.step, child.position)
                return [item for item in waiting if (item.step, item.position) == place]
        return []

    def _is_named(self, event: Event, parent: str) -> bool:
        named = _children(event, parent)
        return any(child.conversation == event.conversation for child in named)

    def _child(self, event: Event, parent: str, item: WorkItem | None, by: str) -> Conversation:
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
    import hashlib

    return hashlib.sha256(prompt.strip().encode("utf-8", "surrogatepass")).hexdigest()


def _is_own_record(event: Event) -> bool:
    """Whether the transcript is the one that the engine keeps for this conversation.

    The host names it; a payload that names another file is no evidence.
    """
    return os.path.basename(brain.folder(event.transcript)) == event.conversation


def _missing(event: Event) -> str:
    """Say what evidence there is not; called when the transcript told nothing."""
    if not _is_own_record(event):
        return f"{event.transcript!r} is not the transcript of this conversation"
    from agguard.transcript.files import candidates

    there = [path for path in candidates(event.transcript) if os.path.exists(path)]
    if not there:
        return f"its transcript {event.transcript!r} is missing"
    if not any(os.path.isfile(path) and os.access(path, os.R_OK) for path in there):
        return f"its transcript {there[0]!r} cannot be read"
    return f"its transcript {there[0]!r} does not say how it began"


def _same_prompt(waiting: list[WorkItem], prompt: str) -> list[WorkItem]:
    wanted = digest(prompt) if prompt else ""
    return [item for item in waiting if wanted and item.digest == wanted]


def _rights(item: WorkItem) -> tuple[bool, int]:
    """Order items by their rights, the least first."""
    return not item.read_only, item.remaining_depth


def _children(event: Event, parent: str) -> tuple[Child, ...]:
    """Return the children that the parent's own record names."""
    path = brain.record(event.transcript, parent)
    if not path:
        return ()
    from agguard.transcript.spawns import spawned

    return spawned(path).children
