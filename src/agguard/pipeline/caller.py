"""Makes the session of a firing: what the host sent, and who the caller is."""

from __future__ import annotations

import os

from agguard.model.session import Role, Session
from agguard.pipeline import upkeep
from agguard.pipeline.lineage import Lineage, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.ledger.records import Conversation
    from agguard.model.event import Event
    from agguard.pipeline.books import Books
    from agguard.plugins.manifest import Manifest

TIMEOUT = 86_400
"""Seconds of silence after which work is dead, where the configuration does not say."""

ENVIRONMENT = "environment"
"""How a session is bound that an agent's shell started."""


def session(event: Event, compiled: Manifest, books: Books, now: float) -> Session:
    """Return the session; its role is UNKNOWN where the ledger or the evidence fails."""
    settings = compiled.settings
    timeout = settings.get("ledger", {}).get("work_timeout", TIMEOUT)
    books.ask(lambda ledger: upkeep.sweep(ledger, now, timeout))
    starter = starting_conversation()
    who = _caller(event, settings, books, now, starter)
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
        protected=tuple(paths.get("protected", ())),
        inside_agent=bool(starter),
        home=paths.get("home", ""),
        cache_dir=paths.get("cache", ""),
        settings=settings,
    )
    return _with_task(event, found, books, now)


def is_forged(found: Session) -> bool:
    """Whether an agent's shell fires a hook in the name of a session that it did not start.

    Agents can run the launcher with any payload; the host marks the environment of their shells.
    What such a call asks is answered, and changes nothing.
    """
    return found.inside_agent and found.bound_by != ENVIRONMENT


def starting_conversation() -> str:
    """Return the conversation in whose shell this hook runs; empty when it runs in none.

    The engine marks the environment of commands (contract, the table), and what is started from
    there inherits the marks. Without a name the starter is still an agent.
    """
    if not os.environ.get("ANTIGRAVITY_AGENT"):
        return ""
    return os.environ.get("ANTIGRAVITY_TRAJECTORY_ID") or "unnamed"


def _caller(
    event: Event, settings: Mapping[str, Any], books: Books, now: float, starter: str
) -> Conversation:
    delegation = settings.get("delegation", {})
    depth = delegation.get("max_depth", 2)
    found: Conversation | None = books.ask(
        lambda ledger: Lineage(ledger, now, depth, starter).of(event)
    )
    who = found or unknown(event, now, books.trouble)
    is_flash = delegation.get("flash_is_subagent", False) and "flash" in event.model.lower()
    if is_flash and not who.role.is_child:
        # The first seed's rule, off by default: a guess that any primary on a flash model breaks.
        return who.replace(role=Role.WORKER, remaining_depth=0, bound_by="model name")
    return who


def _with_task(event: Event, found: Session, books: Books, now: float) -> Session:
    """Take the right to change anything from a child without an open task."""
    if not found.role.is_child or found.bound_by == "model name" or is_forged(found):
        return found
    task = books.ask(lambda ledger: upkeep.task(ledger, event, found, now))
    return found if task else found.replace(read_only=True, is_idle=True)
