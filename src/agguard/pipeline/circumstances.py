"""What the guards need to know about a tool call besides the call: read only where it matters."""

from __future__ import annotations

from agguard.model.verdict import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.store import Ledger
    from agguard.model.call import ToolCall
    from agguard.pipeline.desk import Desk

MOST = 50
"""Entries of the log that are looked at."""


def known(call: ToolCall, desk: Desk) -> ToolCall:
    """Return the call with the facts around it."""
    if desk.session.role.is_child and desk.host.message(call) is not None:
        conversation = desk.session.conversation
        found = desk.books.ask(lambda x: _denials(x, conversation, call.name))
        return call.replace(denials=found or 0)
    return call


def _denials(ledger: Ledger, conversation: str, tool: str) -> int:
    """Return how often in a row the newest calls of a tool were denied."""
    count = 0
    for entry in ledger.entries(conversation=conversation, limit=MOST):
        if entry.event != "PreToolUse" or entry.tool != tool:
            continue
        if entry.decision != Decision.DENY.word:
            break
        count += 1
    return count
