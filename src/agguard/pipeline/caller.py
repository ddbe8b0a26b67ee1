"""Makes the session of a firing: what the host sent, and who the caller is."""

from __future__ import annotations

import os

from agguard.model.session import Session
from agguard.pipeline.lineage import Lineage, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.records import Conversation
    from agguard.model.event import Event
    from agguard.pipeline.books import Books
    from agguard.plugins.manifest import Manifest


def session(event: Event, compiled: Manifest, books: Books, now: float) -> Session:
    """Return the session; its role is UNKNOWN where the ledger or the evidence fails."""
    depth = compiled.settings.get("delegation", {}).get("max_depth", 2)
    starter = starting_conversation()
    who: Conversation | None = books.ask(
        lambda ledger: Lineage(ledger, now, depth, starter).of(event)
    )
    who = who or unknown(event, now)
    paths = compiled.paths
    return Session(
        conversation=event.conversation,
        role=who.role,
        remaining_depth=who.remaining_depth,
        read_only=who.read_only,
        parent=who.parent,
        bound_by=who.bound_by,
        workspaces=event.workspaces,
        artifact_dir=event.artifact_dir,
        transcript=event.transcript,
        model=event.model,
        protected=tuple(paths.get("protected", ())),
        inside_agent=bool(starter),
        cache_dir=paths.get("cache", ""),
        settings=compiled.settings,
    )


def starting_conversation() -> str:
    """Return the conversation in whose shell this hook runs; empty when it runs in none.

    The engine marks the environment of commands (contract, the table), and what is started from
    there inherits the marks. Without a name the starter is still an agent.
    """
    if not os.environ.get("ANTIGRAVITY_AGENT"):
        return ""
    return os.environ.get("ANTIGRAVITY_TRAJECTORY_ID") or "unnamed"
