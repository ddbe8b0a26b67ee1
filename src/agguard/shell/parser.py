"""The grammar: from a text to a `Script`, or to the reason why not."""

from __future__ import annotations

import re

from agguard.shell.compounds import KEYWORD, Compounds
from agguard.shell.scanner import WORK_LIMIT, Refusal
from agguard.shell.syntax import (
    QUOTED,
    VARIABLE,
    Assignment,
    Command,
    Compound,
    Piece,
    Redirect,
    Script,
    Unparsed,
    Word,
)

LENGTH_LIMIT = 1024 * 1024
"""Longer command lines are refused; what takes the time is bounded by `Scanner.spend`."""

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)")
PLAIN_THEN_BLANK = re.compile(
    r"([^ \t\n\r'\"\\`$|&;<>()*?\[{}~#=!][^ \t\n\r'\"\\`$|&;<>()*?\[{=]*)"
    r"(?:[ \t]++|(?=[\n;|&)]|\Z))"
)
REDIRECT = re.compile(
    r"(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(?:&>>?|<<<|<<-?|<>|<&|>>|>&|>\||<|>)"
)
REDIRECT_START = re.compile(r"(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?[<>](?!\()|&>")
DECLARATIONS = frozenset({"declare", "export", "local", "readonly", "typeset"})
"""Builtins whose arguments are parsed like assignments."""


class Parser(Compounds):
    """Reads simple commands; `Compounds` reads everything around them."""

    __slots__ = ()

    def simple(self, lead: str, prefix: tuple[str, ...]) -> Command | Compound:
        """Read assignments, words and redirections up to an operator, and take that."""
        text, start = self.text, self.pos
        words: list[Word] = []
        assignments: list[Assignment] = []
        redirects: list[Redirect] = []
        stop = start
        while True:
            # Most words are plain; this is a shorter way to what `_argument` does.
            match = PLAIN_THEN_BLANK.match(text, self.pos, self.end)
            if match is not None:
                at, stop = match.span(1)
                words.append(Word(at, stop, match[1]))
                self.pos = match.end()
                if len(words) > WORK_LIMIT:
                    self.spend(WORK_LIMIT)
                continue
            self.blanks()
            if self.pos >= self.end:
                break
            character = text[self.pos]
            if character in "<>&0123456789{" and REDIRECT_START.match(text, self.pos, self.end):
                redirects.append(self.redirect())
            elif character in "\n;|&)":
                break
            elif character == "(":
                if len(words) == 1 and not assignments and not redirects:
                    return self.function(start, words[0], lead, prefix)
                self.refuse("unexpected '('")
            elif not words and (assignment := self.assignment()) is not None:
                assignments.append(assignment)
            else:
                words.append(self._argument(words))
            stop = self.pos
            self.spend()
        self.spend(len(words) + 1)
        trail = self.operator()
        return Command(
            start, stop, tuple(words), tuple(assignments), tuple(redirects), lead, trail, prefix
        )

    def _argument(self, words: list[Word]) -> Word:
        if words and words[0].text in DECLARATIONS:
            assignment = self.assignment()
            if assignment is not None:
                return _declared(assignment)
        word = self.word()
        if word is None:
            self.refuse(f"unexpected {self.peek()!r}")
        spelling = "" if words else self.text[word.start : self.pos]
        if "\\\n" in spelling and KEYWORD.fullmatch(spelling.replace("\\\n", "")):
            self.refuse("a reserved word split over two lines", word.start)
        return word

    def assignment(self) -> Assignment | None:
        """Read an assignment; None, and nothing taken, where none begins."""
        start, text = self.pos, self.text
        match = ASSIGNMENT.match(text, start, self.end)
        if match is None:
            return None
        name, operator = match.groups()
        self.pos = match.end()
        index = None
        if operator == "[":
            index = tuple(self.operand("]", quoted=False))
            operator = "+=" if text.startswith("+=", self.pos) else "="
            if not text.startswith(operator, self.pos):
                self.pos = start
                return None
            self.pos += len(operator)
        elements = None
        value = self.empty()
        if self.peek() == "(":
            if index is not None:
                self.refuse("a list assigned to an element")
            elements = self._elements()
        else:
            value = self.word() or value
        return Assignment(start, self.pos, name, operator, value, index, elements)

    def _elements(self) -> tuple[Word, ...]:
        """Read the `(…)` of an array."""
        opening = self.pos
        self.pos += 1
        elements: list[Word] = []
        while True:
            self.linebreak()
            if self.peek() == ")":
                self.pos += 1
                return tuple(elements)
            word = self.word()
            if word is None:
                self.refuse("a list that is not closed", opening)
            elements.append(word)

    def redirect(self) -> Redirect:
        """Read a redirection with its target."""
        start = self.pos
        match = REDIRECT.match(self.text, start, self.end)
        if match is None:
            self.refuse("an unknown redirection")
        operator = match[0].lstrip("0123456789")
        if operator[0] == "{":
            operator = operator[operator.index("}") + 1 :]
        fd = match[0][: len(match[0]) - len(operator)]
        self.pos = match.end()
        self.whole(self.pos)
        self.blanks()
        target = self.word()
        if target is None:
            self.refuse(f"{operator!r} without a target", start)
        redirect = Redirect(start, self.pos, fd, operator, target)
        if operator in ("<<", "<<-"):
            if target.text is None:
                self.refuse("a here-document with an unusual delimiter", start)
            quoted = bool(target.marks & QUOTED) or "\\" in self.text[target.start : target.end]
            self.pending.append((redirect, target.text, quoted))
        return redirect

    def redirects(self) -> tuple[Redirect, ...]:
        """Read the redirections behind a compound command."""
        found = []
        self.blanks()
        while REDIRECT_START.match(self.text, self.pos, self.end):
            found.append(self.redirect())
            self.blanks()
        return tuple(found)


