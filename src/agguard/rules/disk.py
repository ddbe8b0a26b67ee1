"""The port's implementation on a real file system."""

from __future__ import annotations

import errno
import os
import stat

from agguard.rules import port

LARGEST = 16 * 1024 * 1024
"""Bytes of a file beyond which it is not read: 700 times what the engine keeps of it."""


class Disk:
    """Reads the file system without ever waiting for it (see `agguard.rules.port.Read`)."""

    def kind(self, path: str) -> str:
        """Return what stands at `path`, links followed."""
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            return self._absence(path, error)
        except ValueError:  # a null byte
            return port.MISSING
        if stat.S_ISREG(mode):
            return port.FILE
        return port.FOLDER if stat.S_ISDIR(mode) else port.SPECIAL

    def _absence(self, path: str, error: OSError) -> str:
        if error.errno in (errno.EACCES, errno.EPERM):
            return port.CLOSED
        return port.DANGLING if self.linked(path) else port.MISSING

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder, sorted; none when it cannot be listed."""
        try:
            return tuple(sorted(os.listdir(path)))
        except (OSError, ValueError):
            return ()

    def real(self, path: str) -> str:
        """Return the path with its links resolved; a circle of links is left as it is."""
        try:
            found = os.path.realpath(path)
        except ValueError:
            return path
        return found.replace(os.sep, "/")

    def linked(self, path: str) -> bool:
        """Whether the path itself is a link."""
        return os.path.islink(path)

    def data(self, path: str) -> bytes:
        """Return a regular file's bytes.

        Raises:
            OSError: it is no regular file, larger than `LARGEST`, or may not be read.
        """
        # O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever (seen to hang
        # the host's own engine).
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags)
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise OSError(errno.EINVAL, "not a regular file", path)
            if found.st_size > LARGEST:
                raise OSError(errno.EFBIG, f"larger than {LARGEST} bytes", path)
            return _drain(handle, found.st_size)
        finally:
            os.close(handle)


def _drain(handle: int, size: int) -> bytes:
    """Read to the end or to LARGEST; `size` may be wrong, files of /proc say that they have 0."""
    chunks: list[bytes] = []
    total = 0
    while total <= LARGEST and (chunk := os.read(handle, max(size - total, 0) + 65_536)):
        chunks.append(chunk)
        total += len(chunk)
    return b"".join(chunks)[:LARGEST]
