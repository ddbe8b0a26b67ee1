"""Options decide: whether the arguments of a command are among those that the table knows."""

from __future__ import annotations

from agguard.shell.calls import Argument, Loose
from agguard.shell.scanner import pattern
from agguard.shell.table import FLAG, READ, UNKNOWN, VALUE, Entry, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


NUMBER = r"-[0-9]+[A-Za-z]?"
REMOTE = r"[\w+.-]+://|[^/]+@"


class Unreadable(Exception):  # noqa: N818 - not an error but an answer
    """An argument that the table does not allow; internal."""


def stop(reason: str) -> NoReturn:
    """Give up on the arguments."""
    raise Unreadable(reason)


class Reading:
    """What the arguments of a command say: its effect, the reason, and its operands.

    `places` are values that name where configuration is taken from, `values` all that options
    have, and `seen` the options themselves.
    """

    __slots__ = (
        "effect",
        "entry",
        "operands",
        "places",
        "position",
        "posix",
        "seen",
        "values",
        "why",
    )

    def __init__(self, entry: Entry, *, posix: bool) -> None:
        self.entry = entry
        self.posix = posix or "posix" in entry.flags
        self.effect = READ
        self.why = ""
        self.operands: list[Argument] = []
        self.places: list[str] = []
        self.seen: set[str] = set()
        self.values: list[tuple[str, Argument]] = []
        self.position = 0

    def walk(self, arguments: list[Argument]) -> None:
        """Read options and operands in the order of the arguments."""
        count = len(arguments)
        while self.position < count:
            argument = arguments[self.position]
            self.position += 1
            if isinstance(argument, Loose):
                self._loose(argument)
            elif argument == "--":
                self.operands += arguments[self.position :]
                return
            elif argument[:1] != "-" or argument == "-":
                self.operands.append(argument)
                if self.posix:
                    self._behind(arguments[self.position :])
                    return
            elif argument[1] == "-" or "single" in self.entry.flags:
                self._long(argument, arguments)
            else:
                self._cluster(argument, arguments)

    def _behind(self, rest: list[Argument]) -> None:
        """Take what follows the first operand; an awk that reads options there would be odd."""
        if "posix" in self.entry.flags:
            for argument in rest:
                if isinstance(argument, str) and argument[:1] == "-" and argument[1:]:
                    stop(f"{argument!r} behind the operands")
        self.operands += rest

    def _loose(self, argument: Loose) -> None:
        """Take an argument that may be anything behind its prefix."""
        prefix = argument.prefix
        if prefix[:1] != "-":
            if not prefix or argument.split:
                stop("an argument that may turn out to be an option")
            self.operands.append(argument)
            return
        name = prefix.partition("=")[0] if prefix[1:2] == "-" else prefix[:2]
        option = self.entry.option(name)
        complete = "=" in prefix if prefix[1:2] == "-" else len(prefix) > 1
        if option is None or option.kind == FLAG or not complete or argument.split:
            stop(f"the option {prefix!r} with an unknown rest")
        self._use(name, option, argument)

    def _long(self, argument: str, arguments: list[Argument]) -> None:
        name, separator, value = argument.partition("=")
        option = self.entry.option(name)
        if option is None and "single" in self.entry.flags and name[1] == "-":
            name = name[1:]
            option = self.entry.option(name)
        if option is None:
            if "numbers" in self.entry.flags and argument[1:].isdigit():
                return
            stop(f"the option {name!r}")
        if separator:
            if option.kind == FLAG and "single" not in self.entry.flags:
                stop(f"a value for the option {name!r}")
            self._use(name, option, value)
        elif option.kind == VALUE:
            self._use(name, option, self._next(name, option, arguments))
        else:
            self._use(name, option, None)

    def _cluster(self, argument: str, arguments: list[Argument]) -> None:
        """Take `-abc`, `-n5` or `-n 5`."""
        if "numbers" in self.entry.flags and argument[1:].isdigit():
            return
        for place in range(1, len(argument)):
            name = "-" + argument[place]
            option = self.entry.option(name)
            if option is None:
                stop(f"the option {name!r}")
            rest = argument[place + 1 :]
            if option.kind == FLAG:
                self._use(name, option, None)
                continue
            if option.kind == VALUE:
                self._use(name, option, rest or self._next(name, option, arguments))
            else:
                self._use(name, option, rest or None)
            return

    def _next(self, name: str, option: Option, arguments: list[Argument]) -> Argument:
        """Take the argument behind an option as its value.

        A value that looks like an option is refused, unless the table says what values look like:
        another version of the program may see an option there.
        """
        if self.position >= len(arguments):
            return ""
        value = arguments[self.position]
        self.position += 1
        text = value.prefix if isinstance(value, Loose) else value
        if isinstance(value, Loose) and value.split:
            stop(f"a value of {name!r} that may become several words")
        if text[:1] == "-" and text[1:] and not pattern(option.pattern or NUMBER).fullmatch(text):
            stop(f"{text!r} behind the option {name!r}")
        return value

    def _use(self, name: str, option: Option, value: Argument | None) -> None:
        self.seen.add(name)
        if option.effect != READ:
            self.effect |= option.effect
            self.why = self.why or f"the option {name!r}"
        if value is None:
            return
        self.values.append((name, value))
        if option.pattern and (
            isinstance(value, Loose) or pattern(option.pattern).fullmatch(value) is None
        ):
            stop(f"this value of the option {name!r}")
        if option.place:
            if isinstance(value, Loose):
                stop(f"an unknown place behind the option {name!r}")
            if pattern(REMOTE).match(value):
                stop(f"a place on another machine behind the option {name!r}")
            if self.places and name == "-C":
                # The second one counts from the first.
                stop("one place on top of another")
            self.places.append(value)


