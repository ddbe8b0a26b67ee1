"""The whole grammar: compound commands, and what hangs on simple ones."""

from __future__ import annotations

from agguard.shell.conditionals import Conditionals
from agguard.shell.scanner import pattern
from agguard.shell.simple import REDIRECT_START
from agguard.shell.syntax import VARIABLE, Assignment, Compound, Piece, Redirect, Script, Word

IN = r"in(?=[ \t\n\r;]|\Z)"
ARM_END = r";;&|;;|;&"
PARENTHESES = r"\([ \t]*\)"
COPROC_NAME = r"([A-Za-z_][A-Za-z0-9_]*)[ \t]+(?=[{(])"
NAME = r"[A-Za-z_][A-Za-z0-9_]*(?=[ \t\n\r;)]|\Z)"
FUNCTION_NAME = r"[^ \t\n\r'\"\\`$|&;<>(){}*?\[~#=!]+"


class Grammar(Conditionals):
    """Reads everything."""

    __slots__ = ()

    def expect(self, keyword: str) -> None:
        """Take a reserved word that must come now."""
        self.linebreak()
        if self.keyword() != keyword:
            self.refuse(f"{keyword!r} expected")
        self.pos += len(keyword)

    def body(self, *closing: str) -> tuple[Script, str]:
        """Read a non-empty list and the reserved word that ends it."""
        self.deeper()
        script = self.script()
        self.depth -= 1
        keyword = self.keyword()
        if not script.nodes or keyword not in closing:
            self.refuse(f"a command and then {closing[0]!r} expected")
        self.pos += len(keyword)
        return script, keyword

    def finish(  # noqa: PLR0913 - the fields of a compound
        self,
        start: int,
        kind: str,
        lead: str,
        prefix: tuple[str, ...],
        *,
        clauses: tuple[Script, ...] = (),
        words: tuple[Word, ...] = (),
        name: str = "",
        pieces: tuple[Piece, ...] = (),
    ) -> Compound:
        """Read the redirections and the operator behind a compound command."""
        self.nested = True
        redirects = self.redirects()
        stop = max(self.pos, redirects[-1].end if redirects else 0)
        character = self.peek()
        if character and character not in "\n\r;|&)":
            self.refuse(f"unexpected {character!r} behind {kind!r}")
        trail = self.operator()
        return Compound(
            start, stop, kind, clauses, words, name, pieces, redirects, lead, trail, prefix
        )

    def elements(self) -> tuple[Word, ...]:
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

    def declared(self, assignment: Assignment) -> Word:
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

    def redirects(self) -> tuple[Redirect, ...]:
        """Read the redirections behind a compound command."""
        found = []
        self.blanks()
        while pattern(REDIRECT_START).match(self.text, self.pos, self.end):
            found.append(self.redirect())
            self.blanks()
        return tuple(found)

    def compound(  # noqa: PLR0911 - one for each keyword
        self, keyword: str, lead: str, prefix: tuple[str, ...]
    ) -> Compound:
        """Read the compound command that a reserved word begins."""
        start = self.pos
        self.pos += len(keyword)
        if keyword == "{":
            script, _ = self.body("}")
            return self.finish(start, "group", lead, prefix, clauses=(script,))
        if keyword == "if":
            return self._if(start, lead, prefix)
        if keyword in ("while", "until"):
            condition, _ = self.body("do")
            script, _ = self.body("done")
            return self.finish(start, keyword, lead, prefix, clauses=(condition, script))
        if keyword in ("for", "select"):
            return self._for(start, keyword, lead, prefix)
        if keyword == "case":
            return self._case(start, lead, prefix)
        if keyword == "[[":
            words = self.conditional(start)
            return self.finish(start, "[[", lead, prefix, words=words)
        if keyword == "function":
            return self._function_keyword(start, lead, prefix)
        return self._coproc(start, lead, prefix)

    def _if(self, start: int, lead: str, prefix: tuple[str, ...]) -> Compound:
        clauses = []
        keyword = "elif"
        while keyword == "elif":
            condition, _ = self.body("then")
            script, keyword = self.body("fi", "elif", "else")
            clauses += [condition, script]
        if keyword == "else":
            script, _ = self.body("fi")
            clauses.append(script)
        return self.finish(start, "if", lead, prefix, clauses=tuple(clauses))

    def _for(self, start: int, kind: str, lead: str, prefix: tuple[str, ...]) -> Compound:
        self.blanks()
        words: list[Word] = []
        pieces: tuple[Piece, ...] = ()
        name = ""
        if kind == "for" and self.text.startswith("((", self.pos):
            pieces = (self.arithmetic(self.pos + 2, "arithmetic", loop=True),)
            self._separator()
        else:
            match = pattern(NAME).match(self.text, self.pos, self.end)
            if match is None:
                self.refuse(f"a name expected behind {kind!r}")
            name = match[0]
            self.pos = match.end()
            self._for_list(words)
        self.expect("do")
        script, _ = self.body("done")
        return self.finish(
            start,
            kind,
            lead,
            prefix,
            clauses=(script,),
            words=tuple(words),
            name=name,
            pieces=pieces,
        )

    def _separator(self) -> None:
        self.blanks()
        if self.peek() == ";":
            self.pos += 1

    def _for_list(self, words: list[Word]) -> None:
        """Read `in a b c` and the separator behind it."""
        self.blanks()
        if self.peek() == ";":
            self.pos += 1
            return
        self.linebreak()
        if not pattern(IN).match(self.text, self.pos, self.end):
            return
        self.pos += 2
        while True:
            self.blanks()
            word = self.word()
            if word is None:
                break
            self.spend()
            words.append(word)
        if self.peek() not in (";", "\n"):
            self.refuse("the list of a loop is not closed")
        self.pos += 1 if self.peek() == ";" else 0

    def _case(self, start: int, lead: str, prefix: tuple[str, ...]) -> Compound:
        self.blanks()
        subject = self.word()
        if subject is None:
            self.refuse("a word expected behind 'case'")
        words = [subject]
        clauses: list[Script] = []
        self.linebreak()
        if not pattern(IN).match(self.text, self.pos, self.end):
            self.refuse("'in' expected")
        self.pos += 2
        self.deeper()
        while True:
            self.linebreak()
            if self.keyword() == "esac":
                break
            self._patterns(words)
            clauses.append(self.script())
            self.blanks()
            if self.keyword() == "esac":
                break
            match = pattern(ARM_END).match(self.text, self.pos, self.end)
            if match is None:
                self.refuse("';;' or 'esac' expected")
            self.pos = match.end()
        self.depth -= 1
        self.pos += len("esac")
        return self.finish(start, "case", lead, prefix, clauses=tuple(clauses), words=tuple(words))

    def _patterns(self, words: list[Word]) -> None:
        """Read `a|b)` or `(a|b)`."""
        if self.peek() == "(":
            self.pos += 1
        while True:
            self.blanks()
            word = self.word()
            if word is None:
                self.refuse("a pattern expected")
            words.append(word)
            self.blanks()
            character = self.peek()
            if character not in ("|", ")"):
                self.refuse("')' expected behind a pattern")
            self.pos += 1
            if character == ")":
                return

    def parenthesis(self, lead: str, prefix: tuple[str, ...]) -> Compound:
        """Read `( … )` or `(( … ))`."""
        start = self.pos
        if self.text.startswith("((", start):
            piece = self.arithmetic(start + 2, "arithmetic")
            return self.finish(start, "((", lead, prefix, pieces=(piece,))
        self.pos += 1
        self.deeper()
        script = self.script()
        self.depth -= 1
        if self.peek() != ")" or not script.nodes:
            self.refuse("unclosed or empty '('", start)
        self.pos += 1
        return self.finish(start, "subshell", lead, prefix, clauses=(script,))

    def function(self, start: int, name: Word, lead: str, prefix: tuple[str, ...]) -> Compound:
        """Read a function definition from the `(` behind its name."""
        if pattern(PARENTHESES).match(self.text, self.pos, self.end) is None:
            self.refuse("unexpected '('")
        spelling = self.text[name.start : name.end]
        if not pattern(FUNCTION_NAME).fullmatch(spelling):
            self.refuse("an unusual function name", name.start)
        self.pos = self.text.index(")", self.pos) + 1
        return self._function_body(start, spelling, lead, prefix)

    def _function_keyword(self, start: int, lead: str, prefix: tuple[str, ...]) -> Compound:
        self.blanks()
        match = pattern(FUNCTION_NAME).match(self.text, self.pos, self.end)
        if match is None:
            self.refuse("a name expected behind 'function'")
        self.pos = match.end()
        self.blanks()
        parentheses = pattern(PARENTHESES).match(self.text, self.pos, self.end)
        if parentheses is not None:
            self.pos = parentheses.end()
        return self._function_body(start, match[0], lead, prefix)

    def _function_body(self, start: int, name: str, lead: str, prefix: tuple[str, ...]) -> Compound:
        self.linebreak()
        begin = self.pos
        self.deeper()
        body = self.node("")
        self.depth -= 1
        if not isinstance(body, Compound) or body.kind in ("function", "coproc") or body.prefix:
            self.refuse("a compound command expected as the body of a function", begin)
        self.nested = True
        script = Script(begin, body.end, (body.replace(trail=""),))
        return Compound(
            start,
            body.end,
            "function",
            (script,),
            name=name,
            lead=lead,
            trail=body.trail,
            prefix=prefix,
        )

    def _coproc(self, start: int, lead: str, prefix: tuple[str, ...]) -> Compound:
        self.blanks()
        name = ""
        match = pattern(COPROC_NAME).match(self.text, self.pos, self.end)
        if match is not None and not self.keyword():
            name = match[1]
            self.pos = match.end()
        begin = self.pos
        self.deeper()
        body = self.node("")
        self.depth -= 1
        if body is None or body.prefix:
            self.refuse("a command expected behind 'coproc'")
        self.nested = True
        script = Script(begin, body.end, (body.replace(trail=""),))
        return Compound(
            start,
            body.end,
            "coproc",
            (script,),
            name=name,
            lead=lead,
            trail=body.trail,
            prefix=prefix,
        )
