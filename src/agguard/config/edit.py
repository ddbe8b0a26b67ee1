"""Edits of a TOML text that leave every other byte alone. Pure.

tomlkit would put a new key below the comment of the next section and leave the section of a
removed one behind, and it drops a missing end of line; with the exact spans of
`agguard.config.scan` an edit is a cut or a paste. Each result is parsed again and compared with
what it should say, so an odd spelling leads to a refusal and never to a damaged file.
"""

from __future__ import annotations

import tomllib

from agguard.config.keys import dotted
from agguard.config.literal import literal
from agguard.config.scan import scan
from agguard.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.config.outline import Entry, Header, Outline
    from agguard.config.setting import Json


def with_value(text: str, path: tuple[str, ...], value: Json) -> str:
    """Return a TOML text in which a key has a value.

    Raises:
        ConfigError: the key cannot be added without rewriting more than its own line.
    """
    outline = scan(text)
    table = tomllib.loads(text)
    if repr(_at(table, path)) == repr(value):  # 1 == True, but they are not the same setting
        return text
    entry = outline.entry(path)
    written = literal(value)
    edited = (
        text[: entry.value] + written + text[entry.end :]
        if entry
        else _inserted(outline, path, written)
    )
    return _proven(edited, table, path, value)


def without_value(text: str, path: tuple[str, ...]) -> str:
    """Return a TOML text without a key; the same text if it has none.

    A section that held nothing else goes too, unless a comment belongs to it.

    Raises:
        ConfigError: the key cannot be taken out without rewriting more than its own line.
    """
    outline = scan(text)
    table = tomllib.loads(text)
    found = _at(table, path)
    if found is None:
        return text
    entry = outline.entry(path)
    if entry is None and isinstance(found, dict):
        some = f", such as {dotted((*path, next(iter(found))))!r}" if found else ""
        msg = f"{dotted(path)!r} is a section; name a setting of it{some}"
        raise ConfigError(msg)
    edited = _without(outline, entry) if entry else text
    return _proven(edited, table, path, None)


def _inserted(outline: Outline, path: tuple[str, ...], written: str) -> str:
    """Insert a key that is not there yet, where a person would write it."""
    for depth in range(len(path) - 1, 0, -1):
        around = outline.entry(path[:depth])
        if around:
            return _into_inline(outline, around, f"{dotted(path[depth:])} = {written}")
    beside, shown = _neighbour(outline, path)
    lines = _Lines(outline.text)
    if beside:
        at = outline.text.rfind("\n", 0, beside.start) + 1
        indent = outline.text[at : beside.start]
        line = f"{indent if indent.isspace() else ''}{dotted(shown)} = {written}"
        lines.insert(lines.index(beside.end) + 1, line)
    elif header := _header(outline, path[:-1]):
        lines.insert(lines.index(header.end) + 1, f"{dotted(shown)} = {written}")
    elif path[1:]:
        lines.append(f"[{dotted(path[:-1])}]", f"{dotted(shown)} = {written}")
    else:
        _at_the_top(outline, lines, f"{dotted(path)} = {written}")
    return lines.text


def _neighbour(outline: Outline, path: tuple[str, ...]) -> tuple[Entry | None, tuple[str, ...]]:
    """Return the entry after which a key belongs, and the key as it is written there."""
    above = path[:-1]
    free = [entry for entry in outline.entries if entry.inside is None]
    block = [entry for entry in free if entry.header == above]
    if block:
        return block[-1], path[-1:]
    # A table that dotted keys have begun can only be continued by dotted keys.
    begun = [entry for entry in free if entry.path[: len(above)] == above != ()]
    begun = [entry for entry in begun if len(entry.header) < len(above)]
    if begun:
        return begun[-1], path[len(begun[-1].header) :]
    return None, path[-1:]


def _at_the_top(outline: Outline, lines: _Lines, line: str) -> None:
    """Insert the first key that stands before all sections."""
    if not outline.headers:
        lines.insert(lines.count, line)
        return
    top = 0
    while top < lines.count and lines[top].startswith("#"):
        top += 1
    # A comment that is set off by an empty line is the file's; others are the section's.
    lines.insert(top + 1 if top and not lines[top] else 0, line, "")


def _into_inline(outline: Outline, around: Entry, pair: str) -> str:
    inner = [entry.end for entry in outline.entries if entry.inside == around.path]
    at = max(inner, default=around.value + 1)
    return outline.text[:at] + (", " if inner else "") + pair + outline.text[at:]


