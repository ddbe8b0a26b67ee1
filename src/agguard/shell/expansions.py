"""What begins with a dollar sign, a backquote or a quote: the pieces of words."""

from __future__ import annotations

import sys

from agguard.shell.scanner import DEPTH_LIMIT, pattern
from agguard.shell.simple import Simple
from agguard.shell.syntax import Piece, Script

PARAMETER = r"\$\{([#!]?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])"
PARAMETER_OPERATOR = r":?[-=+?]|##?|%%?|/[/#%]?|\^\^?|,,?|@[A-Za-z]?|[:*]"
VARIABLE = r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])"
ZSH_FLAG = r"\$[=~^+:][A-Za-z_0-9({]"
BACKQUOTED = r"(?s)`((?:[^`\\]++|\\.)*+)`"
DOUBLE_CHUNK = r'[^"\\$`]+'
HEREDOC_CHUNK = r"[^\\$`]+"
OPERAND_CHUNK = r"[^}\]\['\"\\$`<>]+"
ARITHMETIC_CHUNK = r"[A-Za-z0-9_ \t\n+\-*/%<>=!&|^~?:,.#@\[\]]+"
# Two values with no operator between them: no arithmetic, but two words of a command.
ADJACENT = r"[\w)\].][ \t\n]+[\w($.@#]"
ANSI = (
    r"(?s)\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})"
    r"|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.)|(.))|([^\\]+)"
)
ANSI_QUOTED = r"(?s)\$'((?:[^'\\]++|\\.)*+)'"
ANSI_CHARACTERS = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}


TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