def _declared(assignment: Assignment) -> Word:
    """Turn an argument of `declare` and its kin into a word with the pieces of its value."""
    value = assignment.value
    if assignment.elements is None and assignment.index is None and value.text is not None:
        text = assignment.name + assignment.operator + value.text
        return Word(assignment.start, assignment.end, text, value.marks)
    head = assignment.name + assignment.operator
    pieces = [Piece("text", assignment.start, assignment.start + len(assignment.name), head)]
    pieces += assignment.index or ()
    pieces += value.pieces or ()
    for element in assignment.elements or ():
        pieces += element.pieces or (
            Piece("text", element.start, element.end, element.text or "", quoted=True),
        )
    return Word(assignment.start, assignment.end, None, value.marks | VARIABLE, tuple(pieces))


def parse(text: str) -> Script | Unparsed:
    """Parse a command line as bash would read it from `bash -c`.

    Args:
        text: The command line; newlines and CRLF separate commands.

    Returns:
        The script, or an `Unparsed` for everything that is broken, ambiguous between shells,
        too long or nested too deeply. It never raises.
    """
    if len(text) > LENGTH_LIMIT:
        return Unparsed(f"longer than {LENGTH_LIMIT} characters", LENGTH_LIMIT)
    control = CONTROL.search(text)
    if control is not None:
        return Unparsed("a control character", control.start())
    parser = Parser(text)
    try:
        script = parser.script()
        if parser.pos != parser.end:
            parser.refuse(f"unexpected {parser.peek()!r}")
        if parser.pending:
            parser.refuse("here-document without a body")
    except Refusal as refusal:
        return Unparsed(refusal.reason, refusal.offset)
    except RecursionError:
        return Unparsed("nested too deeply", parser.pos)
    if parser.nested:
        from agguard.shell.context import settle

        settle(script)
    return script


def words(text: str) -> tuple[str, ...] | None:
    """Return the words of a line that is one plain simple command, else None.

    Plain means: no assignment, no redirection, no operator, and every word known without
    running anything.
    """
    script = parse(text)
    if isinstance(script, Unparsed) or len(script.nodes) != 1:
        return None
    node = script.nodes[0]
    if isinstance(node, Compound) or node.assignments or node.redirects or node.prefix:
        return None
    if node.trail not in ("", "\n", ";"):
        return None
    texts = tuple(word.text for word in node.words if word.text is not None)
    return texts if len(texts) == len(node.words) else None
