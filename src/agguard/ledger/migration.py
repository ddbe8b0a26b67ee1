"""Brings a ledger up to date, one numbered step and one transaction at a time."""

from __future__ import annotations

from agguard.ledger.connection import APPLICATION, VERSION, examine
from agguard.ledger.schema import STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.connection import Connection


def migrate(link: Connection, now: float) -> None:
    """Run the steps that are missing; each is recorded in its own transaction."""
    for number in range(1, VERSION + 1):
        with link:
            # Read again under the lock: another process may have been faster, or newer.
            if examine(link) >= number:
                continue
            for statement in STEPS[number - 1]:
                link.run(statement)
            link.run("INSERT INTO migrations (version, at) VALUES (?, ?)", (number, now))
            link.run(f"PRAGMA application_id = {APPLICATION}")
            link.run(f"PRAGMA user_version = {number}")
