"""What a parsed command line is made of: values with exact offsets into the source.

A `Script` holds nodes in the order of the text. A node is a `Command` (a simple command) or a
`Compound` (a loop, a group, a function …) with further scripts as its `clauses`. Whatever runs
inside a word, in `$(…)`, in backquotes or in `<(…)`, hangs as a script on a `Piece` of that word.
All offsets count characters of the text that was parsed; `text[x.start:x.end]` is its spelling.
"""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Marks of a word: what stands between its spelling and what the program gets.
QUOTED = 1
GLOB = 2
BRACE = 4
TILDE = 8
VARIABLE = 16
SUBSTITUTION = 32
ARITHMETIC = 64
PROCESS = 128

# Contexts of a node: where its output goes and when it runs.
PIPED_IN = 1
PIPED_OUT = 2
CAPTURED = 4
REDIRECTED = 8
BACKGROUND = 16
LOOP = 32
FUNCTION = 64
BRANCH = 128
GROUP = 256
SUBSHELL = 512
CONTEXT_WORDS = (
    "piped in",
    "piped out",
    "captured",
    "redirected",
    "background",
    "loop body",
    "function body",
    "branch",
    "group",
    "subshell",
)


class Unparsed(Value):
    """The refusal of a whole text, with the reason and where it was noticed."""

    reason: str
    offset: int = 0


