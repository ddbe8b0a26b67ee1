"""Simple commands in lists and pipelines: what most command lines are, read quickly.

Everything beyond, from `$x` to loops, is read by `grammar.Grammar`, which builds on this class;
it is imported only for texts that need it.
"""

from __future__ import annotations

from agguard.shell.scanner import WORK_LIMIT, Scanner, pattern
from agguard.shell.syntax import QUOTED, Assignment, Command, Redirect, Script, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.shell.syntax import Compound, Piece

# Plain words with single spaces between them, up to an operator; a plain word with the blanks
# behind it; any whole word without anything special in it; a word
# that is a single quoted string.
PLAIN_THEN_BLANK = (
    r"([^ \t\n\r'\"\\`$|&;<>()*?\[{}~#=!][^ \t\n\r'\"\\`$|&;<>()*?\[{=]*)"
    r"(?:[ \t]++|(?=[\n;|&)]|\Z))"
)
PLAIN_WORDS = (
    r"[^ \t\n\r'\"\\`$|&;<>()*?\[{}~#=!][^ \t\n\r'\"\\`$|&;<>()*?\[{=]*"
    r"(?: [^ \t\n\r'\"\\`$|&;<>()*?\[{}~#=!][^ \t\n\r'\"\\`$|&;<>()*?\[{=]*)*+(?=[\n;|&)]|\Z)"
)
PLAIN = r"[^ \t\n\r'\"\\`$|&;<>()*?\[{~#][^ \t\n\r'\"\\`$|&;<>()*?\[{]*"
QUOTED_WHOLE = r"""'([^']*)'|"([^"$`\\]*)\""""
ENDS = frozenset(" \t\n\r|&;()<>")
ASSIGNMENT = r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)"
REDIRECT = r"(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(?:&>>?|<<<|<<-?|<>|<&|>>|>&|>\||<|>)"
REDIRECT_START = r"(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?[<>](?!\()|&>"
REDIRECT_BEGINNINGS = frozenset("<>&0123456789{")
DECLARATIONS = frozenset({"declare", "export", "local", "readonly", "typeset"})
"""Builtins whose arguments are parsed like assignments."""

