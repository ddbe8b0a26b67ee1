"""Where a value ends: quotes, escapes and the words of a shell.

Texts are often quoted more than once (`bash -c "..."`, JSON inside a command), so a quote may
carry backslashes, and a word may end at a quote that was opened long before it.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

_BARE = re.compile(r"(?:[^\s;&|<>()`\"'\\$]++|\$\{[^{}\n`\"']*+\}|\$)*+")
_BLANK = re.compile(r"(?:[ \t]|\\\r?\n|[<>]+&?)*+")
_QUOTE = re.compile(r"(?:[fFbBrRuU]{1,2}+|\$)?(\\*+[\"'])")
_CONTINUES = re.compile(r"[\w$./+~%@!^*=\\-]")
_REFERENCE = (
    r"\\*\$(?:env:)?\w+|\\*\$\{\w+(?::?[-=?+]|:?\?[^{}]*)?\}|\$\([^()]*\)|`[^`]*`|%\w+%|\{\w*\}"
    r"|<[^<>]*>?|\.\*.*|\$?\{\{[^{}]*\}\}|[\W_]*"
)
_SCHEMES = {"bearer", "basic", "token", "bot", "apikey"}
_NO_VALUE = {
    *("true", "false", "null", "none", "nil", "undefined", "yes", "no"),
    *("str", "string", "int", "bool"),
}
_CLOSERS = ",;:}])"
_AFTER_STRING = set(_CLOSERS)
"""What follows a string of a program or of JSON, and not a part of a shell's word."""


def closing(text: str, at: int, quote: str) -> Span | None:
    r"""Return where the quote that was opened just before `at` closes: (inner end, outer end).

    Args:
        text: The whole text.
        at: The first position inside the quotes.
        quote: The opening quote with its backslashes, such as `"` or `\"`.

    A quote of depth d (backslashes before it) is closed by one with d backslashes, or with d
    after an even number of escaped ones; fewer backslashes close an outer quote, and this one.
    In a shell `'` cannot be escaped, in Python it can: then the later end is taken.
    """
    depth, first, pos = len(quote) - 1, None, at
    while (found := text.find(quote[-1], pos)) >= 0:
        run = _backslashes(text, found, at)
        if run < depth or run % (2 * depth + 2) == depth:
            return found - min(run, depth), found + 1
        if first is None and quote == "'":
            first = (found, found + 1)
        pos = found + 1
    return first


def _backslashes(text: str, end: int, low: int) -> int:
    start = end
    while start > low and text[start - 1] == "\\":
        start -= 1
    return end - start


def run_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Return where a match at `at` ends, or `at` if there is none."""
    match = pattern.match(text, at)
    return match.end() if match else at


def word_end(text: str, at: int) -> int:
    """Return where the shell word at `at` ends; `at` itself if there is none."""
    pos = at
    while True:
        pos = run_end(_BARE, text, pos)
        opening = _QUOTE.match(text, pos) if text[pos : pos + 1] in {"\\", '"', "'"} else None
        if opening:
            end = _quoted_end(text, at, opening)
            if end == pos or (pos == at and text[end : end + 1] in _AFTER_STRING):
                return end
            pos = end
        elif text[pos : pos + 1] == "\\" and text[pos + 1 : pos + 2] not in {"n", "r", "t", "\n"}:
            pos = min(pos + 2, len(text))
        else:
            return pos


def _quoted_end(text: str, word: int, opening: re.Match[str]) -> int:
    """Return the end of a quoted part, or its start if the quote closes something outside."""
    if opening.start() > word and not _CONTINUES.match(text, opening.end()):
        return opening.start()
    end = closing(text, opening.end(), opening[1])
    if end:
        return end[1]
    return len(text) if opening.start() == word else opening.start()


def words(text: str, at: int) -> Iterator[Span]:
    """Yield the extents of the words from `at` to the end of the simple command."""
    while True:
        at = run_end(_BLANK, text, at)
        end = word_end(text, at)
        if end == at:
            return
        yield at, end
        at = end


def secret(text: str, at: int, end: int | None = None) -> Span | None:
    """Return what is secret of the value at `at`, or None if it is nothing or a reference.

    Args:
        text: The whole text.
        at: Where the value starts, quotes included.
        end: Where it ends, if that is known; else it is one shell word.
    """
    opening = _QUOTE.match(text, at)
    if end is None:
        end = word_end(text, at)
    if opening:
        inner = closing(text, opening.end(), opening[1])
        if inner is None or inner[1] == end:
            at, end = opening.end(), inner[0] if inner else end
    elif not is_reference(text[at:end]):
        end -= _closers(text[at:end])
    return None if is_reference(text[at:end], literal=opening and opening[1] == "'") else (at, end)


def _closers(value: str) -> int:
    """Return how many characters at the end close something that opened before the value."""
    return len(value) - len(value.rstrip(_CLOSERS))


def is_reference(value: str, *, literal: object = False) -> bool:
    """Tell whether a value only names a secret (`$TOKEN`, `<token>`), or is none (`null`, `***`).

    Args:
        value: The value without its quotes.
        literal: It stands in single quotes, where a shell expands nothing.
    """
    if literal and value.startswith("$") and "{{" not in value:
        return False
    scheme, _, rest = value.partition(" ")
    if rest and names_a_scheme(scheme):
        value = rest.lstrip()
    if value[:1].isalnum():
        return value.lower() in _NO_VALUE or not value.strip("xX")
    return re.compile(_REFERENCE).fullmatch(value) is not None


def names_a_scheme(word: str) -> bool:
    """Tell whether a word is the scheme of an Authorization header."""
    return word.lower() in _SCHEMES
