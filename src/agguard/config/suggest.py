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


def moved(key: str, known: Iterable[str]) -> str:
    """Return the only known dotted key with the same last part, or ''.

    It is meant by a key that stands in the wrong section, or in none.
    """
    leaf = _leaf(key)
    found = [candidate for candidate in known if _leaf(candidate) == leaf]
    return found[0] if len(found) == 1 else ""


def _leaf(key: str) -> str:
    return _plain(key.rpartition(".")[2])


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_")
