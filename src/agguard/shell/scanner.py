"""The lowest layer of the parser: blanks, comments, operators, here-document bodies.

A scanner walks over one text with a moving `pos` and a limit `end`. It raises `Refusal` where
it does not understand; only `parser.parse` catches it, so nobody outside this package sees it.
"""

from __future__ import annotations

import re
from functools import cache

from agguard.shell.syntax import Heredoc, Piece, Redirect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

DEPTH_LIMIT = 40
"""How deep constructs may nest; bash has no limit, Python's stack has."""
WORK_LIMIT = 5_000
"""How many words and pieces one text may have: what bounds the time for a text of any length."""

# `\r` counts as a blank in front of a newline only: command lines may come with CRLF.
BLANKS = r"(?:[ \t]++|\\\n|\r(?=\n|\Z))*+(?:#[^\n]*)?"
BLANK_STARTS = frozenset(" \t\\\r#")
OPERATOR = r"&&|\|\||\|&|;;&|;;|;&|&(?!>)|[;|\n]|\r\n?"
SPLIT_OPERATOR = r"(?:\\\n)++[&|;<>(]"


@cache
def pattern(source: str) -> re.Pattern[str]:
    """Compile an expression when it is first needed: most command lines need few of them."""
    return re.compile(source)


class Refusal(Exception):  # noqa: N818 - not an error but an answer
    """The text is not understood; internal to `agguard.shell`."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


class Scanner:
    """A position in a text, with the here-documents whose bodies are still to come."""

    __slots__ = ("depth", "end", "nested", "pending", "pos", "text", "work")

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.end = len(text)
        self.depth = 0
        self.work = 0
        self.nested = False
        self.pending: list[tuple[Redirect, str, bool]] = []

    def refuse(self, reason: str, offset: int | None = None) -> NoReturn:
        """Give up on the text, at the position or at `offset`."""
        raise Refusal(reason, self.pos if offset is None else offset)

    def peek(self) -> str:
        """Return the character at the position, or nothing at the limit."""
        return self.text[self.pos] if self.pos < self.end else ""

    def spend(self, work: int = 1) -> None:
        """Count work done and refuse a text that makes too much of it."""
        self.work += work
        if self.work > WORK_LIMIT:
            self.refuse(f"more than {WORK_LIMIT} words and pieces")

    def blanks(self) -> None:
        """Skip blanks, continuations and a comment; the position must be between tokens."""
        if self.pos < self.end and self.text[self.pos] in BLANK_STARTS:
            match = pattern(BLANKS).match(self.text, self.pos, self.end)
            self.pos = match.end() if match else self.pos

    def whole(self, operator_end: int) -> None:
        """Refuse an operator that a backslash-newline may tie to the next one."""
        if self.text.startswith("\\\n", operator_end) and pattern(SPLIT_OPERATOR).match(
            self.text, operator_end, self.end
        ):
            self.refuse("operator split over two lines", operator_end)

    def operator(self) -> str:
        """Take the operator that ends a command; `;;` and its kin are named but left standing.

        A newline also takes the bodies of the here-documents that wait for it.
        """
        self.blanks()
        if self.pos >= self.end:
            return ""
        match = pattern(OPERATOR).match(self.text, self.pos, self.end)
        if match is None:
            return ""
        operator = match[0]
        if operator in (";;", ";&", ";;&"):
            return operator
        self.pos = match.end()
        if operator[0] in "\r\n":
            if self.pending:
                self.heredocs()
            return "\n"
        self.whole(self.pos)
        return operator

    def linebreak(self) -> None:
        """Skip blanks, comments and newlines."""
        text, end = self.text, self.end
        while True:
            self.blanks()
            if self.pos < end and text[self.pos] == "\n":
                self.pos += 1
                self.spend()
                if self.pending:
                    self.heredocs()
            else:
                return

    def heredocs(self) -> None:
        """Read the bodies of the pending here-documents, from the start of a line."""
        if "\r" in self.text:
            # The shell compares delimiters with the carriage return, other readers without.
            self.refuse("here-document in a text with carriage returns")
        pending, self.pending = self.pending, []
        for redirect, delimiter, quoted in pending:
            start, self.pos = self.pos, self.pos
            stop = self._body_end(delimiter, redirect.operator == "<<-", quoted)
            after = self.pos
            pieces = () if quoted else self.bounded(start, stop)
            self.pos = after
            # The redirection is not published yet; its body comes after its command.
            object.__setattr__(redirect, "body", Heredoc(start, stop, quoted, pieces))

    def _body_end(self, delimiter: str, strip: bool, quoted: bool) -> int:
        """Move behind the delimiter's line and return where the body ends."""
        text, end = self.text, self.end
        joined = False
        while self.pos < end:
            start = self.pos
            stop = text.find("\n", start, end)
            line = text[start : stop if stop >= 0 else end]
            self.pos = stop + 1 if stop >= 0 else end
            if (line.lstrip("\t") if strip else line) == delimiter:
                if joined:
                    self.refuse("here-document delimiter behind a continuation", start)
                return start
            slashes = len(line) - len(line.rstrip("\\"))
            joined = not quoted and slashes % 2 == 1
            if joined and line.lstrip("\t")[:-1] == delimiter[: len(line.lstrip("\t")) - 1]:
                self.refuse("here-document line that may continue to its delimiter", start)
        return self.refuse(f"here-document without its end {delimiter!r}")

    def bounded(self, start: int, stop: int) -> tuple[Piece, ...]:
        """Read the expansions of a here-document's body."""
        raise NotImplementedError