class Piece(Value):
    """One part of a word that is not plain.

    `kind` is `text`, `glob`, `brace`, `tilde`, `variable`, `command`, `process` or `arithmetic`.
    `text` is the part after quote removal, a variable's name, or an arithmetic's source. A
    variable's `operator` is what follows its name (`:-`, `#`, `[`, …), behind a leading `!`, and
    `length` for `${#x}`; its `parts` are the pieces of its operand. `script` is what a substitution
    runs.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    quoted: bool = False
    operator: str = ""
    parts: tuple[Piece, ...] = ()
    script: Script | None = None

    if not TYPE_CHECKING:
        # The general constructor of Value costs three times as much, and there are many of these.
        def __init__(  # noqa: PLR0913, PLR0917 - the fields
            self,
            kind: str,
            start: int,
            end: int,
            text: str = "",
            quoted: bool = False,
            operator: str = "",
            parts: tuple[Piece, ...] = (),
            script: Script | None = None,
        ) -> None:
            put = object.__setattr__
            put(self, "kind", kind)
            put(self, "start", start)
            put(self, "end", end)
            put(self, "text", text)
            put(self, "quoted", quoted)
            put(self, "operator", operator)
            put(self, "parts", parts)
            put(self, "script", script)


class Word(Value):
    """A word: `text` after quote removal, or None where only running it would tell.

    `marks` says what was met on the way. A word with a glob, a brace list, a tilde or any
    expansion has no text but `pieces`.
    """

    start: int
    end: int
    text: str | None
    marks: int = 0
    pieces: tuple[Piece, ...] = ()

    if not TYPE_CHECKING:

        def __init__(
            self,
            start: int,
            end: int,
            text: str | None,
            marks: int = 0,
            pieces: tuple[Piece, ...] = (),
        ) -> None:
            put = object.__setattr__
            put(self, "start", start)
            put(self, "end", end)
            put(self, "text", text)
            put(self, "marks", marks)
            put(self, "pieces", pieces)


class Heredoc(Value):
    """The body of a here-document; `pieces` are its expansions, none when it is quoted."""

    start: int
    end: int
    quoted: bool
    pieces: tuple[Piece, ...] = ()


class Redirect(Value):
    """A redirection: `fd` as written (`2`, `{name}` or empty), its operator and its target."""

    start: int
    end: int
    fd: str
    operator: str
    target: Word
    body: Heredoc | None = None

    if not TYPE_CHECKING:

        def __init__(  # noqa: PLR0913, PLR0917 - the fields
            self,
            start: int,
            end: int,
            fd: str,
            operator: str,
            target: Word,
            body: Heredoc | None = None,
        ) -> None:
            put = object.__setattr__
            put(self, "start", start)
            put(self, "end", end)
            put(self, "fd", fd)
            put(self, "operator", operator)
            put(self, "target", target)
            put(self, "body", body)


class Assignment(Value):
    """`name=value`, `name+=value`, `name[index]=value` or `name=(elements)`."""

    start: int
    end: int
    name: str
    operator: str
    value: Word
    index: tuple[Piece, ...] | None = None
    elements: tuple[Word, ...] | None = None

    if not TYPE_CHECKING:

        def __init__(  # noqa: PLR0913, PLR0917 - the fields
            self,
            start: int,
            end: int,
            name: str,
            operator: str,
            value: Word,
            index: tuple[Piece, ...] | None = None,
            elements: tuple[Word, ...] | None = None,
        ) -> None:
            put = object.__setattr__
            put(self, "start", start)
            put(self, "end", end)
            put(self, "name", name)
            put(self, "operator", operator)
            put(self, "value", value)
            put(self, "index", index)
            put(self, "elements", elements)


class Command(Value):
    """A simple command; `start` is where its first assignment, redirection or word begins.

    `lead` and `trail` are the operators before and after it (`;`, `&`, `&&`, `||`, `|`, `|&`,
    a newline or nothing). `prefix` holds the reserved words before its pipeline (`!`, `time`).
    """

    start: int
    end: int
    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    lead: str = ""
    trail: str = ""
    prefix: tuple[str, ...] = ()
    context: int = 0

    if not TYPE_CHECKING:

        def __init__(  # noqa: PLR0913, PLR0917 - the fields
            self,
            start: int,
            end: int,
            words: tuple[Word, ...],
            assignments: tuple[Assignment, ...] = (),
            redirects: tuple[Redirect, ...] = (),
            lead: str = "",
            trail: str = "",
            prefix: tuple[str, ...] = (),
            context: int = 0,
        ) -> None:
            put = object.__setattr__
            put(self, "start", start)
            put(self, "end", end)
            put(self, "words", words)
            put(self, "assignments", assignments)
            put(self, "redirects", redirects)
            put(self, "lead", lead)
            put(self, "trail", trail)
            put(self, "prefix", prefix)
            put(self, "context", context)


class Compound(Value):
    """A command that holds commands.

    `kind` is `if`, `while`, `until`, `for`, `select`, `case`, `function`, `group`, `subshell`,
    `coproc`, `[[` or `((`. `words` are the words of its head: the list of a `for`, the subject
    and then the patterns of a `case`, the operands of a `[[`. `name` is the loop variable, the
    function or the coprocess. `pieces` are the expansions of an arithmetic head.
    """

    start: int
    end: int
    kind: str
    clauses: tuple[Script, ...] = ()
    words: tuple[Word, ...] = ()
    name: str = ""
    pieces: tuple[Piece, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    lead: str = ""
    trail: str = ""
    prefix: tuple[str, ...] = ()
    context: int = 0


class Script(Value):
    """Commands in the order of the text."""

    start: int
    end: int
    nodes: tuple[Command | Compound, ...] = ()

    if not TYPE_CHECKING:

        def __init__(
            self, start: int, end: int, nodes: tuple[Command | Compound, ...] = ()
        ) -> None:
            put = object.__setattr__
            put(self, "start", start)
            put(self, "end", end)
            put(self, "nodes", nodes)

    def commands(self) -> Iterator[Command]:
        """Yield every simple command: in the text's order, nested ones right after their word."""
        for node in self.nodes:
            if isinstance(node, Command):
                yield node
            for script in scripts_of(node):
                yield from script.commands()


def scripts_of(node: Command | Compound) -> Iterator[Script]:
    """Yield the scripts directly below a node: in its words, its redirections, its clauses."""
    for pieces in _pieces_of(node):
        yield from _scripts_in(pieces)
    if isinstance(node, Compound):
        yield from node.clauses


def _pieces_of(node: Command | Compound) -> Iterator[tuple[Piece, ...]]:
    if isinstance(node, Command):
        for assignment in node.assignments:
            yield assignment.index or ()
            yield assignment.value.pieces
            for element in assignment.elements or ():
                yield element.pieces
    else:
        yield node.pieces
    for word in node.words:
        if word.pieces:
            yield word.pieces
    for redirect in node.redirects:
        yield redirect.target.pieces
        if redirect.body is not None:
            yield redirect.body.pieces


def _scripts_in(pieces: tuple[Piece, ...]) -> Iterator[Script]:
    for piece in pieces:
        if piece.script is not None:
            yield piece.script
        if piece.parts:
            yield from _scripts_in(piece.parts)


def context_words(context: int) -> tuple[str, ...]:
    """Name the contexts that are set, for people."""
    return tuple(word for bit, word in enumerate(CONTEXT_WORDS) if context >> bit & 1)
