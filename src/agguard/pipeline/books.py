"""The ledger as a hook uses it: a ledger that cannot be used is a fault, never an end."""

from __future__ import annotations

import os

from agguard.errors import LedgerError
from agguard.model.verdict import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from agguard.ledger.store import Ledger

    T = TypeVar("T")

NAME = "ledger.db"

PATIENCE = 1.5
"""Seconds to wait for a locked ledger, at the most."""

HURRY = 0.1
"""Seconds to wait after it could not be had once: the hook as a whole has a deadline."""


class Books:
    """The ledger, or the reason why there is none.

    Args:
        state: The folder of the ledger.
        left: Seconds that the hook still has.
        now: Seconds since the epoch.
    """

    def __init__(self, state: str, left: float, now: float) -> None:
        from agguard.ledger.store import Ledger

        self.faults: list[Fault] = []
        self._ledger: Ledger | None = None
        try:
            wait = min(PATIENCE, left / 2)
            self._ledger = Ledger.open(os.path.join(state, NAME), wait=wait, now=now)
        except LedgerError as error:
            self._note(error)

    def ask(self, question: Callable[[Ledger], T]) -> T | None:
        """Read or write through the ledger; None, and a fault, when it cannot be used."""
        if self._ledger is None:
            return None
        try:
            return question(self._ledger)
        except LedgerError as error:
            self._note(error)
            self._hurry()
            return None

    def close(self) -> None:
        """Close the ledger, so that its log does not grow without end."""
        if self._ledger is not None:
            self.ask(lambda ledger: ledger.close())

    @property
    def trouble(self) -> str:
        """Why the ledger could not be used; empty when it could."""
        return self.faults[-1].text if self.faults else ""

    def _hurry(self) -> None:
        try:
            if self._ledger:
                self._ledger.hurry(HURRY)
        except LedgerError:
            self._ledger = None

    def _note(self, error: LedgerError) -> None:
        self.faults.append(Fault("agguard", "ledger", "ledger", str(error)))
