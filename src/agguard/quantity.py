"""A number and what it counts, in one place: `1 file`, `2 files`."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun, in the singular for exactly one.

    Args:
        count: How many.
        one: What follows the number 1, such as `file` or `file is left`.
        many: What follows every other number; `one` with an s where it is left out.
    """
    return f"{count} {one if count == 1 else many or f'{one}s'}"
