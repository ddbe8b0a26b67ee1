r"""Whether the host can use a matcher: it is RE2, and a bad one silently switches its hook off.

Contract, section 1.3. Python has no RE2, so what only one of the two dialects knows is refused or
respelled first, and Python's own compiler judges the rest. Checked against RE2 itself on a table
of patterns; `^*`, `\b*` and `[\d-z]` are wrongly refused here.
"""

from __future__ import annotations

import re
import warnings

_PIECE = re.compile(
    r"\\Q.*?\\E|\\Q|\\[pP](?:\{\^?\w+\}|\w)|\\x\{\w+\}|\\.|\[:\^?\w+:\]"
    r"|\(\?P?<(?=\w+>)|\(\?[^:)]*[:)]?|[*+?}][*+]|.",
    re.DOTALL,
)
_REFUSED = {
    re.compile(r"\\Q"): r"RE2 has no \Q without \E",
    re.compile(r"\\[1-9]"): "RE2 has no back-references",
    re.compile(r"\\(?![AzbBdDsSwWaftnrvCxpPQE])[^\W\d_]"): "RE2 has no such escape",
    re.compile(
        r"\[:(?!\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper"
        r"|word|xdigit):).*"
    ): "RE2 has no such class",
    re.compile(r"\(\?(?!P?<\Z|[imsU]*(?:-[imsU]+)?[:)]\Z).*", re.DOTALL): (
        "RE2 has no such group: no look-around, no conditions, no comments"
    ),
    re.compile(r"[*+?}][*+]"): "RE2 has no such repetition",
}
_COUNT = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_LIMIT = 1000
"""The most repetitions that RE2 accepts in `{n,m}`."""


def problem(matcher: str) -> str:
    """Return why RE2 refuses a matcher; '' when it does not, as far as can be told without it."""
    if matcher in {"", "*"}:
        return ""
    pieces = [found[0] for found in _PIECE.finditer(matcher)]
    for piece in pieces:
        for refused, why in _REFUSED.items():
            if refused.fullmatch(piece):
                return f"{why}: {piece!r}"
    counts = (int(number[:9]) for pair in _COUNT.findall(matcher) for number in pair if number)
    if any(count > _LIMIT for count in counts):
        return f"RE2 repeats at most {_LIMIT} times"
    return _compiled("".join(map(_respelled, pieces)))


def _respelled(piece: str) -> str:
    """Write a piece of RE2 as Python spells it; what it matches does not matter."""
    if piece.startswith(r"\Q"):
        return re.escape(piece[2:-2])
    if piece.startswith((r"\p", r"\P", r"\x{", "[:")):
        return r"\w"
    if piece.startswith("(?"):
        # Flags may stand anywhere in RE2 and only in front in Python; groups need no names.
        return "" if piece.endswith(")") else "(" if piece.endswith("<") else "(?:"
    return {r"\z": r"\Z", r"\C": "."}.get(piece, piece)


def _compiled(pattern: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    return ""
