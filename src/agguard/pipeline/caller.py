"""Makes the session of a firing: what the host sent, and who the caller is."""

from __future__ import annotations

import os

from agguard.ledger.records import Conversation
from agguard.model.session import Role, Session
from agguard.pipeline import rights, upkeep
from agguard.pipeline.lineage import PATIENCE, Lineage, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.model.event import Event
    from agguard.pipeline.books import Books
    from agguard.plugins.manifest import Manifest

ENVIRONMENT = "environment"
"""How a session is bound whose hook runs in an agent's shell."""

MODEL = "model name"

DEADLINE = 5.0
"""Seconds for a whole hook, where the configuration does not say."""


def session(event: Event, compiled: Manifest, books: Books, now: float) -> Session:
    """Return the session; its role is UNKNOWN where the ledger or the evidence fails."""
    settings = compiled.settings
    starter = starting_conversation()
    if not starter:
        books.ask(lambda ledger: upkeep.sweep(ledger, now, settings.get("ledger", {})))
    who = _started(event, starter, now) if starter else _caller(event, settings, books, now)
    paths = compiled.paths
    found = Session(
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
        home=paths.get("home", ""),
        protected=tuple(paths.get("protected", ())),
        inside_agent=bool(starter),
        cache_dir=paths.get("cache", ""),
        settings=settings,
    )
    found = found.replace(remaining_depth=rights.depth(found))
    return _with_task(event, found, books, now)


def is_forged(found: Session) -> bool:
    """Whether the hook runs in an agent's shell, so that nothing it says can be believed.

    Agents can run the launcher with any payload. An agent CLI that one of them starts runs its
    hooks in the same environment and its payloads look the same, so both are treated alike: what
    they ask is answered as for a worker without rights, recorded, and changes nothing. To bind
    the conversation that the payload names would let an agent take the rights of any other.
    """
    return found.inside_agent


def starting_conversation() -> str:
    """Return the conversation in whose shell this hook runs; empty when it runs in none.

    The engine marks the environment of commands (contract, the table), and what is started from
    there inherits the marks. Without a name the starter is still an agent.
    """
    if not os.environ.get("ANTIGRAVITY_AGENT"):
        return ""
    return os.environ.get("ANTIGRAVITY_TRAJECTORY_ID") or "unnamed"


def _started(event: Event, starter: str, now: float) -> Conversation:
    return Conversation(
        event.conversation,
        Role.WORKER,
        parent=starter,
        read_only=True,
        bound_by=ENVIRONMENT,
        first_seen=now,
        last_seen=now,
    )


def _caller(event: Event, settings: Mapping[str, Any], books: Books, now: float) -> Conversation:
    delegation = settings.get("delegation", {})
    depth = delegation.get("max_depth", rights.DEPTH)
    patience = min(PATIENCE, settings.get("hooks", {}).get("deadline", DEADLINE) / 4)
    found: Conversation | None = books.ask(
        lambda ledger: Lineage(ledger, now, depth, patience).of(event)
    )
    who = found or unknown(event, now, books.trouble)
    is_flash = delegation.get("flash_is_subagent", False) and "flash" in event.model.lower()
    if is_flash and not who.role.is_child:
        # The first seed's rule, off by default: a guess that any primary on a flash model breaks.
        return who.replace(role=Role.WORKER, remaining_depth=0, bound_by=MODEL)
    return who


def _with_task(event: Event, found: Session, books: Books, now: float) -> Session:
    """Take the right to change anything from a child without an open task."""
    if not found.role.is_child or found.bound_by == MODEL or is_forged(found):
        return found
    task = books.ask(lambda ledger: upkeep.task(ledger, event, found, now))
    return found if task else found.replace(read_only=True, is_idle=True)
