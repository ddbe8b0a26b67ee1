"""Finds where every key and value of a TOML text stands.

`tomllib` keeps no positions and tomlkit does not publish its own, but messages need lines and
edits need spans. The scanner walks the text once. What it accepts is a superset of TOML; whether
the text is TOML is for `tomllib` to say. It also refuses what would cost `tomllib` quadratic
time or its stack: keys of thousands of parts, deep nesting.
"""

from __future__ import annotations

import re

from agguard.config.keys import unquoted
from agguard.config.outline import Entry, Header, Outline
from agguard.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.config.outline import Path

DEEPEST = 32
"""Most parts of a key, and most values inside one another."""

_BLANK = re.compile(r"[ \t]*")
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL = re.compile(r"'[^'\n]*'")
# A closing delimiter may have one or two quotes of the text right before it.
_LONG_BASIC = re.compile(r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}")
_SCALAR = re.compile(r"[^,\]}#\r\n]+")
_STRINGS = (('"""', _LONG_BASIC), ("'''", _LONG_LITERAL), ('"', _BASIC), ("'", _LITERAL))


class _Lost(Exception):  # noqa: N818 - it ends the walk, it reports no error
    """The text cannot be followed any further."""


def scan(text: str) -> Outline:
    """Return where every key and value of the text stands; never raises."""
    scanner = _Scanner(text)
    try:
        scanner.document()
    except _Lost as reason:
        return scanner.outline(scanner.at, str(reason))
    return scanner.outline()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.header: tuple[str, ...] = ()
        self.entries: list[Entry] = []
        self.headers: list[Header] = []

    def outline(self, lost: int = -1, refusal: str = "") -> Outline:
        return Outline(self.text, tuple(self.entries), tuple(self.headers), lost, refusal)

    def document(self) -> None:
        self._skip(_TRIVIA)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                self._table()
            else:
                self._entry(self.header, None, 0)
            self._skip(_TRIVIA)

    def _table(self) -> None:
        array = self.text.startswith("[[", self.at)
        brackets = 1 + array
        self.at += brackets
        path, parts = self._key()
        self._expect("]" * brackets)
        self.header = path
        self.headers.append(Header(path, parts, self.at, array))

    def _entry(self, above: Path, inside: Path | None, depth: int) -> None:
        key, parts = self._key()
        self._expect("=")
        self._skip(_BLANK)
        self._value((*above, *key), parts, inside, depth)

    def _value(self, path: Path, parts: tuple[int, ...], inside: Path | None, depth: int) -> None:
        start = self.at
        index = len(self.entries)
        opening = self.text[start : start + 1]
        if depth == DEEPEST and opening in {"[", "{"}:
            msg = f"values are nested deeper than {DEEPEST}"
            raise _Lost(msg)
        if opening == "[":
            self._array(path, depth + 1)
        elif opening == "{":
            self._inline(path, depth + 1)
        else:
            self._scalar()
        # An entry stands before those inside it.
        entry = Entry(path, parts or (start,), start, self.at, self.header, inside)
        self.entries.insert(index, entry)

    def _array(self, path: Path, depth: int) -> None:
        self.at += 1
        index = 0
        self._skip(_TRIVIA)
        while not self.text.startswith("]", self.at):
            self._value((*path, index), (), path, depth)
            index += 1
            self._separator("]")
        self.at += 1

    def _inline(self, path: Path, depth: int) -> None:
        self.at += 1
        self._skip(_TRIVIA)
        while not self.text.startswith("}", self.at):
            self._entry(path, path, depth)
            self._separator("}")
        self.at += 1

    def _separator(self, closing: str) -> None:
        self._skip(_TRIVIA)
        if self.text.startswith(",", self.at):
            self.at += 1
            self._skip(_TRIVIA)
        elif not self.text.startswith(closing, self.at):
            raise _Lost

    def _scalar(self) -> None:
        for quote, pattern in _STRINGS:
            if self.text.startswith(quote, self.at):
                self._take(pattern)
                return
        start = self.at
        self.at = start + len(self._take(_SCALAR).rstrip(" \t"))

    def _key(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        names: list[str] = []
        parts: list[int] = []
        while True:
            self._skip(_BLANK)
            parts.append(self.at)
            names.append(self._name())
            self._skip(_BLANK)
            if not self.text.startswith(".", self.at):
                return tuple(names), tuple(parts)
            if len(names) == DEEPEST:
                msg = f"a key has more than {DEEPEST} parts"
                raise _Lost(msg)
            self.at += 1

    def _name(self) -> str:
        for quote, pattern in _STRINGS[2:]:
            if self.text.startswith(quote, self.at):
                return self._unquoted(self._take(pattern))
        return self._take(_BARE)

    def _unquoted(self, name: str) -> str:
        if name.startswith("'"):
            return name[1:-1]
        try:
            return unquoted(name)
        except ConfigError as error:
            raise _Lost from error

    def _expect(self, token: str) -> None:
        self._skip(_BLANK)
        if not self.text.startswith(token, self.at):
            raise _Lost
        self.at += len(token)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        if found := pattern.match(self.text, self.at):
            self.at = found.end()

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if not found:
            raise _Lost
        self.at = found.end()
        return found[0]
