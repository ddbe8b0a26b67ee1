"""What commands are: the knowledge in `commands.txt`, looked up when a command needs it.

The format is described at the head of that file. Only the block of a program that is asked for
is read, so the table costs a fresh process next to nothing.
"""

from __future__ import annotations

import re
from functools import cache

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCK = re.compile(
    r"^((?:\\:|[^\s#:])(?:\\:|[^:#])*):(?=[ \n])((?:[^\n]*\n)(?:(?:[ \t][^\n]*)?\n|#[^\n]*\n)*)",
    re.MULTILINE,
)
SUBCOMMAND = re.compile(r"  ([A-Za-z0-9][\w.|-]*(?: [\w.|-]+)*):(?: |\Z)")
VERSION = re.compile(r"-?[0-9][0-9.]*\Z")
EFFECTS = {
    "read": 1,
    "message": 2,
    "network": 4,
    "delegate": 8,
    "write": 16,
    "execute": 32,
    "control": 64,
    "unknown": 128,
}
READ = 1
UNKNOWN = 128
MANY = 1_000_000

INHERITED = frozenset({"folder", "remote", "numbers", "single"})
"""What a program says for all of its subcommands."""

FLAG, VALUE, ATTACHED = 0, 1, 2


class Option(Value):
    """An option: whether it takes a value, what it does, and what its value must look like."""

    kind: int
    effect: int = READ
    pattern: re.Pattern[str] | None = None
    place: bool = False


class Entry(Value):
    """A command as the table describes it; see the head of `commands.txt`."""

    name: str
    effect: int = READ
    flags: frozenset[str] = frozenset()
    options: Mapping[str, Option]
    exact: frozenset[str] = frozenset()
    least: int = 0
    most: int = MANY
    lifted: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()
    otherwise: int = UNKNOWN
    first: re.Pattern[str] | None = None
    operands: re.Pattern[str] | None = None
    check: str = ""
    builtin: str = ""
    wrapper: str = ""


class Table:
    """The commands of a text in the table's format, with a user's additions over them.

    Args:
        text: The text.
        additions: Descriptions by command, such as `{"mytool status": "read folder -v"}`;
            they replace what the text says about the same command.
    """

    __slots__ = ("_additions", "_blocks", "_entries", "_lines")

    def __init__(self, text: str, additions: Mapping[str, str] | None = None) -> None:
        self._additions = dict(additions or {})
        self._blocks: dict[str, str] = {}
        for match in BLOCK.finditer(text):
            for name in match[1].split():
                self._blocks[name.replace("\\:", ":")] = match[2]
        self._lines: dict[str, dict[str, str]] = {}
        self._entries: dict[tuple[str, ...], Entry | None] = {}

    def entry(self, program: str, *words: str) -> Entry | None:
        """Return what is known about a program, or about one of its subcommands."""
        key = (program, *words)
        if key not in self._entries:
            self._entries[key] = self._find(program, words)
        return self._entries[key]

    def known(self, program: str) -> str:
        """Return the name under which a program is known, or nothing.

        Versions count where the table says so: `python3.11` is `python`.
        """
        if program in self._blocks or self.entry(program) is not None:
            return program
        match = VERSION.search(program)
        if match is not None:
            plain = program[: match.start()]
            entry = self.entry(plain)
            if entry is not None and "versioned" in entry.flags:
                return plain
        return ""

    def _find(self, program: str, words: tuple[str, ...]) -> Entry | None:
        name = " ".join((program, *words))
        description = self._additions.get(name)
        if description is None:
            description = self._block(program).get(" ".join(words))
        if description is None:
            return None
        parent = self.entry(program, *words[:-1]) if words else None
        inherited = parent.flags & INHERITED if parent is not None else frozenset()
        return self._parsed(name, description, inherited)

    def _block(self, program: str) -> dict[str, str]:
        """Return the descriptions of a program and its subcommands, by subcommand."""
        if program not in self._lines:
            lines: dict[str, str] = {}
            keys = [""]
            for line in self._blocks.get(program, "").split("\n"):
                match = SUBCOMMAND.match(line)
                if match is not None:
                    keys = _alternatives(match[1])
                    line = line[match.end() :]  # noqa: PLW2901 - the head is taken off
                if line.lstrip()[:1] != "#":
                    for key in keys:
                        lines[key] = lines.get(key, "") + " " + line.strip()
            for key in [key for key in lines if key]:
                # `pr list` makes `pr` a command with subcommands, whatever else is said of it.
                words = key.split(" ")[:-1]
                for count in range(len(words) + 1):
                    parent = " ".join(words[:count])
                    own = lines.get(parent)
                    if own is None:
                        lines[parent] = "sub"
                    elif "sub" not in own.split():
                        lines[parent] = own + " sub leaf"
            self._lines[program] = lines if program in self._blocks else {}
        return self._lines[program]

    def _parsed(self, name: str, description: str, inherited: frozenset[str]) -> Entry:
        builder = _Builder(self, inherited)
        builder.take(description)
        return Entry(name=name, options=builder.options, **builder.fields)

    def macro(self, name: str) -> str:
        """Return the tokens that `@name` stands for."""
        return self._block("@" + name)[""]


