"""What the guard's own files looked like when they were last written by their operator."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agguard.ledger.connection import Connection


def keep(link: Connection, sums: Mapping[str, str], now: float) -> None:
    """Store the sha256 of each path, in place of all that were stored; inside a transaction."""
    link.run("DELETE FROM hashes")
    for path, sha256 in sums.items():
        link.add("hashes", {"path": path, "sha256": sha256, "recorded_at": now})


def kept(link: Connection) -> dict[str, str]:
    """Return the stored sha256 of each path."""
    return {str(path): str(sha) for path, sha in link.rows("SELECT path, sha256 FROM hashes")}
