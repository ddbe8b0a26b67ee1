"""SHA-256 without `hashlib`, whose import loads OpenSSL and costs a hook 10 %."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # CPython 3.12 and newer
    except ImportError:
        from _sha256 import sha256  # CPython 3.11

LARGEST = 16 << 20
"""Bytes of a file that are read; a larger file is told by its size, its beginning and its end.

A hooks.json of 5 MB is read whole (15 ms): our entry stands at its end.
"""


def of_text(text: str) -> str:
    """Return the hexadecimal sum of a text in UTF-8."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def of_file(path: str) -> str:
    """Return the hexadecimal sum of a file; empty when it cannot be read, or is no file."""
    # A pipe without a writer would block an open that waits.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            data = file.read(LARGEST + 1)
            if len(data) > LARGEST:
                size = file.seek(0, 2)
                file.seek(max(LARGEST, size - LARGEST))
                data += str(size).encode() + file.read(LARGEST)
    except OSError:
        return ""
    return sha256(data).hexdigest()
