"""Secrets in the options and arguments of known programs: `mysql -px`, `curl -u a:b`."""

from __future__ import annotations

import re

from agguard.model.redact import extent
from agguard.model.redact.programs import ARGUMENTS, OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agguard.model.redact.extent import Span

    Found = tuple[int, int, int]

_NAMES = {name for row in (*OPTIONS, *ARGUMENTS) for name in row[0].split()}
_BOOLEAN = re.compile(r"-[sSLkfvigGIjJnNOqRa#]+(?=[uU])")
_BATCH = r"-[a-mo-z]*b[a-z]*"
"""The short options of htpasswd with -b, and without -n."""
_LEAST = 12
"""How long a user without a password must be to be taken for a key."""
_DEEPEST = 4
_AT_ONCE = 3
"""How many programs' options are looked for at a time, as in `sudo -u mysql curl -u a:b`."""


def find(text: str) -> list[Span]:
    """Return the spans of the secrets in the arguments of known programs."""
    low = text.lower()
    present = [re.escape(name) for name in sorted(_NAMES) if name in low]
    if not present:
        return []
    any_of = "|".join(present)
    program = re.compile(rf"(?<![\w.-])(?:{any_of})(?:\.exe)?(?=[\s\\\"'])", re.IGNORECASE)
    return list(_scan(program, text, 0, _DEEPEST))


def _scan(program: re.Pattern[str], text: str, offset: int, depth: int) -> Iterator[Span]:
    at = 0
    while match := program.search(text, at):
        quoted = text[match.end()] == text[match.start() - 1 : match.start()]
        spans = [match.span(), *extent.words(text, match.end() + quoted)]
        raw = [text[start:end] for start, end in spans]
        for index, start, end in secrets(raw):
            origin = offset + spans[index][0]
            yield origin + start, origin + end
        for (start, _), word in zip(spans, raw, strict=True):
            if depth and word[:1] in {'"', "'", "\\"} and program.search(word):
                inner = word[1:] if word[0] != "\\" else word[2:]
                yield from _scan(program, inner, offset + start + len(word) - len(inner), depth - 1)
        at = spans[-1][1]


def secrets(words: Sequence[str]) -> Iterator[Found]:
    """Yield what is secret in the words of one command.

    Args:
        words: The words, with or without their quotes.

    Yields:
        The index of a word, and the start and end of the secret inside it.
    """
    plain = [word.strip("\\\"'") for word in words]
    active: list[_Program] = []
    for index, word in enumerate(plain):
        name = word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
        if name in _NAMES:
            others = [program for program in active if program.name != name]
            active = [_Program(name), *others][:_AT_ONCE]
        for program in active:
            for ahead, start, separator in program.read(word):
                if index + ahead < len(words):
                    yield from _inside(words, index + ahead, start, separator)


def _inside(words: Sequence[str], index: int, start: int, separator: str) -> Iterator[Found]:
    """Yield the secret of one word, which starts at `start`, or after a separator."""
    word = words[index]
    if start and word[:1] in {'"', "'"}:
        start += 1
    end = len(word.rstrip("\\\"'")) if start or separator else len(word)
    if separator == "@":
        end, separator = ("://" not in word and word.rfind("@")) or 0, ":"
    if separator:
        found = word.find(separator, start, end)
        if found < 0:
            return
        if found == end - 1 and end - start > _LEAST:
            end = found  # `curl -u key:`
        else:
            start = found + 1
    span = extent.secret(word, start, end)
    names_a_file = separator == "=" and word[start : start + 1] == "@"
    if span and span[0] < span[1] and not names_a_file:
        yield index, *span


class _Program:
    """The rules of one program, and what was read of its command so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._options = [
            (row[1], option, row[3])
            for row in OPTIONS
            if name in row[0].split()
            for option in row[2].split()
        ]
        self._arguments = [row for row in ARGUMENTS if name in row[0].split()]
        self._seen: set[str] = set()
        self._counts: dict[str, int] = {}

    def read(self, word: str) -> list[tuple[int, int, str]]:
        """Return (words ahead, start, separator) of the secrets that `word` holds or announces."""
        found = self._option(word) if word[:1] in {"-", "/"} else []
        if self._arguments:
            found += self._argument(word)
            self._count(word.lower())
        self._seen.add(word.lower())
        return found

    def _option(self, word: str) -> list[tuple[int, int, str]]:
        found = []
        for needed, option, separator in self._options:
            if not needed or needed in self._seen:
                value = _option_value(word, option, separator)
                if value:
                    found.append((*value, separator))
        return found

    def _argument(self, word: str) -> list[tuple[int, int, str]]:
        found: list[tuple[int, int, str]] = []
        if word.startswith("-"):
            return found
        for _, after, indexes, separator in self._arguments:
            if after in self._counts:
                if self._counts[after] in indexes and (separator or "=" not in word):
                    found.append((0, 0, separator))
                self._counts[after] += 1
        return found

    def _count(self, word: str) -> None:
        """Start to count arguments after the word that says so; `-bB` says what `-b` does."""
        for row in self._arguments:
            if word == row[1] or (row[1] == "-b" and re.compile(_BATCH).fullmatch(word)):
                self._counts.setdefault(row[1], 0)


def _option_value(word: str, option: str, separator: str) -> tuple[int, int] | None:
    """Return (words ahead, start) of the value if `word` is the option, alone or with a value."""
    cluster = _BOOLEAN.match(word) if separator == ":" else None
    skipped = cluster.end() - 1 if cluster else 0
    word = word[:1] + word[skipped + 1 :] if skipped else word
    name = option.rstrip("*")
    if word == option:
        return 1, 0
    if not word.startswith(name) or word == name:
        return None
    if not name.startswith("--"):
        return 0, skipped + len(name)
    return (0, len(name) + 1) if word[len(name)] == "=" else None
