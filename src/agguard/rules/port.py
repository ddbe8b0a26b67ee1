"""What the rules engine needs from the world: one port, whose answers are facts."""

from __future__ import annotations

FILE = "file"
FOLDER = "folder"
MISSING = "missing"
DANGLING = "dangling"  # a link that leads nowhere or in a circle
SPECIAL = "special"  # a FIFO, a socket, a device: reading it could hang
CLOSED = "closed"  # may not be looked at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Read(Protocol):
        """Answers questions about paths; never writes, never blocks, never raises but OSError."""

        def kind(self, path: str) -> str:
            """Return one of the words above; links are followed."""

        def names(self, path: str) -> tuple[str, ...]:
            """Return the names in a folder, sorted; none when it cannot be listed."""

        def real(self, path: str) -> str:
            """Return the path with its links resolved."""

        def linked(self, path: str) -> bool:
            """Whether the path itself is a link."""

        def data(self, path: str) -> bytes:
            """Return a regular file's bytes; OSError with a plain `strerror` otherwise."""
