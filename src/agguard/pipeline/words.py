"""What a task is about, in a form that gives nothing away: hashes of its words. Pure.

A task that failed and is handed out again is rarely worded the same, so its digest is not enough to
recognize it; and the ledger keeps no prompts.
"""

from __future__ import annotations

LEAST = 4
"""Letters of a word that says something; shorter ones are in every text."""
MOST = 200
"""Words that are kept."""
SAME = 0.6
"""The share of the shorter task's words that two wordings of one task have in common."""
ENOUGH = 3
"""Words in common without which nothing is the same."""
DIGITS = 5
"""Hexadecimal digits of one word: 20 bits tell words apart and cannot be read back."""


def words(prompt: str) -> str:
    """Return the words of a task as one text of sorted hashes."""
    import zlib

    letters = "".join(sign if sign.isalnum() or sign == "_" else " " for sign in prompt.casefold())
    kept = sorted({word for word in letters.split() if len(word) >= LEAST})
    found = {f"{zlib.crc32(word.encode('utf-8', 'replace')) & 0xFFFFF:05x}" for word in kept[:MOST]}
    return "".join(sorted(found))


def is_same(one: str, other: str) -> bool:
    """Whether two tasks, as `words` returns them, are wordings of one."""
    first, second = _parts(one), _parts(other)
    common = len(first & second)
    if first == second:
        return bool(first)
    return common >= ENOUGH and common >= SAME * min(len(first), len(second))


def _parts(text: str) -> set[str]:
    return {text[at : at + DIGITS] for at in range(0, len(text), DIGITS)}