class _Builder:
    """Collects the fields of an entry from the tokens of its description."""

    __slots__ = ("_single", "_table", "effect", "fields", "options")

    def __init__(self, table: Table, inherited: frozenset[str]) -> None:
        self._table = table
        self._single = "single" in inherited
        self.effect = READ
        self.fields: dict[str, object] = {"flags": inherited}
        self.options: dict[str, Option] = {}

    def take(self, description: str) -> None:
        for token in description.split():
            if token[0] == "-":
                self._option(token)
            elif token[0] == "@":
                before = self.effect
                self.take(self._table.macro(token[1:]))
                self.effect = before
            elif token[0] == "!":
                self.effect = _effect(token[1:])
            elif token[0] == "=":
                self._add("exact", token[1:])
            else:
                self._word(token)

    def _word(self, token: str) -> None:
        name, separator, value = token.partition("=")
        if not separator:
            if name.split("+")[0] in EFFECTS:
                self.fields["effect"] = _effect(name)
            else:
                self._single = self._single or name == "single"
                self._add("flags", name)
        elif name == "args":
            least, _, most = value.partition("-")
            self.fields["least"] = int(least)
            self.fields["most"] = int(most or least) if not most.startswith("*") else MANY
        elif name == "else":
            self.fields["otherwise"] = _effect(value)
        elif name == "wrap":
            self.fields["wrapper"] = value
        elif name in ("first", "operands"):
            self.fields[name] = re.compile(value)
        elif name in ("lifted", "needed"):
            for option in value.split(","):
                self._add(name, option)
        else:
            self.fields[name] = value

    def _add(self, field: str, value: str) -> None:
        self.fields[field] = frozenset({value}) | self.fields.get(field, frozenset())  # type: ignore[operator]

    def _option(self, token: str) -> None:
        pattern = None
        if token.endswith("}") and "{" in token:
            token, _, expression = token[:-1].partition("{")
            pattern = re.compile(expression)
        place = token.endswith("%")
        token = token.removesuffix("%")
        kind = FLAG
        if token.endswith("?"):
            token, kind = token[:-1].removesuffix("="), ATTACHED
        elif token.endswith((":", "=")):
            token, kind = token[:-1], VALUE
        option = Option(kind, self.effect, pattern, place)
        if self._single or token.startswith("--") or len(token) == 2:  # noqa: PLR2004 - dash, letter
            self.options[token] = option
        else:
            for letter in token[1:]:
                self.options["-" + letter] = option


def _effect(words: str) -> int:
    value = 0
    for word in words.split("+"):
        value |= EFFECTS[word]
    return value


def _alternatives(heads: str) -> list[str]:
    """Spell out `log|show` and `volume|network ls|inspect`."""
    spelled = [""]
    for part in heads.split():
        spelled = [f"{head} {word}".strip() for head in spelled for word in part.split("|")]
    return spelled


@cache
def shipped() -> Table:
    """Return the table that comes with agguard."""
    import os

    path = os.path.join(os.path.dirname(__file__), "commands.txt")  # noqa: PTH118, PTH120
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs 11 ms
        return Table(file.read())
