"""Words of several pieces."""

from __future__ import annotations

from agguard.shell.expansions import Expansions
from agguard.shell.scanner import pattern
from agguard.shell.simple import ENDS
from agguard.shell.syntax import (
    ARITHMETIC,
    BRACE,
    GLOB,
    PROCESS,
    QUOTED,
    SUBSTITUTION,
    TILDE,
    VARIABLE,
    Piece,
    Word,
)

CHUNK = r"[^ \t\n\r'\"\\`$|&;<>()*?\[{},.~:=]+"
TILDE_NAME = r"~[A-Za-z0-9_.+-]*(?=[/ \t\n\r|&;<>():]|\Z)"
ASSIGNMENT_LIKE = r"[A-Za-z_][A-Za-z0-9_]*\+?="
EXPANSION_MARKS = {
    "variable": VARIABLE,
    "command": SUBSTITUTION,
    "arithmetic": ARITHMETIC,
    "process": PROCESS,
    "glob": GLOB,
    "tilde": TILDE,
}


class Words(Expansions):
    """Reads words that are not plain."""

    __slots__ = ()

    def composed(self, *, comparison: bool) -> Word | None:
        """Read a word of several pieces."""
        start = self.pos
        pieces: list[Piece] = []
        parentheses = 0
        while self.pos < self.end:
            character = self.text[self.pos]
            if character in ENDS:
                if comparison and character in "()|" and not (character == ")" and not parentheses):
                    parentheses += (character == "(") - (character == ")")
                    self._take(pieces, "text")
                    continue
                if comparison and parentheses and character in " \t<>&":
                    self._take(pieces, "text")
                    continue
                if character not in "<>" or not self.text.startswith("(", self.pos + 1):
                    break
                pieces.append(self.substitution("process", 2, quoted=False))
            else:
                self._piece(character, start, pieces)
        if self.pos == start:
            return None
        return self._finished(start, pieces)

    def _take(self, pieces: list[Piece], kind: str) -> None:
        pieces.append(Piece(kind, self.pos, self.pos + 1, self.text[self.pos]))
        self.pos += 1

    def _piece(self, character: str, start: int, pieces: list[Piece]) -> None:
        """Read one piece of a word that began at `start`."""
        self.spend()
        text = self.text
        if character == "'":
            pieces.append(self.single_quoted())
        elif character == '"':
            pieces += self.double_quoted()
        elif character == "\\":
            pieces.append(self.escaped())
        elif character == "`":
            pieces.append(self.backquoted(quoted=False))
        elif character == "$":
            pieces += self._dollar_piece()
        elif character in "*?" or (character == "[" and self._opens_class()):
            self._take(pieces, "glob")
        elif character == "~":
            self._tilde(start, pieces)
        elif character in "{}":
            self._take(pieces, "brace")
        else:
            match = pattern(CHUNK).match(text, self.pos, self.end)
            stop = match.end() if match else self.pos + 1
            pieces.append(Piece("text", self.pos, stop, text[self.pos : stop]))
            self.pos = stop

    def _opens_class(self) -> bool:
        """Tell whether a `[` may begin a pattern; alone it is a command."""
        text, start = self.text, self.pos
        alone = start + 1 >= self.end or text[start + 1] in " \t\n"
        return not alone and text.find("]", start, start + 256) > 0

    def _dollar_piece(self) -> list[Piece]:
        following = self.text[self.pos + 1 : self.pos + 2]
        if following == "'":
            return [self.ansi_quoted()]
        if following == '"':
            self.pos += 1
            return self.double_quoted()
        return [self.dollar(quoted=False)]

    def _tilde(self, start: int, pieces: list[Piece]) -> None:
        """Read a tilde; it stands for a home at a word's start and in what looks assigned."""
        match = pattern(TILDE_NAME).match(self.text, self.pos, self.end)
        before = self.text[self.pos - 1] if self.pos > start else ""
        expands = self.pos == start or (
            before in "=:"
            and pattern(ASSIGNMENT_LIKE).match(self.text, start, self.pos) is not None
        )
        if match is None or not expands:
            self._take(pieces, "text")
            return
        pieces.append(Piece("tilde", self.pos, match.end(), match[0]))
        self.pos = match.end()

    def _finished(self, start: int, pieces: list[Piece]) -> Word:
        """Make the word: without pieces where its text is certain."""
        stop = self.pos
        while len(pieces) > 1 and self.text.startswith("\\\n", pieces[-1].start):
            stop = pieces.pop().start
        marks = BRACE if _expands_braces(pieces) else 0
        for piece in pieces:
            marks |= EXPANSION_MARKS.get(piece.kind, 0)
            if (piece.quoted and piece.text) or self.text[piece.start] in "'\"":
                marks |= QUOTED
        if marks & ~QUOTED:
            return Word(start, stop, None, marks, _merged(pieces))
        return Word(start, stop, "".join(piece.text for piece in pieces), marks)


def _merged(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Join neighboring text that is quoted alike, but leave commas to brace lists."""
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if (
            last is not None
            and piece.kind == last.kind == "text"
            and piece.quoted == last.quoted
            and piece.start == last.end
            and "," not in (piece.text, last.text)
        ):
            merged[-1] = Piece("text", last.start, piece.end, last.text + piece.text, last.quoted)
        else:
            merged.append(piece)
    return tuple(merged)


def _expands_braces(pieces: list[Piece]) -> bool:
    """Tell whether unquoted braces hold a comma or two dots: `{a,b}`, `{1..9}`, not `@{1}`."""
    depth = 0
    candidate = False
    dots = 0
    for piece in pieces:
        plain = piece.kind in ("text", "brace") and not piece.quoted
        if not plain:
            dots = 0
            continue
        if piece.text == "{" and piece.kind == "brace":
            depth += 1
        elif piece.text == "}" and piece.kind == "brace":
            if candidate:
                return True
            depth = max(0, depth - 1)
        elif depth:
            dots = dots + 1 if piece.text == "." else 0
            candidate = candidate or piece.text.startswith(",") or dots > 1
    return False
