"""Antigravity's answers, written strictly (contract, section 3).

Any field that the host does not know voids the whole answer, and a PreToolUse answer without a
decision denies every tool call; so each event has its own fields and nothing else.
"""

from __future__ import annotations

from agguard.model.verdict import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.model.verdict import Outcome

INJECTS = ("SessionStart", "PreInvocation")


def answer(event: str, outcome: Outcome) -> dict[str, Any]:
    """Return the document that answers `event`.

    PreToolUse always has an explicit decision; `allow` means no objection on this host, so the
    user's own permission prompt still comes (contract, section 3.1).
    """
    if event == "PreToolUse":
        return _tool(outcome)
    if event == "Stop" and outcome.decision == Decision.DENY:
        return {"decision": "continue", "reason": outcome.reason}
    if event in INJECTS and outcome.messages:
        # `ephemeralMessage` is a silent no-op on some builds (contract, section 3.3).
        text = "\n\n".join(outcome.messages)
        return {"injectSteps": [{"systemMessage": {"systemMessage": text}}]}
    return {}


def _tool(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = {"decision": (outcome.decision or Decision.ALLOW).word}
    if outcome.reason:
        found["reason"] = outcome.reason
    if outcome.overwrite and outcome.decision != Decision.DENY:
        found["overwrite"] = dict(outcome.overwrite)
    return found
