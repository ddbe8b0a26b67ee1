"""Conditions in double brackets."""

from __future__ import annotations

from agguard.shell.scanner import pattern
from agguard.shell.syntax import Word
from agguard.shell.words import Words

NEGATION = r"!(?=[ \t\n(])"
UNARY = r"-[a-zA-Z]\Z"
BINARY = frozenset(
    {"==", "=", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}
)


class Conditionals(Words):
    """Reads `[[ … ]]`; its words are kept with the operators among them."""

    __slots__ = ()

    def conditional(self, start: int) -> tuple[Word, ...]:
        """Read the rest of a `[[ … ]]` that began at `start`."""
        words: list[Word] = []
        self.deeper()
        self._any_of(words)
        self.depth -= 1
        self.linebreak()
        if not self.text.startswith("]]", self.pos) or self.pos + 2 > self.end:
            self.refuse("']]' expected", start)
        self.pos += 2
        return tuple(words)

    def _any_of(self, words: list[Word]) -> None:
        """Read conditions joined by `||` and `&&`."""
        while True:
            self._condition(words)
            self.linebreak()
            if not self.text.startswith(("||", "&&"), self.pos):
                return
            self.pos += 2

    def _condition(self, words: list[Word]) -> None:
        self.linebreak()
        while pattern(NEGATION).match(self.text, self.pos, self.end):
            self.pos += 1
            self.linebreak()
        if self.peek() == "(":
            self.pos += 1
            self.deeper()
            self._any_of(words)
            self.depth -= 1
            self.linebreak()
            if self.peek() != ")":
                self.refuse("')' expected in '[['")
            self.pos += 1
            return
        first = self._operand(words)
        self.blanks()
        if (
            first.text is not None
            and pattern(UNARY).match(first.text)
            and not self._condition_ends()
        ):
            self._operand(words)
            return
        operator = self._binary(words)
        if operator:
            self.blanks()
            self._operand(words, comparison=operator in ("=~", "==", "=", "!="))

    def _condition_ends(self) -> bool:
        return self.text.startswith(("]]", "&&", "||", ")", "\n"), self.pos)

    def _binary(self, words: list[Word]) -> str:
        """Read a binary operator, if one comes."""
        character = self.peek()
        if character and character in "<>":
            words.append(Word(self.pos, self.pos + 1, character))
            self.pos += 1
            return character
        if not character or self._condition_ends():
            return ""
        word = self.word()
        if word is None or word.text not in BINARY:
            self.refuse("an operator expected in '[['")
        words.append(word)
        return word.text

    def _operand(self, words: list[Word], *, comparison: bool = False) -> Word:
        word = None if self.text.startswith("]]", self.pos) else self.word(comparison=comparison)
        self.spend()
        if word is None:
            self.refuse("a word expected in '[['")
        words.append(word)
        return word
