"""Arguments: what a program gets for a word, as far as that can be known without running it."""

from __future__ import annotations

from agguard.shell.calls import COMPUTED, ENVIRONMENT, LISTED, Loose
from agguard.shell.syntax import BRACE, Piece, Script, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.shell.calls import Argument, Variables

NAME_ENDS = ("", ".", "/", "-", "_", ":", ",", " ")
"""How a text may go on behind a name that was listed."""
OTHER_FOLDERS = frozenset("+-0123456789")
"""Behind a tilde these name a folder that the shell was in."""
BRACE_LIMIT = 64
"""How many words one brace list may become."""

NUMBERS = frozenset("#?$!")
# What the shell puts here comes from the line itself: `echo x; cat $_` (bash manual, Shell
# Variables; zshparam).
SET_BY_SHELL = frozenset(
    {"_", "-", "REPLY", "MAPFILE", "OPTARG", "OLDPWD", "DIRSTACK", "FUNCNAME", "COPROC"}
    | {"argv", "match", "MATCH", "reply", "pipestatus", "PIPESTATUS"}
)
SHELL_FAMILIES = ("BASH", "COMP_", "READLINE_", "ZSH_")


class Resolver:
    """Turns words into arguments.

    Args:
        variables: The variables that the line has assigned so far.
        cwd: The folder that `$PWD` stands for, where it is known.
        listing: Tells whether a script only lists files of the workspace.
        counting: Tells whether only numbers are ever assigned to a variable.
    """

    __slots__ = ("_counting", "_cwd", "_listing", "_variables")

    def __init__(
        self,
        variables: Variables,
        cwd: str | None,
        listing: Callable[[Script], bool],
        counting: Callable[[str], bool],
    ) -> None:
        self._counting = counting
        self._variables = variables
        self._cwd = cwd
        self._listing = listing

    def arguments(self, words: tuple[Word, ...]) -> list[Argument]:
        """Return the arguments that words become."""
        found: list[Argument] = []
        for word in words:
            if word.text is not None:
                found.append(word.text)
            else:
                found += self.expanded(word)
        return found

    def expanded(self, word: Word) -> list[Argument]:
        """Return what one word with expansions becomes."""
        if not word.marks & BRACE:
            return [self._joined(word.pieces)]
        alternatives = _braces(list(word.pieces))
        if alternatives is None:
            return [Loose("", "*", COMPUTED, split=True)]
        return [self._joined(tuple(pieces)) for pieces in alternatives]

    def _joined(self, pieces: tuple[Piece, ...]) -> Argument:
        prefix, pattern, origin = "", "", ENVIRONMENT
        known, split, globbed = True, False, False
        open_name = False
        for piece in pieces:
            value = piece.text if piece.kind == "glob" else self._value(piece)
            if open_name and (not isinstance(value, str) or value[:1] not in NAME_ENDS):
                # `ls -a` also lists a dot, which may become the beginning of any hidden name.
                origin = COMPUTED
            open_name = value == LISTED or (open_name and value == "")
            if piece.kind == "glob":
                known, globbed = False, True
                pattern += piece.text
                continue
            if isinstance(value, str) and not (known and self._splits(piece, value)):
                prefix += value if known else ""
                pattern += value
                continue
            known = False
            pattern += "*"
            origin = max(origin, value if isinstance(value, int) else COMPUTED)
            split = (
                split or not piece.quoted or piece.text == "@" or piece.operator[:1] in {"[", "!"}
            )
        if known:
            return prefix
        return Loose(prefix, pattern, origin, split, globbed)

    @staticmethod
    def _splits(piece: Piece, value: str) -> bool:
        """Tell whether the shell makes several words of a known value."""
        return (
            piece.kind == "variable"
            and not piece.quoted
            and (not value or any(character in value for character in " \t\n*?["))
        )

    def _value(self, piece: Piece) -> str | int:
        """Return the text of a piece, or the origin of a text that is not known."""
        if piece.kind == "tilde" and piece.text[1:2] in OTHER_FOLDERS:
            return COMPUTED
        if piece.kind in ("text", "brace", "tilde"):
            return piece.text
        if piece.kind == "process":
            return "/dev/fd/63"
        if piece.kind == "arithmetic":
            return "0"
        if piece.kind == "command":
            return LISTED if piece.script and self._listing(piece.script) else COMPUTED
        return self._variable(piece)

    def _variable(self, piece: Piece) -> str | int:
        name, operator = piece.text, piece.operator
        if name in NUMBERS or operator.startswith("length"):
            return "0"
        value: str | int = self._variables.get(name, ENVIRONMENT)
        if name not in self._variables:
            if name == "HOME" and not operator:
                return "~"
            if name == "PWD" and not operator and self._cwd is not None:
                return self._cwd
            if _set_by_shell(name) or _secret(name):
                value = COMPUTED
        if not operator:
            counts = value == COMPUTED and name in self._variables and self._counting(name)
            return "0" if counts else value
        if (
            value == ENVIRONMENT
            and not piece.operator.startswith("!")
            and operator in ("%", "%%", "#", "##")
        ):
            return value
        return COMPUTED


def _set_by_shell(name: str) -> bool:
    """Tell whether a line may have a say in what a variable holds without assigning to it."""
    return (
        name in "@*"
        or name[0].isdigit()
        or name in SET_BY_SHELL
        or name == "PWD"
        or name.startswith(SHELL_FAMILIES)
    )


def _secret(name: str) -> bool:
    from agguard.shell.variables import holds_secret

    return holds_secret(name)


def _braces(pieces: list[Piece]) -> list[list[Piece]] | None:
    """Spell out brace lists; None for sequences and for too many words."""
    opening = depth = 0
    starts: list[int] = []
    for number, piece in enumerate(pieces):
        if piece.quoted or piece.kind not in ("brace", "text"):
            continue
        if piece.kind == "brace" and piece.text == "{":
            depth += 1
            if depth == 1:
                opening, starts = number, [number + 1]
        elif piece.kind == "brace" and depth:
            depth -= 1
            if depth == 0 and len(starts) > 1:
                return _spelled(pieces, opening, starts, number)
        elif piece.text == "," and depth == 1:
            starts.append(number + 1)
        elif ".." in piece.text and depth:
            return None
    return [pieces]


def _spelled(
    pieces: list[Piece], opening: int, starts: list[int], closing: int
) -> list[list[Piece]] | None:
    found: list[list[Piece]] = []
    for start, stop in zip(starts, [*(s - 1 for s in starts[1:]), closing], strict=True):
        inner = _braces(pieces[:opening] + pieces[start:stop] + pieces[closing + 1 :])
        if inner is None or len(found) + len(inner) > BRACE_LIMIT:
            return None
        found += inner
    return found
