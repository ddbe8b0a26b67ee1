"""Short spellings for the tests of the ledger."""

from __future__ import annotations

from agguard.ledger.records import Conversation, Entry, WorkItem
from agguard.ledger.store import Ledger
from agguard.model.session import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

DAY = 86_400.0


def opened(folder: Path, name: str = "ledger.db", wait: float = 5.0) -> Ledger:
    """Open the ledger of a test."""
    return Ledger.open(str(folder / name), wait=wait, now=0.0)


def primary(name: str = "boss", depth: int = 2, **more: Any) -> Conversation:
    """Return a primary agent that may delegate `depth` levels."""
    return Conversation(name, Role.PRIMARY, remaining_depth=depth, bound_by="opening", **more)


def task(name: str, issuer: str = "boss", step: int = 1, **more: Any) -> WorkItem:
    """Return a work item for a worker whose token is called after it."""
    given = {
        "id": name,
        "token": f"token-{name}",
        "issuer": issuer,
        "step": step,
        "position": 0,
        "digest": f"digest-{name}",
        "role": Role.WORKER,
        "remaining_depth": 0,
        "read_only": False,
        **more,
    }
    return WorkItem(**given)


def spawn(conversation: str = "boss", step: int = 1, at: float = 1.0, turn: int = 1) -> Entry:
    """Return the decision that lets a conversation start agents."""
    return Entry(
        at, conversation, "PreToolUse", step, turn, "invoke_subagent", effect=8, decision="allow"
    )


def stop(
    decision: str = "allow", conversation: str = "boss", at: float = 9.0, turn: int = 1
) -> Entry:
    """Return the decision about a stop."""
    return Entry(at, conversation, "Stop", 9, turn, decision=decision)


def call(decision: str = "allow", conversation: str = "boss", **more: Any) -> Entry:
    """Return the decision about a tool call."""
    given = {"at": 1.0, "step": 1, "turn": 1, "tool": "run_command", "effect": 1, **more}
    return Entry(conversation=conversation, event="PreToolUse", decision=decision, **given)


def state(ledger: Ledger, conversation: str = "boss") -> str:
    """Return the state of a conversation's latest turn."""
    turn = ledger.turn(conversation)
    return turn.state if turn else "CLOSED"
