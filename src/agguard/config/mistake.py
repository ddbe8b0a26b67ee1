"""What a mistake in a TOML text is: which line it quarrels with, what was expected. Pure.

The parser says `cannot declare ('rtk',) twice`; people need the other line and the next step.
"""

from __future__ import annotations

import re

from agguard.config.keys import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.config.outline import Header, Outline, Path, Written

_QUARRELS = ("cannot declare", "cannot overwrite", "cannot mutate", "cannot redefine")
_EXPECTED = {
    "invalid statement": 'a line such as `mode = "strict"`, or a section such as [delegation]',
    "expected '=' after a key": 'a line such as `mode = "strict"`',
    "expected ']'": "a section such as [delegation], alone on its line",
    "invalid initial character for a key": "a key of letters, digits, _ and -, or one in quotes",
    "unclosed array": 'a list such as ["a", "b"], with a comma between its items',
    "unclosed inline table": 'a table such as {a = "b"}, with a comma between its pairs',
    "unterminated string": "a quote at the end of the text, on the same line",
    "illegal character": "a quote at the end of the text, on the same line",
    "unescaped '\\\\'": "two backslashes for one, or the text in single quotes",
    "invalid hex value": "two backslashes for one, or the text in single quotes",
    "expected newline": "nothing but a comment behind a value",
}
"""What was expected, by how the parser's complaint begins; it is the same in all its versions."""

_ANY = 'lines such as `mode = "strict"` below a section such as [delegation]'
_VALUE = 'text in quotes, a number, true, false, or a list such as ["a", "b"]'
_WORD = re.compile(r"=[ \t]*([A-Za-z_][\w.-]*)[ \t]*(?:#.*)?$")
_WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def explained(outline: Outline, line: int, reason: str) -> str:
    """Return what is wrong with a text, what was expected, and what to do.

    Args:
        outline: where things stand in the text.
        line: the line at which the parser gave up, from 1.
        reason: what it said, without the place.
    """
    said = reason[:1].lower() + reason[1:]
    if said.startswith(_QUARRELS) and (found := _quarrel(outline, line)):
        return found
    expected = next((words for how, words in _EXPECTED.items() if said.startswith(how)), _ANY)
    if said.startswith("invalid value"):
        expected = _value(outline, line)
    lead = "write" if said.startswith("expected") else "expected"
    return f"this is not TOML: {said}; {lead} {expected}"


def _value(outline: Outline, line: int) -> str:
    """Say which value was expected, and which one was probably meant."""
    rows = outline.text.split("\n")
    found = _WORD.search(rows[line - 1].rstrip("\r")) if line <= len(rows) else None
    if not found:
        return _VALUE
    word = found[1]
    if word.lower() in {"true", "false"}:
        return f"{word.lower()} in small letters"
    meant = f" or {_WORDS[word.lower()]}" if word.lower() in _WORDS else ""
    return f'text in quotes: "{word}"{meant}'


def _quarrel(outline: Outline, line: int) -> str:
    """Name the earlier line that a table or key contradicts; '' where it is not found."""
    written: list[Written] = [*outline.headers, *outline.entries]
    here = [one for one in written if outline.place(one.start)[0] == line]
    for one in here:
        for depth in range(len(one.path), 0, -1):
            path = one.path[:depth]
            earlier = [old for old in written if old.start < one.start and _is_of(old, path)]
            if earlier:
                return _told(outline, path, min(earlier, key=lambda old: old.start), one)
    return ""


def _is_of(old: Written, path: Path) -> bool:
    return old.path[: len(path)] == path


def _told(outline: Outline, path: Path, old: Written, new: Written) -> str:
    key = dotted(map(str, path))
    there = outline.place(old.start)[0]
    if _is_header(outline, new, path):
        exact = _first_header(outline, path)
        if exact is not None and not exact.array and exact.start < new.start:
            there = outline.place(exact.start)[0]
            return (
                f"the section [{key}] stands a second time, expected each one once; move what is "
                f"below it to line {there}, where it stands first"
            )
        if old.path != path:
            return (
                f"the section [{key}] is begun already in line {there}, expected all of it in one "
                "place; move what is below this line there, or that line here"
            )
    return f"{key!r} has another value in line {there}, expected one; keep that line or this one"


def _is_header(outline: Outline, new: Written, path: Path) -> bool:
    return new.path == path and any(new is header for header in outline.headers)


def _first_header(outline: Outline, path: Path) -> Header | None:
    return next((header for header in outline.headers if header.path == path), None)
