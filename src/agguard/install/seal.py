"""Writes down what the guard's own files are, after the operator changed them."""

from __future__ import annotations

import os
import time

from agguard import checksum
from agguard.ledger.store import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.paths import Paths


def seal(paths: Paths) -> None:
    """Store the sums of registration, launcher and configuration in the ledger.

    Raises:
        LedgerError: The ledger cannot be written.
    """
    from agguard.plugins.build import watched

    _store(paths.state, watched(paths), {})


def reseal(state: str, changed: Iterable[str]) -> None:
    """Store the new sums of files that agguard itself has renewed; the others stay as they were.

    Raises:
        LedgerError: The ledger cannot be written.
    """
    _store(state, changed, None)


def _store(state: str, files: Iterable[str], before: dict[str, str] | None) -> None:
    ledger = Ledger.open(os.path.join(state, "ledger.db"), wait=2.0, now=time.time())
    try:
        known = ledger.hashes() if before is None else before
        sums = {path: checksum.of_file(path) for path in files}
        ledger.keep_hashes({**known, **sums}, time.time())
    finally:
        ledger.close()