def read_options(entry: Entry, arguments: list[Argument], *, posix: bool = False) -> Reading:
    """Compare arguments with what the table allows.

    Args:
        entry: The command as the table describes it.
        arguments: What stands behind the program and its subcommands.
        posix: Whether options end at the first operand, as in front of a subcommand.

    Returns:
        READ when everything is allowed; the option's effect, or UNKNOWN, with the reason.
    """
    reader = Reading(entry, posix=posix)
    if "any" in entry.flags:
        reader.operands = arguments
        return reader
    try:
        if "closed" in entry.flags:
            _check_closed(entry, arguments)
            reader.operands = arguments
            return reader
        if entry.first:
            arguments = _without_first(entry.first, arguments)
        reader.walk(arguments)
        met = posix or _conditions(entry, reader)
    except Unreadable as refusal:
        reader.effect |= UNKNOWN
        reader.why = f"{refusal} is not known to be harmless"
        reader.operands = []
        return reader
    if not met:
        reader.effect |= entry.otherwise
        reader.why = f"{entry.name!r} with these operands"
    return reader


def _check_closed(entry: Entry, arguments: list[Argument]) -> None:
    """Look for long options that the program we know does not have; GNU lets them be shortened."""
    for argument in arguments:
        text = argument.prefix if isinstance(argument, Loose) else argument
        if text == "--" and text == argument:
            return
        name = text.partition("=")[0]
        if name[:2] == "--" and not entry.begins(name) and name not in ("--help", "--version"):
            stop(f"the option {name!r}")


def _without_first(first: str, arguments: list[Argument]) -> list[Argument]:
    """Take the one argument that may look like an option; what follows are operands."""
    head = arguments[0] if arguments else ""
    if isinstance(head, Loose) or pattern(first).fullmatch(head) is None:
        stop(f"{head!r}")
    return arguments[1:]


def _conditions(entry: Entry, reader: Reading) -> bool:
    """Compare what was met as a whole with the entry's conditions."""
    if entry.needed and reader.seen.isdisjoint(entry.needed):
        return False
    count = len(reader.operands)
    if reader.seen.isdisjoint(entry.lifted) and not entry.least <= count <= entry.most:
        return False
    if entry.operands:
        for operand in reader.operands:
            text = operand.pattern if isinstance(operand, Loose) else operand
            if pattern(entry.operands).fullmatch(text) is None:
                stop(f"the operand {text!r}")
    return True
