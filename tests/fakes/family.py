"""Who is whose child in a guarded home, as its ledger says, and what the host writes about it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from agguard.ledger.reader import Reader
from agguard.model.token import opening

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agguard.doctor.stage import Conversation
    from agguard.ledger.reader import Node
    from agguard.ledger.records import Event, WorkItem
    from fakes.guarded import Guarded

COORDINATOR = {"Role": "DeepCoder"}
"""A subagent that may delegate, by the shipped configuration."""

REPORT = json.dumps(
    {
        "status": "blocked",
        "summary": "There is nothing more to do.",
        "files_modified": [],
        "verify_cmd": "",
        "question": "What is next?",
    }
)
"""What any child may end its task with; it claims nothing that would have to be proved."""


class Bound(NamedTuple):
    """What the ledger holds of a conversation."""

    role: str
    parent: str
    depth: int
    read_only: bool


def bound(guarded: Guarded, who: Conversation) -> Bound | None:
    """Return the stored role of a conversation; None when none is stored."""
    for node in nodes(guarded):
        one = node.conversation
        if one.id == who.name and one.role != "unknown":
            return Bound(str(one.role), one.parent, one.remaining_depth, one.read_only)
    return None


def nodes(guarded: Guarded) -> Iterator[Node]:
    """Yield every conversation of the ledger."""
    with Reader.open(guarded.ledger) as reader:
        left = reader.tree()
    while left:
        node = left.pop()
        left += node.children
        yield node


def tasks(guarded: Guarded, child: Conversation) -> list[WorkItem]:
    """Return the work that a child was given, oldest first."""
    return next((list(x.work) for x in nodes(guarded) if x.conversation.id == child.name), [])


def statuses(guarded: Guarded, child: Conversation) -> list[str]:
    """Return how the work of a child stands."""
    return [item.status for item in tasks(guarded, child)]


def state(guarded: Guarded, who: Conversation) -> str:
    """Return the state of a conversation's turn; empty when it never began one."""
    found = (x.turn.state for x in nodes(guarded) if x.conversation.id == who.name and x.turn)
    return next(iter(found), "")


def unclaimed(guarded: Guarded, issuer: Conversation) -> list[WorkItem]:
    """Return the work that waits for a child."""
    with Reader.open(guarded.ledger) as reader:
        return reader.unclaimed(issuer.name)


def events(guarded: Guarded, issuer: Conversation) -> list[Event]:
    """Return what happened to a conversation's turn and to the work that it issued."""
    with Reader.open(guarded.ledger) as reader:
        return reader.events(conversation=issuer.name)


def verified(guarded: Guarded) -> list[str]:
    """Return every disagreement in the ledger."""
    with Reader.open(guarded.ledger) as reader:
        return reader.verify()


def dump(guarded: Guarded) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of the ledger but the audit log, table by table."""
    from agguard.ledger.connection import Connection

    link = Connection(guarded.ledger, 5.0, read_only=True)
    try:
        names = link.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        kept = [str(name) for (name,) in names if name not in ("decisions", "marks")]
        return {name: link.rows(f"SELECT * FROM {name}") for name in kept}  # noqa: S608
    finally:
        link.db.close()


def token(prompt: str) -> str:
    """Return the token that a prompt begins with."""
    found = opening(prompt)
    assert found, f"no token in {prompt[:80]!r}"
    return found


def spawn(guarded: Guarded, parent: Conversation, *entries: Mapping[str, Any]) -> list[str]:
    """Have an agent start subagents, and return their prompts as they were overwritten."""
    found = guarded.spawn(parent, *entries)
    assert found.decision == "allow", found.reason
    return found.prompts


def coordinator(guarded: Guarded, parent: Conversation | None = None) -> Conversation:
    """Have a primary start a coordinator that has fired its first hook."""
    parent = parent or guarded.primary()
    (prompt,) = spawn(guarded, parent, {"Prompt": "Coordinate.", **COORDINATOR})
    found = guarded.child(parent, prompt)
    parent.spawned(found)
    guarded.view(found)
    return found


def worker(guarded: Guarded, parent: Conversation, prompt: str = "Work.") -> Conversation:
    """Have an agent start a worker that has fired its first hook."""
    (augmented,) = spawn(guarded, parent, {"Prompt": prompt})
    found = guarded.child(parent, augmented)
    parent.spawned(found)
    guarded.view(found)
    return found


def metadata(parent: Conversation, child: Conversation, step: int, **about: str) -> None:
    """Write the engine's record of a subagent into its parent's folder (contract, 2.3)."""
    folder = os.path.join(parent.folder, ".system_generated", "subagents")
    os.makedirs(folder, exist_ok=True)
    record = {
        "conversationId": child.name,
        "subagentDescriptor": {"typeName": "self", "role": "executor", **about},
        "state": "RUNNING",
        "spawnStepIndex": step,
        "workspaceUris": [],
    }
    with open(os.path.join(folder, f"{child.name}.json"), "w", encoding="utf-8") as file:
        json.dump(record, file)


def idle(parent: Conversation, child: Conversation, report: str = REPORT) -> None:
    """Record in the parent's transcript that the engine saw a child go idle."""
    text = f"Subagent {child.name} has gone idle. This was the subagent's most recent response: "
    parent.message("system", text + report)
