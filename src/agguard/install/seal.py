"""Writes down what the guard's own files are, after the operator changed them."""

from __future__ import annotations

import contextlib
import os
import time

from agguard import checksum
from agguard.install.store import Store
from agguard.ledger.store import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agguard.paths import Paths

LEDGER = "ledger.db"


def seal(paths: Paths) -> None:
    """Store the sums of the configuration and, where agguard is registered, of its registration.

    Without a registration on record nothing of it is ours, so nothing that becomes of the host's
    files is a change behind our back.

    Raises:
        LedgerError: The ledger cannot be written.
    """
    from agguard.plugins.build import registration, wishes

    ours = registration(paths) if Store(paths.state).find(paths.host.hooks) else ()
    with _opened(paths.state) as ledger:
        ledger.keep_hashes(_sums((*ours, *wishes(paths))), time.time())


def seal_wishes(paths: Paths) -> None:
    """Store the sums of the configuration alone: its change says nothing of the registration.

    Raises:
        LedgerError: The ledger cannot be written.
    """
    from agguard.plugins.build import wishes

    reseal(paths.state, wishes(paths))


def unseal(paths: Paths) -> None:
    """Forget the sums of a registration that is gone, or its absence would look like a change.

    Raises:
        LedgerError: The ledger cannot be written.
    """
    from agguard.plugins.build import registration

    gone = set(registration(paths))
    if Store(paths.state).find(paths.host.hooks) or not os.path.exists(_path(paths.state)):
        return
    with _opened(paths.state) as ledger:
        known = ledger.hashes()
        if gone & known.keys():
            kept = {path: was for path, was in known.items() if path not in gone}
            ledger.keep_hashes(kept, time.time())


def reseal(state: str, changed: Iterable[str]) -> None:
    """Store the new sums of files that agguard itself has renewed; the others stay as they were.

    Raises:
        LedgerError: The ledger cannot be written.
    """
    with _opened(state) as ledger:
        ledger.keep_hashes({**ledger.hashes(), **_sums(changed)}, time.time())


def _sums(files: Iterable[str]) -> dict[str, str]:
    return {path: checksum.of_file(path) for path in files}


def _path(state: str) -> str:
    return os.path.join(state, LEDGER)


@contextlib.contextmanager
def _opened(state: str) -> Iterator[Ledger]:
    ledger = Ledger.open(_path(state), wait=2.0, now=time.time())
    try:
        yield ledger
    finally:
        ledger.close()