class Expansions(Simple):
    """Reads quotes and expansions; every method starts at the opening character."""

    __slots__ = ()

    def single_quoted(self) -> Piece:
        """Read `'…'`."""
        start = self.pos
        close = self.text.find("'", start + 1, self.end)
        if close < 0:
            self.refuse("unclosed single quote")
        self.pos = close + 1
        return Piece("text", start, self.pos, self.text[start + 1 : close], quoted=True)

    def double_quoted(self) -> list[Piece]:
        """Read `"…"`."""
        opening = self.pos
        self.pos += 1
        pieces: list[Piece] = []
        while self.pos < self.end:
            if self.text[self.pos] == '"':
                self.pos += 1
                return pieces or [Piece("text", opening, self.pos, "", quoted=True)]
            pieces.append(self.quoted_piece(DOUBLE_CHUNK, '$`"\\\n'))
        return self.refuse("unclosed double quote", opening)

    def quoted_piece(self, chunk: str, escapable: str) -> Piece:
        """Read one piece where only `$`, a backquote and a backslash are special."""
        self.spend()
        start = self.pos
        match = pattern(chunk).match(self.text, start, self.end)
        if match is not None:
            self.pos = match.end()
            return Piece("text", start, self.pos, match[0], quoted=True)
        character = self.text[start]
        if character == "$":
            return self.dollar(quoted=True)
        if character == "`":
            return self.backquoted(quoted=True)
        if start + 1 >= self.end:
            self.refuse("backslash at the end")
        self.pos += 2
        following = self.text[start + 1]
        kept = following if following in escapable else "\\" + following
        return Piece("text", start, self.pos, "" if kept == "\n" else kept, quoted=True)

    def expansions(self, start: int, stop: int) -> tuple[Piece, ...]:
        """Read the expansions of a text that is quoted but for them."""
        outer, self.end, self.pos = self.end, stop, start
        pieces = []
        while self.pos < stop:
            pieces.append(self.quoted_piece(HEREDOC_CHUNK, "$`\\\n"))
        self.end = outer
        return tuple(piece for piece in pieces if piece.kind != "text")

    def ansi_quoted(self) -> Piece:
        """Read `$'…'` and decode it."""
        start = self.pos
        match = pattern(ANSI_QUOTED).match(self.text, start, self.end)
        if match is None:
            self.refuse("unclosed $' quote")
        if "\\'" in match[1]:
            # For dash the quote ends there, and commands may follow.
            self.refuse("an escaped quote in $' quotes")
        self.pos = match.end()
        decoded = b"".join(self._ansi_bytes(part) for part in pattern(ANSI).finditer(match[1]))
        if b"\0" in decoded:
            self.refuse("a zero byte in $' quotes", start)
        text = decoded.decode("utf-8", "surrogateescape")
        return Piece("text", start, self.pos, text, quoted=True)

    def _ansi_bytes(self, match: re.Match[str]) -> bytes:
        character, octal, byte, short, long, control, other, plain = match.groups()
        if plain is not None or other is not None:
            return (plain or "\\" + other).encode("utf-8", "surrogatepass")
        if character is not None:
            return ANSI_CHARACTERS[character].encode()
        if octal or byte:
            return bytes([int(octal, 8) & 255 if octal else int(byte, 16)])
        if control is not None:
            return bytes([ord(control) & 31])
        code = int(short or long, 16)
        if code > sys.maxunicode or "\ud800" <= chr(code) <= "\udfff":
            self.refuse("no such character in $' quotes")
        return chr(code).encode()

    def dollar(self, *, quoted: bool) -> Piece:
        """Read what a dollar sign begins; a lone one is text."""
        start, text = self.pos, self.text
        match = pattern(VARIABLE).match(text, start, self.end)
        if match is not None:
            self.pos = match.end()
            return Piece("variable", start, self.pos, match[1], quoted)
        following = text[start + 1] if start + 1 < self.end else ""
        if following == "(":
            if text.startswith("((", start + 1):
                return self.arithmetic(start + 3, "arithmetic", quoted=quoted)
            return self.substitution("command", 2, quoted=quoted)
        if following == "{":
            return self.parameter(quoted=quoted)
        if following == "[":
            self.refuse("the old $[ arithmetic")
        if following == "\\" and text.startswith("\n", start + 2):
            self.refuse("expansion split over two lines")
        if not quoted and pattern(ZSH_FLAG).match(text, start, self.end):
            self.refuse("an expansion flag of another shell")
        self.pos += 1
        return Piece("text", start, self.pos, "$", quoted)

    def substitution(self, kind: str, width: int, *, quoted: bool) -> Piece:
        """Read `$(…)`, `<(…)` or `>(…)`; the opening is `width` characters long."""
        start = self.pos
        self.pos += width
        script = self.inner("a substitution")
        if self.peek() != ")":
            self.refuse("unclosed substitution", start)
        self.pos += 1
        return Piece(kind, start, self.pos, quoted=quoted, script=script)

    def inner(self, where: str) -> Script:
        """Read commands whose here-documents must end inside them."""
        outer, self.pending, self.nested = self.pending, [], True
        self.deeper()
        script = self.script()
        self.depth -= 1
        if self.pending:
            self.refuse(f"here-document that leaves {where}")
        self.pending = outer
        return script

    def deeper(self) -> None:
        """Count one level of nesting."""
        self.depth += 1
        self.spend()
        if self.depth > DEPTH_LIMIT:
            self.refuse(f"nested deeper than {DEPTH_LIMIT} levels")

    def backquoted(self, *, quoted: bool) -> Piece:
        """Read commands in backquotes; escapes that change them are refused."""
        start = self.pos
        match = pattern(BACKQUOTED).match(self.text, start, self.end)
        if match is None:
            self.refuse("unclosed backquote")
        special = '`\\$\n"' if quoted else "`\\$\n"
        body = match[1]
        if "\\" in body and any("\\" + character in body for character in special):
            self.refuse("an escape inside backquotes", start)
        outer, self.end, self.pos = self.end, match.end(1), start + 1
        script = self.inner("backquotes")
        if self.pos != self.end:
            self.refuse("unexpected text in backquotes")
        self.end, self.pos = outer, match.end()
        return Piece("command", start, self.pos, quoted=quoted, script=script)

    def parameter(self, *, quoted: bool) -> Piece:
        """Read `${…}`."""
        start = self.pos
        match = pattern(PARAMETER).match(self.text, start, self.end)
        if match is None:
            self.refuse("an unknown form of ${")
        operator, name = match.groups()
        operator = "length" if operator == "#" else operator
        self.pos = match.end()
        self.deeper()
        parts: list[Piece] = []
        if self.peek() == "[":
            operator += "["
            self.pos += 1
            parts += self.operand("]", quoted=quoted)
        following = pattern(PARAMETER_OPERATOR).match(self.text, self.pos, self.end)
        if following is not None:
            operator += following[0]
            self.pos = following.end()
            parts += self.operand("}", quoted=quoted)
        elif self.peek() == "}":
            self.pos += 1
        else:
            self.refuse("an unknown operator in ${")
        self.depth -= 1
        return Piece("variable", start, self.pos, name, quoted, operator, tuple(parts))

    def operand(self, closing: str, *, quoted: bool) -> list[Piece]:
        """Read the operand of a `${…}` behind its opening, closing bracket included."""
        pieces: list[Piece] = []
        brackets = 0
        while self.pos < self.end:
            character = self.text[self.pos]
            if character == closing and not brackets:
                self.pos += 1
                return pieces
            if closing == "]":
                brackets += (character == "[") - (character == "]")
            pieces += self._operand_piece(character, quoted=quoted)
        return self.refuse("unclosed ${")

    def _operand_piece(  # noqa: PLR0911 - one for each kind
        self, character: str, *, quoted: bool
    ) -> list[Piece]:
        self.spend()
        start = self.pos
        if character == '"':
            return self.double_quoted()
        if character in "$`\\" and (quoted or character == "`"):
            return [self.quoted_piece(DOUBLE_CHUNK, '$`"\\\n}')]
        if character == "$":
            following = self.text[start + 1 : start + 2]
            if following == "'":
                return [self.ansi_quoted()]
            return [self.dollar(quoted=False)]
        if character == "'":
            if quoted:
                # Shells disagree whether it quotes here.
                self.refuse("a single quote in a quoted ${")
            return [self.single_quoted()]
        if character == "\\":
            return [self.escaped()]
        if character in "<>" and self.text.startswith("(", start + 1):
            self.refuse("a process substitution in ${")
        match = pattern(OPERAND_CHUNK).match(self.text, start, self.end)
        self.pos = match.end() if match else start + 1
        return [Piece("text", start, self.pos, self.text[start : self.pos], quoted)]

    def escaped(self) -> Piece:
        """Read a backslash and what it quotes, outside quotes."""
        start = self.pos
        following = self.text[start + 1] if start + 1 < self.end else ""
        if not following or following == "\r":
            self.refuse("backslash at the end of a line")
        self.pos += 2
        return Piece("text", start, self.pos, "" if following == "\n" else following, quoted=True)

    def arithmetic(
        self, inside: int, kind: str, *, quoted: bool = False, loop: bool = False
    ) -> Piece:
        """Read arithmetic up to its `))`; `inside` is the offset behind the opening.

        Anything that is not plainly arithmetic is refused: shells try it as commands then.
        """
        start, self.pos = self.pos, inside
        self.deeper()
        parts: list[Piece] = []
        parentheses = 0
        while self.pos < self.end:
            self.spend()
            character = self.text[self.pos]
            match = pattern(ARITHMETIC_CHUNK).match(self.text, self.pos, self.end)
            if match is not None:
                parts.append(Piece("text", self.pos, match.end(), match[0]))
                self.pos = match.end()
            elif character in "$`":
                parts.append(self.quoted_piece(DOUBLE_CHUNK, ""))
            elif character == '"':
                parts += self.double_quoted()
            elif character == "(" or (character == ")" and parentheses):
                parentheses += 1 if character == "(" else -1
                self.pos += 1
            elif self.text.startswith("))", self.pos):
                self.pos += 2
                self.depth -= 1
                source = self.text[inside : self.pos - 2]
                if any(pattern(ADJACENT).search(part.text) for part in parts):
                    break
                return Piece(kind, start, self.pos, source, quoted, parts=tuple(parts))
            elif character == ";" and loop and not parentheses:
                self.pos += 1
            else:
                break
        return self.refuse("arithmetic that is not understood", start)
