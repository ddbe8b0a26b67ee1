"""Recorded decisions as people and programs read them."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from agguard.cli import moments, output, settings

if TYPE_CHECKING:
    from agguard.ledger.reader import Reader
    from agguard.ledger.records import Entry

SHORT = 8
"""Characters of a conversation's id that are shown."""

ORDER = ("", "abstain", "allow", "ask", "force_ask", "deny")
"""Decisions from the mildest to the strictest."""


def reader() -> Reader:
    """Open the ledger for reading; LedgerError says why it cannot be read."""
    from agguard.ledger.reader import Reader
    from agguard.pipeline.books import NAME

    return Reader.open(os.path.join(settings.paths().state, NAME))


def rows(text: str) -> list[list[Any]]:
    """Return the rows of one of an entry's JSON texts; damage reads as none."""
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return [row for row in found if isinstance(row, list)] if isinstance(found, list) else []


def word(entry: Entry) -> str:
    """Say what came of it, in the host's word where a stop was sent back."""
    return "continue" if (entry.event, entry.decision) == ("Stop", "deny") else entry.decision


def judged(entry: Entry) -> str:
    """Return the strictest thing that a guard said, which may not have been enforced."""
    said = [str(row[1]) for row in rows(entry.reasons) if len(row) > 1 and row[1] in ORDER]
    return max([entry.decision, *said], key=lambda one: ORDER.index(one) if one in ORDER else 0)


def data(entry: Entry) -> dict[str, Any]:
    """Return an entry as data, its texts unpacked."""
    from agguard.model.effect import Effect

    return {
        **entry.asdict(),
        "time": moments.shown(entry.at),
        "effect": Effect(entry.effect).words,
        "decision": word(entry),
        "judged": judged(entry),
        "reasons": _named(entry.reasons, "guard", "decision", "text"),
        "faults": _named(entry.faults, "plugin", "hook", "kind", "text"),
        "answers": _named(entry.answers, "hook", "guard", "answer", "micros"),
    }


def _named(text: str, *names: str) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=False)) for row in rows(text)]


def agent(entry: Entry) -> str:
    """Say who it was about: role and the beginning of the conversation's id."""
    return f"{entry.role or '-'} {output.clean(entry.conversation[:SHORT])}".strip()


def about(entry: Entry) -> str:
    """Say what it was about, on one line."""
    return " ".join(output.clean(f"{entry.tool or entry.event} {entry.subject}").split())


def clock(at: float, now: float | None = None) -> str:
    """Return a time of today as a clock shows it, and of another day with its date."""
    today = time.strftime("%Y-%m-%d", time.localtime(now))
    shown = moments.shown(at)
    return shown[11:] if shown.startswith(today) else shown[5:16]