KEYWORDS = frozenset(
    {"!", "{", "}", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi"}
    | {"for", "function", "if", "select", "then", "time", "until", "while"}
)
KEYWORD_ENDS = frozenset(" \t\n\r;&|()")
KEYWORD_STARTS = frozenset("!{}[]cdefistuw")
CLOSING = frozenset({"}", "]]", "do", "done", "elif", "else", "esac", "fi", "then"})
CONNECTORS = frozenset({"&&", "||", "|", "|&"})
TIME_OPTION = r"-p(?=[ \t])"


def _spaced(text: str, at: int) -> list[Word]:
    """Return the words of a text in which single spaces separate them."""
    words = []
    for word in text.split(" "):
        stop = at + len(word)
        words.append(Word(at, stop, word))
        at = stop + 1
    return words


def plain_line(text: str) -> Script | None:
    """Return the script of a text that is one command of plain words, the quickest way."""
    match = pattern(PLAIN_WORDS).match(text)
    if match is None or match.end() != len(text):
        return None
    words = _spaced(text, 0)
    if words[0].text in KEYWORDS or len(words) > WORK_LIMIT:
        return None
    return Script(0, len(text), (Command(0, len(text), tuple(words)),))


class Simple(Scanner):
    """Reads lists of simple commands; what it leaves to the grammar is not implemented."""

    __slots__ = ()

    def script(self) -> Script:
        """Read commands up to something that cannot begin one; an empty script is fine."""
        start = self.pos
        nodes: list[Command | Compound] = []
        lead = ""
        self.linebreak()
        while self.pos < self.end:
            node = self.node(lead)
            if node is None:
                break
            nodes.append(node)
            lead = node.trail
            if lead in ("", ";;", ";&", ";;&"):
                break
            self.nested = self.nested or lead in ("|", "&", "|&")
            self.linebreak()
        if lead in CONNECTORS:
            self.refuse(f"a command is missing behind {lead!r}")
        return Script(start, self.pos, tuple(nodes))

    def node(self, lead: str) -> Command | Compound | None:
        """Read one command with its reserved words; None where no command begins."""
        character = self.text[self.pos] if self.pos < self.end else ""
        if character.isalpha() and character not in KEYWORD_STARTS:
            return self.simple(lead, ())
        prefix: tuple[str, ...] = ()
        while True:
            if character == "(":
                return self.parenthesis(lead, prefix)
            keyword = self.keyword() if character in KEYWORD_STARTS else ""
            if keyword not in ("!", "time"):
                break
            if lead in ("|", "|&"):
                self.refuse(f"{keyword!r} inside a pipeline")
            prefix += (keyword,)
            self._behind(keyword)
            character = self.peek()
        if keyword in CLOSING or not character or character in ")\n;|&":
            if not prefix and (not character or character not in "\n|&"):
                return None
            if not self.text.startswith("&>", self.pos):
                self.refuse(f"unexpected {character or 'end'!r}")
        if keyword:
            return self.compound(keyword, lead, prefix)
        return self.simple(lead, prefix)

    def _behind(self, keyword: str) -> None:
        """Go behind a `!` or a `time` with its option."""
        self.pos += len(keyword)
        self.blanks()
        if keyword == "time" and pattern(TIME_OPTION).match(self.text, self.pos, self.end):
            self.pos += 2
            self.blanks()

    def keyword(self) -> str:
        """Return the reserved word at the position, without taking it."""
        text, start = self.text, self.pos
        stop = start + 1
        if text[start : start + 1].isalpha():
            while stop < self.end and text[stop].isalpha():
                stop += 1
        elif text.startswith(("[[", "]]"), start):
            stop += 1
        word = text[start:stop]
        if word not in KEYWORDS or stop > self.end:
            return ""
        following = text[stop] if stop < self.end else "\n"
        ends = following in KEYWORD_ENDS or (
            following in "<>" and not text.startswith("(", stop + 1)
        )
        return word if ends else ""

    def simple(self, lead: str, prefix: tuple[str, ...]) -> Command | Compound:
        """Read assignments, words and redirections up to an operator, and take that."""
        text, start, end = self.text, self.pos, self.end
        words: list[Word] = []
        assignments: list[Assignment] = []
        redirects: list[Redirect] = []
        plain = pattern(PLAIN_THEN_BLANK).match
        stop = position = self._plain_words(words)
        while True:
            # Most words are plain; this is a shorter way to what `_argument` does.
            match = plain(text, position, end)
            if match is not None:
                at, stop = match.span(1)
                words.append(Word(at, stop, match[1]))
                position = match.end()
                if len(words) > WORK_LIMIT:
                    self.spend(WORK_LIMIT)
                continue
            self.pos = position
            self.blanks()
            if self.pos >= end:
                break
            character = text[self.pos]
            if character in REDIRECT_BEGINNINGS and pattern(REDIRECT_START).match(
                text, self.pos, end
            ):
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
            stop = position = self.pos
            self.spend()
        self.spend(len(words) + 1)
        trail = self.operator()
        return Command(
            start, stop, tuple(words), tuple(assignments), tuple(redirects), lead, trail, prefix
        )

    def _plain_words(self, words: list[Word]) -> int:
        """Read all words of a command at once where they are plain; return where they end."""
        match = pattern(PLAIN_WORDS).match(self.text, self.pos, self.end)
        if match is None:
            return self.pos
        words += _spaced(match[0], self.pos)
        self.spend(len(words))
        return match.end()

    def _argument(self, words: list[Word]) -> Word:
        if words and words[0].text in DECLARATIONS:
            assignment = self.assignment()
            if assignment is not None:
                return self.declared(assignment)
        word = self.word()
        if word is None:
            self.refuse(f"unexpected {self.peek()!r}")
        spelling = "" if words else self.text[word.start : self.pos]
        if "\\\n" in spelling and spelling.replace("\\\n", "") in KEYWORDS:
            self.refuse("a reserved word split over two lines", word.start)
        return word

    def word(self, *, comparison: bool = False) -> Word | None:
        """Read the word at the position; None where no word begins.

        In a `comparison` (the right side of `=~` and `==` in `[[ ]]`) parentheses and bars belong
        to the word.
        """
        text, start, end = self.text, self.pos, self.end
        match = pattern(PLAIN).match(text, start, end)
        if match is not None:
            stop = match.end()
            following = text[stop] if stop < end else "\n"
            whole = following in ENDS and not (following in "<>" and text.startswith("(", stop + 1))
            if whole and not comparison and "=~" not in (plain := match[0]):
                self.pos = stop
                return Word(start, stop, plain)
        else:
            match = pattern(QUOTED_WHOLE).match(text, start, end)
            if match is not None:
                stop = match.end()
                if stop >= end or text[stop] in " \t\n;)":
                    self.pos = stop
                    return Word(start, stop, match[1] if match[2] is None else match[2], QUOTED)
        return self.composed(comparison=comparison)

    def empty(self) -> Word:
        """Return an empty word at the position, such as the value of `a=`."""
        return Word(self.pos, self.pos, "")

    def assignment(self) -> Assignment | None:
        """Read an assignment; None, and nothing taken, where none begins."""
        start, text = self.pos, self.text
        match = pattern(ASSIGNMENT).match(text, start, self.end)
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
            elements = self.elements()
        elif self.pos < self.end and text[self.pos] not in ENDS:
            value = self.word() or value
        return Assignment(start, self.pos, name, operator, value, index, elements)

    def redirect(self) -> Redirect:
        """Read a redirection with its target."""
        start = self.pos
        match = pattern(REDIRECT).match(self.text, start, self.end)
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

    # What follows is the grammar's; `parser.parse` reads a text that needs it again.

    def composed(self, *, comparison: bool) -> Word | None:
        """Read a word of several pieces."""
        raise NotImplementedError

    def operand(self, closing: str, *, quoted: bool) -> list[Piece]:
        """Read a subscript or the operand of an expansion."""
        raise NotImplementedError

    def elements(self) -> tuple[Word, ...]:
        """Read the `(…)` of an array."""
        raise NotImplementedError

    def declared(self, assignment: Assignment) -> Word:
        """Turn an argument of `declare` into a word."""
        raise NotImplementedError

    def bounded(self, start: int, stop: int) -> tuple[Piece, ...]:
        """Read the expansions of a here-document's body."""
        if self.text.find("$", start, stop) < 0 and self.text.find("`", start, stop) < 0:
            return ()
        return self.expansions(start, stop)

    def expansions(self, start: int, stop: int) -> tuple[Piece, ...]:
        """Read the expansions of a text that is quoted but for them."""
        raise NotImplementedError

    def parenthesis(self, lead: str, prefix: tuple[str, ...]) -> Compound:
        """Read `( … )` or `(( … ))`."""
        raise NotImplementedError

    def compound(self, keyword: str, lead: str, prefix: tuple[str, ...]) -> Compound:
        """Read the compound command that a reserved word begins."""
        raise NotImplementedError

    def function(self, start: int, name: Word, lead: str, prefix: tuple[str, ...]) -> Compound:
        """Read a function definition from the `(` behind its name."""
        raise NotImplementedError
