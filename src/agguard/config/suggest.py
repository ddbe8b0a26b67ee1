"""Did you mean …?"""

from __future__ import annotations

import difflib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that was probably meant, or ''."""
    spelled = {_plain(candidate): candidate for candidate in known}
    found = difflib.get_close_matches(_plain(word), spelled, n=1, cutoff=0.6)
    return spelled[found[0]] if found else ""


def nearest_key(key: str, known: Iterable[str]) -> str:
    """Return the known dotted key that was probably meant, or ''.

    A key that stands in the wrong section, or in none, is found by its last part.
    """
    keys = tuple(known)
    leaf = _plain(key.rpartition(".")[2])
    moved = [candidate for candidate in keys if _plain(candidate.rpartition(".")[2]) == leaf]
    return moved[0] if len(moved) == 1 else nearest(key, keys)


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_")
