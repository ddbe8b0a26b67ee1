"""The one-time tokens by which a subagent proves which spawn it came from."""

from __future__ import annotations

import os

PATTERN = r"\[AGGUARD_TOKEN:([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\]"


def fresh() -> str:
    """Make a random UUID (version 4); the `uuid` module costs 4 ms of import."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def line(token: str) -> str:
    """Return the line that carries `token` in a prompt."""
    return f"[AGGUARD_TOKEN:{token}]"


def opening(prompt: str) -> str:
    """Return the token that a prompt begins with; empty when it begins with none.

    Only the beginning counts: text further down comes from whoever wrote the prompt.
    """
    import re  # only where a subagent starts: it costs a hook 10 %

    found = re.match(r"\s*" + PATTERN, prompt)
    return found[1] if found else ""
