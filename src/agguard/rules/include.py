"""`@[label](path)`: text that is put into a rule before everything else (6)."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules import port
from agguard.rules.cap import CAP
from agguard.rules.frontmatter import FENCE
from agguard.rules.path import join, located
from agguard.rules.rule import PUT_IN, UNREADABLE, Inclusion
from agguard.rules.text import SPACE, guessed, raw, trim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.port import Read


class Match(Value):
    """One include as it is written."""

    label: str
    target: str
    start: int
    end: int


def matches(text: str) -> Iterator[Match]:
    r"""Yield the matches of `@\[([^\]]*)\]\(([^)]+)\)` from left to right (6.1).

    The expression itself takes quadratic time on a text full of `@[`.
    """
    start = close = -1
    at = 0
    while (start := text.find("@[", at)) >= 0:
        at = start + 1
        if close < start + 2:
            close = text.find("]", start + 2)
        if close < 0:
            return
        if text[close + 1 : close + 2] != "(" or text[close + 2 : close + 3] == ")":
            continue
        end = text.find(")", close + 2)
        if end < 0:
            return
        yield Match(text[start + 2 : close], text[close + 2 : end], start, end + 1)
        at = end + 1


def body_start(text: str) -> int:
    """Return where the text of an included file begins, behind its frontmatter.

    Other than in a rule file (4.4) the lines do not matter: a text that begins with `---` loses
    everything up to the next `---`, wherever that stands, be it a horizontal rule. The contract
    (6.5) does not say so; seed 739 of the generated trees showed it.
    """
    start = len(text) - len(text.lstrip(SPACE))
    if not text.startswith(FENCE, start):
        return 0
    close = text.find(FENCE, start + len(FENCE))
    return close + len(FENCE) if close >= 0 else 0


class Expansion(Value):
    """A body with its includes put in, as far as the cap can keep any of it."""

    head: bytes
    """The first bytes: all of them, or at least one more than the cap."""
    size: int
    """Bytes of the whole."""
    inclusions: tuple[Inclusion, ...] = ()
    """The includes that begin within the cap."""


class Library:
    """The files that rules include; each is read once."""

    def __init__(self, home: str, read: Read) -> None:
        self.home = home
        self.read = read
        self.texts: dict[str, tuple[str, bytes]] = {}

    def expand(self, body: str, folder: str) -> Expansion:
        """Put every include's text in; what is put in is not searched again (6.1).

        Bytes beyond the cap are counted, not kept: a small rule may include a large file a
        thousand times.
        """
        if "@[" not in body:
            data = raw(body)
            return Expansion(data, len(data))
        pieces = _Pieces()
        inclusions = []
        at = 0
        for match in matches(body):
            pieces.add(raw(body[at : match.start]))
            path, state, text = self._text(match.target, folder)
            wanted = pieces.size <= CAP
            pieces.add(text if state == PUT_IN else raw(body[match.start : match.end]))
            if wanted:
                size = len(text)
                inclusions.append(
                    Inclusion(match.label, match.target, match.start, path, state, size)
                )
            at = match.end
        pieces.add(raw(body[at:]))
        return Expansion(b"".join(pieces.kept), pieces.size, tuple(inclusions))

    def _text(self, target: str, folder: str) -> tuple[str, str, bytes]:
        """Return where a target leads, PUT_IN or why not, and the text to put in."""
        path = self.place(target, folder)
        if not path:
            return "", port.MISSING, b""
        if path not in self.texts:
            self.texts[path] = self._read(path)
        return (path, *self.texts[path])

    def place(self, target: str, folder: str) -> str:
        """Return the absolute path of an include's target (6.2); empty for one that has none."""
        if target.startswith("/"):
            found = located(target)
            return found[0] if found else ""
        if target.startswith("~/"):
            return join(self.home, target[2:])
        return join(folder, target)

    def _read(self, path: str) -> tuple[str, bytes]:
        kind = self.read.kind(path)
        if kind != port.FILE:
            return kind, b""
        try:
            text = guessed(self.read.data(path))
        except OSError:
            return port.CLOSED, b""
        if text is None:
            return UNREADABLE, b""
        return PUT_IN, raw(trim(text[body_start(text) :]))


class _Pieces:
    """Bytes in order, kept until there are more than the cap."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []
        self.size = 0

    def add(self, data: bytes) -> None:
        if self.size <= CAP:
            self.kept.append(data)
        self.size += len(data)
