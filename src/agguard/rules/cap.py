"""The cap of one rule (7): 24,000 bytes, cut at the end of a line."""

from __future__ import annotations

CAP = 24_000


def cut(head: bytes, size: int) -> tuple[bytes, int]:
    """Return a body within the cap and the number of bytes that it lost.

    Args:
        head: the body's first bytes: all, or at least CAP + 1.
        size: bytes of the whole body.
    """
    if size <= CAP:
        return head, 0
    kept = head[: max(head.rfind(b"\n", 0, CAP + 1), 0)].removesuffix(b"\r")
    lost = size - len(kept)
    return kept + (b"\n" if kept else b"") + f"<truncated {lost} bytes>".encode(), lost