def _without(outline: Outline, entry: Entry) -> str:
    if entry.inside is not None:
        return _out_of_inline(outline, entry)
    lines = _Lines(outline.text)
    first, last = lines.index(entry.start), lines.index(entry.end)
    beside = [other for other in outline.entries if other.header == entry.header]
    alone = sum(other.inside is None for other in beside) == 1
    header = _header(outline, entry.header)
    if alone and header:
        first = _first_of_section(outline, lines, header, first, last)
    elif alone and _is_set_off(lines, first, last):
        last += 1
    lines.remove(first, last)
    return lines.text


def _first_of_section(
    outline: Outline, lines: _Lines, header: Header, first: int, last: int
) -> int:
    """Return the first line to remove with the only key of a section."""
    top = lines.index(header.start)
    later = [other.start for other in outline.headers if other.start > header.start]
    end = lines.index(min(later)) if later else lines.count
    rest = [lines[number] for number in (*range(top + 1, first), *range(last + 1, end))]
    bare = lines[top].endswith("]") and not any(line.strip() for line in rest)
    if not bare or (top and lines[top - 1].lstrip().startswith("#")):
        return first
    return top - 1 if top and not lines[top - 1] else top


def _is_set_off(lines: _Lines, first: int, last: int) -> bool:
    """Return whether an empty line that follows belongs to these lines (see `_at_the_top`)."""
    before = first == 0 or not lines[first - 1]
    return before and last + 1 < lines.count and not lines[last + 1]


def _out_of_inline(outline: Outline, entry: Entry) -> str:
    text = outline.text
    beside = [other for other in outline.entries if other.inside == entry.inside]
    index = beside.index(entry)
    if index:
        return text[: beside[index - 1].end] + text[entry.end :]
    return text[: entry.start] + text[beside[1].start if beside[1:] else entry.end :]


def _header(outline: Outline, path: tuple[str | int, ...]) -> Header | None:
    return next((header for header in outline.headers if header.path == path), None)


def _at(table: Any, path: tuple[str, ...]) -> Any:  # noqa: ANN401 - TOML data
    for part in path:
        table = table.get(part) if isinstance(table, dict) else None
    return table


def _proven(edited: str, table: dict[str, Any], path: tuple[str, ...], value: Json) -> str:
    """Return the edited text if it says what it should."""
    try:
        says = tomllib.loads(edited)
    except ValueError:
        says = {}
    if _pruned(says) != _pruned(_changed(table, path, value)):
        msg = f"{dotted(path)!r} cannot be changed without rewriting its table; edit the file"
        raise ConfigError(msg)
    return edited


def _changed(table: dict[str, Any], path: tuple[str, ...], value: Json) -> dict[str, Any]:
    name, rest = path[0], path[1:]
    inner = table.get(name)
    if rest:
        new = _changed(inner if isinstance(inner, dict) else {}, rest, value)
        return {**table, name: new}
    return {key: old for key, old in table.items() if key != name} | (
        {} if value is None else {name: value}
    )


def _pruned(table: dict[str, Any]) -> dict[str, Any]:
    """Return a table without empty tables in it: an empty section says nothing."""
    inner = {key: _pruned(old) if isinstance(old, dict) else old for key, old in table.items()}
    return {key: new for key, new in inner.items() if new != {}}


class _Lines:
    """The lines of a text, kept so that taking out what was put in restores every byte."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._ending = "\r" if "\r\n" in text else ""
        self._source = text

    @property
    def text(self) -> str:
        return "\n".join(self._lines)

    @property
    def count(self) -> int:
        """How many lines there are; the empty rest after the last end of line is none."""
        return len(self._lines) - (not self._lines[-1]) if self._lines else 0

    def __getitem__(self, number: int) -> str:
        return self._lines[number].removesuffix("\r")

    def index(self, offset: int) -> int:
        """Return the number of the line of an offset, from 0."""
        return self._source.count("\n", 0, offset)

    def insert(self, number: int, *lines: str) -> None:
        new = [line + self._ending for line in lines]
        if number == len(self._lines):
            self._lines[-1] += self._ending
            new[-1] = lines[-1]
        self._lines[number:number] = new

    def append(self, *lines: str) -> None:
        """Add a section at the end, set off by an empty line."""
        self.insert(self.count, *([""] if self.count else []), *lines)

    def remove(self, first: int, last: int) -> None:
        at_end = last == len(self._lines) - 1
        del self._lines[first : last + 1]
        if at_end and self._lines:
            self._lines[-1] = self._lines[-1].removesuffix("\r")
