"""Reads a configuration file: what a path really holds, or why it cannot be read."""

from __future__ import annotations

import os
import stat

from agguard.config.problem import Problem
from agguard.model.value import Value

BIGGEST = 262_144
"""Most bytes that are read; a large pyproject.toml has some ten thousand."""


class Source(Value):
    """A configuration file as it was read.

    Args:
        path: the path that was asked for.
        data: its bytes; None when there is no file, or it cannot be read.
        stamp: time of change in ns, inode and size of the file that was read; None without one.
        problem: why it cannot be read, or None.
    """

    path: str
    data: bytes | None = None
    stamp: tuple[int, int, int] | None = None
    problem: Problem | None = None


def read(path: str) -> Source:
    """Read a file; whatever lies at the path, this returns soon and never raises."""
    try:
        # A FIFO without a writer would block an open that waits.
        handle = os.open(path, os.O_RDONLY | _flag("O_NONBLOCK") | _flag("O_BINARY"))
    except FileNotFoundError:
        if os.path.islink(path):
            return _failed(path, "it is a link that leads nowhere")
        return Source(path)
    except (OSError, ValueError) as error:
        return _failed(path, _reason(error))
    try:
        return _read_open(path, handle)
    except OSError as error:
        return _failed(path, _reason(error))
    finally:
        os.close(handle)


def _read_open(path: str, handle: int) -> Source:
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        return _failed(path, "it is not a regular file")
    data = bytearray()
    while len(data) <= BIGGEST and (block := os.read(handle, BIGGEST + 1)):
        data += block
    if len(data) > BIGGEST:
        return _failed(path, f"it is larger than {BIGGEST} bytes")
    return Source(path, bytes(data), (status.st_mtime_ns, status.st_ino, status.st_size))


def _failed(path: str, reason: str) -> Source:
    message = f"this file cannot be read: {reason}; expected a TOML file that its owner can read"
    return Source(path, problem=Problem(path, 0, 0, message))


def _reason(error: OSError | ValueError) -> str:
    text = error.strerror if isinstance(error, OSError) else str(error)
    return (text or "unknown error").lower()


def _flag(name: str) -> int:
    """Return a flag that not every platform has."""
    return int(getattr(os, name, 0))
