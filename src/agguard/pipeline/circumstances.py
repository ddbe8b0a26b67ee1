"""What the guards need to know about a tool call besides the call: read only where it matters."""

from __future__ import annotations

from agguard.model.verdict import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.store import Ledger
    from agguard.model.call import Spawn, ToolCall
    from agguard.pipeline.desk import Desk

TARGETS = ("TargetFile", "target_file", "NotebookPath")
"""Arguments that name the file that a call changes."""
MOST = 50
"""Entries of the log that are looked at."""


def known(call: ToolCall, desk: Desk) -> ToolCall:
    """Return the call with the facts around it."""
    session = desk.session
    spawns = desk.host.spawns(call)
    if spawns:
        return call.replace(spawns=_recognized(spawns, desk))
    if not session.role.is_child:
        return call
    if desk.host.message(call) is not None:
        found = desk.books.ask(lambda x: _denials(x, session.conversation, call.name))
        return call.replace(denials=found or 0)
    if session.section("escalation").get("mode", "advise") == "enforce" and _may_edit(call, desk):
        from agguard.pipeline.failures import failures

        return call.replace(failures=failures(session, desk.books))
    return call


def _may_edit(call: ToolCall, desk: Desk) -> bool:
    """Whether a call names a file to change, or runs a command that may."""
    return desk.host.command(call) is not None or any(call.text(key) for key in TARGETS)


def _recognized(spawns: tuple[Spawn, ...], desk: Desk) -> tuple[Spawn, ...]:
    """Return the spawns with the failed tasks that they repeat; most agents have none."""
    issuer = desk.session.conversation
    reports = desk.books.ask(lambda x: x.deliveries(issuer)) or []
    if all(report.status != "failed" for report in reports):
        return spawns
    from agguard.pipeline.setbacks import recognized

    return recognized(spawns, desk.books.ask(lambda x: x.given(issuer)) or [], reports)


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
