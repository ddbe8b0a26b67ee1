"""Where a value ends: quotes, escapes and the words of a shell.

Texts are often quoted more than once (`bash -c "..."`, JSON inside a command), so a quote may
carry backslashes, and a word may end at a quote that was opened long before it.
"""

from __future__ import annotations

import bisect
import functools
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

_BARE = re.compile(r"(?:[^\s;&|<>()`\"'\\$]++|\$\{[^{}\n`\"']*+\}|\$)*+")
_BLANK = re.compile(r"(?:[ \t]|\\\r?\n|[<>]+&?|,(?=\s*[\"']))*+")
_QUOTE = re.compile(r"(?:[fFbBrRuU]{1,2}+|\$)?(\\*+[\"'])")
_SEPARATOR = re.compile(r"[;&|\n]")
_MARK = re.compile(r"\\.|[\"'\n]")
_CONTINUES = re.compile(r"[\w$./+~%@!^*=\\-]")
_REFERENCE = (
    r"\\*\$(?:env:)?\w+|\\*\$\{\w+(?::?[-=?+]|:?\?[^{}]*)?\}|\$\([^()]*\)|`[^`]*`|%\w+%|\{\w*\}"
    r"|<[^<>]*>?|\.\*.*|\$?\{\{[^{}]*\}\}|[\W_]*"
)
_COMMAND = r"\$\((?:[^()]|\([^()]*+\))*+\)|`[^`]*+`"
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
            pos, last = _part_end(text, at, opening)
            if last:
                return pos
        elif text[pos : pos + 1] == "\\" and text[pos + 1 : pos + 2] not in {"n", "r", "t", "\n"}:
            pos = min(pos + 2, len(text))
        else:
            return pos


def _part_end(text: str, word: int, opening: re.Match[str]) -> tuple[int, bool]:
    """Return where a quoted part of a word ends, and whether the word ends there.

    It does where the quote closes something that was opened before the word, where no quote
    closes it, and after a string of JSON.
    """
    first = opening.start() == word
    if not first and not _CONTINUES.match(text, opening.end()):
        return opening.start(), True
    inner, outer = quoted_end(text, opening.end(), opening[1])
    if outer == inner:
        return (inner if first else opening.start()), True
    return outer, first and text[outer : outer + 1] in _AFTER_STRING


def quoted_end(text: str, at: int, quote: str) -> Span:
    """Return where a quoted value ends: (inner end, outer end), the same if it is not closed.

    Args:
        text: The whole text.
        at: The first position inside the quotes.
        quote: The opening quote with its backslashes.

    What follows a shell's separator counts as quoted only if it surely is: otherwise a quote in
    a comment, or one that is quoted itself, would hide a command from the log.
    """
    closed = closing(text, at, quote)
    if closed is None:
        eol = text.find("\n", at)
        return (eol, eol) if eol >= 0 else (len(text), len(text))
    if not _SEPARATOR.search(text, at, closed[0]):
        return closed
    end = min(closed[0], _sure_end(text, at, closed[0], quote))
    return closed if end == closed[0] else (end, end)


def _sure_end(text: str, at: int, end: int, quote: str) -> int:
    first, *lines = text[at:end].split("\n")
    if any(len(line.split()) > 1 for line in lines):
        end = at + len(first)
    outer = _quote_around(text, at - len(quote))
    if outer:
        closed = closing(text, at, outer)
        return min(end, closed[0]) if closed else end
    separator = _SEPARATOR.search(text, at, end) if len(quote) > 1 else None
    return separator.start() if separator else end


def _quote_around(text: str, at: int) -> str:
    """Return the quote of a shell that is open at `at`, as far as its line tells."""
    positions, states = _quotes(text)
    before = bisect.bisect_left(positions, at) - 1
    return states[before] if before >= 0 else ""


@functools.lru_cache(maxsize=4)
def _quotes(text: str) -> tuple[list[int], list[str]]:
    """Return where quotes open and close, and which one is open from there on.

    It is kept for the few texts at hand: a text is asked about at every value in it.
    """
    positions, states, state = [], [], ""
    for mark in _MARK.finditer(text):
        char = mark[0][-1] if state == "'" else mark[0]
        if char in {state, "\n"}:
            state = ""
        elif not state and char in {'"', "'"}:
            state = char
        else:
            continue
        positions.append(mark.end() - 1)
        states.append(state)
    return positions, states


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
        inner, outer = quoted_end(text, opening.end(), opening[1])
        if outer >= end:
            at, end = opening.end(), min(inner, end)
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


def without_commands(text: str, span: Span) -> Iterator[Span]:
    """Yield the parts of a span outside of `$(...)` and backticks: the log must show what runs."""
    start, end = span
    for command in re.compile(_COMMAND).finditer(text, start, end):
        yield start, command.start()
        start = command.end()
    yield start, end
