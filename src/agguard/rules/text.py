"""Text as the host's engine sees it: bytes that need not be UTF-8, and Go's white space.

Rule files are decoded with `surrogateescape`, so that no byte is lost on the way; what is shown
has U+FFFD for each invalid byte (10.6).
"""

from __future__ import annotations

SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Go's `unicode.IsSpace`; `str.strip` without arguments removes U+001C-001F too."""

BOM = "\ufeff"

_ESCAPED = dict.fromkeys(range(0xDC80, 0xDD00), "\ufffd")


def trim(text: str) -> str:
    """Return `text` without Go's white space at both ends."""
    return text.strip(SPACE)


def lossless(data: bytes) -> str:
    """Return the bytes as text from which they can be had back; see `raw`."""
    return data.decode("utf-8", "surrogateescape")


def raw(text: str) -> bytes:
    """Return the bytes that `lossless` was given."""
    return text.encode("utf-8", "surrogateescape")


def shown(text: str) -> str:
    """Return the text as the model sees it: each invalid byte becomes one U+FFFD (10.6)."""
    return text if text.isascii() else text.translate(_ESCAPED)


def strict(data: bytes) -> str | None:
    """Return the text, or None when the bytes are not valid UTF-8 (4.2)."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def guessed(data: bytes) -> str | None:
    """Return the text of a global or an included file, or None when it has none (6.4).

    A UTF-8 byte order mark is removed, and UTF-16 read by its mark. The mark of UTF-32 in little
    endian begins like UTF-16's, but such files are not read (measured on 0.1.22). Where the host
    asks a charset detector, the answer here is None: its guesses cannot be reproduced.
    """
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return None
    if data.startswith(b"\xff\xfe"):
        return data[2:].decode("utf-16-le", "replace")
    if data.startswith(b"\xfe\xff"):
        return data[2:].decode("utf-16-be", "replace")
    text = strict(data)
    return text.removeprefix(BOM) if text is not None else None
