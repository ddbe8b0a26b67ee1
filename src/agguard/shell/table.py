"""What commands are: the knowledge in `commands.txt`, looked up when a command needs it.

The format is described at the head of that file. Nothing is parsed before a program is asked
for, and of its options only those that a command line uses: a hook is a fresh process.
"""

from __future__ import annotations

from functools import cache

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

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
INHERITED = frozenset({"folder", "helps", "numbers", "remote", "single"})
"""What a program says for all of its subcommands."""

FLAG, VALUE, ATTACHED = 0, 1, 2


class Option(Value):
    """An option: whether it takes a value, what it does, and what its value must look like."""

    kind: int
    effect: int = READ
    pattern: str = ""
    place: bool = False


class Entry(Value):
    """A command as the table describes it; see the head of `commands.txt`.

    `seen` keeps the options that were asked for: most commands ask for few, and again.
    """

    name: str
    effect: int
    flags: frozenset[str]
    tokens: tuple[tuple[str, int], ...]
    seen: dict[str, Option | None]
    exact: tuple[str, ...] = ()
    least: int = 0
    most: int = MANY
    lifted: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    otherwise: int = UNKNOWN
    first: str = ""
    operands: str = ""
    check: str = ""
    builtin: str = ""
    wrapper: str = ""
    lists: str = ""
    passes: str = ""

    def option(self, name: str) -> Option | None:
        """Return an option by its name with dashes; the last description of it counts."""
        seen = self.seen
        if name not in seen:
            seen[name] = self._look_up(name)
        return seen[name]

    def begins(self, name: str) -> bool:
        """Tell whether some option begins like this."""
        return any(token.startswith(name) for token, _ in self.tokens)

    def _look_up(self, name: str) -> Option | None:
        single = "single" in self.flags
        found = None
        for token, effect in self.tokens:
            if name[1] == "-" or single:
                if token.startswith(name) and (option := _option(name, token, effect)):
                    found = option
            elif token[1] != "-" and name[1] in token:
                head = token.partition("{")[0].rstrip(":%?=")
                if name[1] in head[1:]:
                    found = _option(head, token, effect) or found
        return found


def _option(name: str, token: str, effect: int) -> Option | None:
    """Read what stands behind an option's name in its token; None for a longer name."""
    rest, _, pattern = token[len(name) :].partition("{")
    place = rest[-1:] == "%"
    kind = rest.rstrip("%")
    if kind in ("=?", "?"):
        return Option(ATTACHED, effect, pattern[:-1], place)
    if kind in ("=", ":"):
        return Option(VALUE, effect, pattern[:-1], place)
    return None if kind else Option(FLAG, effect)


