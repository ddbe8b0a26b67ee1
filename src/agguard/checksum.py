"""SHA-256 without `hashlib`, whose import loads OpenSSL and costs a hook 10 %."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # CPython 3.12 and newer
    except ImportError:
        from _sha256 import sha256  # CPython 3.11

LARGEST = 1 << 20
"""Bytes of a file that are read; a larger file is told by its size and its beginning."""


def of_text(text: str) -> str:
    """Return the hexadecimal sum of a text in UTF-8."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def of_file(path: str) -> str:
    """Return the hexadecimal sum of a file; empty when it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
            if len(data) > LARGEST:
                data += str(file.seek(0, 2)).encode()
    except OSError:
        return ""
    return sha256(data).hexdigest()
