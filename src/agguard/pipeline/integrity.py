"""Whether somebody changed the guard's own files behind its back (design, section 1).

What an agent's tools do directly is denied; what a script of its does shows here: the sums of our
registration, launcher and configuration stand in the ledger, and every hook compares them.
"""

from __future__ import annotations

from agguard import checksum
from agguard.model.verdict import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.pipeline.books import Books


def changed(watched: Iterable[str], books: Books) -> tuple[Fault, ...]:
    """Return a fault for each watched file that is not as the operator's last command left it.

    Args:
        watched: The files, as the manifest names them.
        books: Where the sums are.
    """
    sums = books.ask(lambda ledger: ledger.hashes()) or {}
    return tuple(
        Fault("agguard", "integrity", "changed", _text(path))
        for path in watched
        if path in sums and checksum.of_file(path) != sums[path]
    )


def _text(path: str) -> str:
    return (
        f"{path!r} was changed outside agguard; if that was you, run `agguard install` to accept it"
    )