class Table:
    """The commands of a text in the table's format, with a user's additions over them.

    Args:
        text: The text.
        additions: Descriptions by command, such as `{"mytool status": "read folder -v"}`;
            they replace what the text says about the same command.
    """

    __slots__ = ("_additions", "_blocks", "_entries", "_text")

    def __init__(self, text: str, additions: Mapping[str, str] | None = None) -> None:
        self._text = text
        self._additions: dict[str, dict[str, str]] = {}
        for command, description in (additions or {}).items():
            program, _, words = command.partition(" ")
            self._additions.setdefault(program, {})[words] = " " + description
        self._blocks: dict[str, dict[str, str]] = {}
        self._entries: dict[tuple[str, ...], Entry | None] = {}

    def extended(self, additions: Mapping[str, str]) -> Table:
        """Return a table with a user's additions over this one."""
        return Table(self._text, additions)

    def entry(self, program: str, *words: str) -> Entry | None:
        """Return what is known about a program, or about one of its subcommands."""
        key = (program, *words)
        if key not in self._entries:
            self._entries[key] = self._find(program, words)
        return self._entries[key]

    def program(self, name: str) -> Entry | None:
        """Return what is known about the program of a name.

        Versions count where the table says so: `python3.11` is `python`.
        """
        entry = self.entry(name)
        if entry is not None:
            return entry
        plain = name.rstrip("0123456789.").removesuffix("-")
        entry = self.entry(plain) if plain and plain != name else None
        return entry if entry is not None and "versioned" in entry.flags else None

    def _find(self, program: str, words: tuple[str, ...]) -> Entry | None:
        description = self._block(program).get(" ".join(words))
        if description is None:
            return None
        parent = self.entry(program, *words[:-1]) if words else None
        inherited = parent.flags & INHERITED if parent is not None else frozenset()
        return self._parsed(" ".join((program, *words)), description, inherited)

    def _block(self, program: str) -> dict[str, str]:
        """Return the descriptions of a program and its subcommands, by subcommand."""
        if program not in self._blocks:
            lines = dict(_descriptions(self._located(program)))
            lines.update(self._additions.get(program, {}))
            for key in [key for key in lines if key]:
                _admit(key, lines)
            self._blocks[program] = lines
        return self._blocks[program]

    def _located(self, program: str) -> str:
        """Return the text of a program's block, without its head; nothing if it has none."""
        text, name = self._text, program.replace(":", "\\:")
        at = text.find(name)
        while at >= 0:
            end = at + len(name)
            if text[max(at - 1, 0) : at] in ("", "\n", " ") and text[end : end + 1] in " :\n":
                line = text.rfind("\n", 0, at) + 1
                while text[line] == " ":
                    line = text.rfind("\n", 0, line - 1) + 1
                colon = text.find(":", line)
                colon += text[colon - 1] == "\\"
                if end <= colon and text[line] != "#":
                    return text[colon + 1 : _block_end(text, colon)]
            at = text.find(name, end)
        return ""

    def _parsed(self, name: str, description: str, inherited: frozenset[str]) -> Entry:
        fields: dict[str, Any] = {"effect": READ}
        flags = set(inherited)
        tokens: list[tuple[str, int]] = []
        for token, effect in self._tokens(description):
            if token[0] == "-":
                tokens.append((token, effect))
            elif token[0] == "=":
                fields["exact"] = (*fields.get("exact", ()), token[1:])
            elif "=" in token:
                _field(token, fields)
            elif token.partition("+")[0] in EFFECTS:
                fields["effect"] = _effect(token)
            else:
                flags.add(token)
        return Entry(name=name, flags=frozenset(flags), tokens=tuple(tokens), seen={}, **fields)

    def _tokens(self, description: str) -> Iterator[tuple[str, int]]:
        """Yield the tokens of a description, macros spelled out, each with the effect it has."""
        effect = READ
        for token in description.split():
            if token[0] == "!":
                effect = _effect(token[1:])
            elif token[0] == "@":
                yield from self._tokens(self._block(token)[""])
            else:
                yield token, effect


def _field(token: str, fields: dict[str, Any]) -> None:
    name, _, value = token.partition("=")
    if name == "args":
        least, _, most = value.partition("-")
        fields["least"], fields["most"] = int(least), int(most or least)
    elif name in ("lifted", "needed"):
        fields[name] = tuple(value.split(","))
    elif name == "else":
        fields["otherwise"] = _effect(value)
    else:
        fields["wrapper" if name == "wrap" else name] = value


def _effect(words: str) -> int:
    value = 0
    for word in words.split("+"):
        value |= EFFECTS[word]
    return value


def _block_end(text: str, start: int) -> int:
    """Return where the next line begins that is neither indented nor empty."""
    end = text.find("\n", start)
    while end >= 0 and text[end + 1 : end + 2] == " ":
        end = text.find("\n", end + 1)
    return len(text) if end < 0 else end


def _descriptions(block: str) -> Iterator[tuple[str, str]]:
    """Yield the subcommands of a block with their descriptions; the program's own comes first."""
    if not block:
        return
    heads, own = [""], ""
    for line in block.split("\n"):
        if line[:2] == "  " and line[2:3].isalnum():
            head, colon, rest = line.partition(":")
            if colon and rest[:1] in ("", " ") and "=" not in head:
                for key in heads:
                    yield key, own
                heads, own = _alternatives(head), rest
                continue
        own += " " + line.strip()
    for key in heads:
        yield key, own


def _admit(key: str, lines: dict[str, str]) -> None:
    """Make all that stands before a subcommand have subcommands, whatever else is said of it."""
    while key:
        key = key.rpartition(" ")[0]
        own = lines.get(key, "")
        if "sub" not in own.split():
            lines[key] = own + (" sub leaf" if own else " sub")


def _alternatives(heads: str) -> list[str]:
    """Spell out `log|show` and `volume|network ls|inspect`."""
    spelled = [""]
    for part in heads.split():
        spelled = [f"{head} {word}".strip() for head in spelled for word in part.split("|")]
    return spelled


@cache
def shipped() -> Table:
    """Return the table that comes with agguard."""
    with open(__file__.removesuffix("table.py") + "commands.txt", encoding="utf-8") as file:
        return Table(file.read())
