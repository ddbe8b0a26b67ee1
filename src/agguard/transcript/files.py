"""The two files of one transcript."""

# pathlib costs a hook 11 ms (design, section 6).
from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

FULL = "transcript_full.jsonl"
COMPACT = "transcript.jsonl"
STALE_NS = 2_000_000_000


class File:
    """A regular file, open for reading.

    Args:
        path: Its path.

    Raises:
        OSError: It cannot be read, or is not a regular file: opening a pipe would block.
        ValueError: The path cannot be a path.
    """

    __slots__ = ("_file", "size")

    def __init__(self, path: str) -> None:
        if not stat.S_ISREG(os.stat(path).st_mode):
            msg = "not a regular file"
            raise OSError(msg)
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115 - closed by __exit__
        self.size = os.fstat(self._file.fileno()).st_size

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes at `offset`; fewer at the end of the file."""
        self._file.seek(offset)
        block = self._file.read(size)
        while len(block) < size and (more := self._file.read(size - len(block))):
            block += more
        return block

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def candidates(path: str) -> tuple[str, ...]:
    """Return the files to read for the transcript `path`, best first.

    Hosts name either transcript.jsonl or transcript_full.jsonl (contract, section 5). Their lines
    map one to one, but in the compact one fields are cut to 4 kB and arguments are strings, so
    the full one is better evidence, unless it is empty or has clearly fallen behind.
    """
    folder, name = os.path.split(path)
    if name not in (FULL, COMPACT):
        return (path,) if path else ()
    full, compact = os.path.join(folder, FULL), os.path.join(folder, COMPACT)
    newest, other = stamp(full), stamp(compact)
    behind = (
        other is not None
        and other[0] > 0
        and (newest is None or newest[0] == 0 or other[1] - newest[1] > STALE_NS)
    )
    return (compact, full) if behind else (full, compact)


def stamp(path: str) -> tuple[int, int, int] | None:
    """Return size, time of change in ns and inode, or None when there is no such file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino
