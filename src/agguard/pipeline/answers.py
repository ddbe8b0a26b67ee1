"""What each guard said, as the ledger keeps it for `agguard why`. Pure.

Guards without an opinion are left out, and what would be said twice: a verdict's reason stands
with the decision.
"""

from __future__ import annotations

from agguard import jsontext
from agguard.model.effect import Effect
from agguard.model.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from agguard.dispatch.implementation import Answer

LONGEST = 300
"""Characters of one answer."""


def kept(answers: Iterable[Answer]) -> str:
    """Return the answers as JSON: a list of [hook, guard, answer, microseconds]."""
    rows = [
        [one.implementation.hook, one.guard, words, one.micros]
        for one in answers
        if (words := _words(one))
    ]
    return jsontext.dumps(rows)


def _words(one: Answer) -> str:
    """Return an answer in brief; empty for no opinion."""
    if one.fault:
        return f"fault ({one.fault.kind})"
    if isinstance(one.value, Effect):
        return one.value.words
    return _value(one.implementation.hook, one.value.asdict()) if one.value is not None else ""


def _value(hook: str, fields: dict[str, Any]) -> str:
    if "decision" in fields:
        return fields["decision"].word if fields["decision"] else ""
    if "again" in fields:
        return "continue" if fields["again"] else "stop"
    if hook == "rewrite_command":
        short = redact(str(fields["text"])[: 4 * LONGEST])[:LONGEST]
        return short.encode("utf-8", "replace").decode()
    added = sum(len(str(fields.get(name, ""))) for name in ("before", "after", "text"))
    if not added:
        return ""
    from agguard.quantity import counted

    return f"adds {counted(added, 'character')}"
