"""Programs: what one of them does with its arguments, wrappers taken off."""

from __future__ import annotations

from agguard.shell.calls import COMPUTED, LISTED, Loose
from agguard.shell.places import STANDARD, Place
from agguard.shell.scanner import pattern
from agguard.shell.syntax import Command, Script
from agguard.shell.table import READ, UNKNOWN, Entry, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.shell.arguments import Resolver
    from agguard.shell.calls import Argument, Call, State
    from agguard.shell.options import Reading
    from agguard.shell.syntax import Compound, Redirect

    Spanned = Call | Command | Compound | Redirect
    Verdict = tuple[int, str]
    Finding = tuple[int, int, str, int, str]

NETWORK = 4
DELEGATE = 8
EXECUTE = 32
PIPES = ("|", "|&")
DETOUR = r"//|/\.{1,2}(?:/|$)"
HELP = ("--help", "-help")
WRAPPER_LIMIT = 12
"""How many wrappers may stand around a program; each takes a few frames of Python's stack."""


class Programs:
    """Judges programs; `walk.Walk` finds them.

    `findings` are the parts so far: start, end, program, effect and reason. `level` counts the
    command lines around this one that have it as an argument.
    """

    __slots__ = ("depth", "findings", "level", "place", "read", "table", "text")

    def __init__(self, text: str, table: Table, place: Place) -> None:
        self.text = text
        self.table = table
        self.place = place
        self.findings: list[Finding] = []
        self.depth = 0
        self.level = 0
        # What only importing this package does not need is imported when a line is judged.
        from agguard.shell.options import read_options

        self.read = read_options

    def say(self, where: Spanned, program: str, effect: int, why: str) -> None:
        """Record a part."""
        self.findings.append((where.start, where.end, program, effect, why))

    def run(self, call: Call) -> None:
        """Judge a call."""
        name = call.arguments[0]
        external = call.external
        if isinstance(name, Loose):
            self.say(call, name.pattern, UNKNOWN, "which command this is, only running tells")
            return
        if "/" in name:
            external = True
            folder, _, base = name.rpartition("/")
            if folder not in STANDARD or self.place.is_writable(folder):
                self.say(call, name, EXECUTE | self.agents([base]), "runs a file by its path")
                return
        elif name in call.state.functions and not external:
            why = self.suspicious(call.rest, call.state)
            effect = UNKNOWN if why else READ
            self.say(call, name, effect, why or "a function that is defined in this line")
            return
        else:
            base = name
        entry = self.table.program(base)
        if entry is None:
            self.say(call, base, UNKNOWN, f"{base!r} is not a known command")
        elif external and "builtin" in entry.flags:
            self.say(call, base, UNKNOWN, f"{base!r} is a builtin, no program")
        elif entry.wrapper:
            self._wrapper(entry, call)
        elif entry.builtin and not external:
            from agguard.shell.builtins import BUILTINS

            BUILTINS[entry.builtin](self, call)
        else:
            effect, why = self.judge(entry, call.rest, call.state)
            self.say(call, base, effect, why)

    def _wrapper(self, entry: Entry, call: Call) -> None:
        from agguard.shell.wrappers import WRAPPERS

        self.depth += 1
        if self.depth > WRAPPER_LIMIT:
            self.say(call, entry.name, UNKNOWN, "too many wrappers around a program")
        elif len(call.rest) == 1 and call.rest[0] in entry.exact:
            self.say(call, entry.name, READ, "prints about itself")
        else:
            WRAPPERS[entry.wrapper](self, entry, call)
        self.depth -= 1

    def judge(self, entry: Entry, arguments: list[Argument], state: State) -> Verdict:
        """Say what a program does with arguments, and why.

        Subcommands are followed as far as the table knows them.
        """
        effect, why = READ, ""
        places: list[str] = []
        while "sub" in entry.flags:
            rest = arguments
            reading = None
            if not rest or isinstance(rest[0], Loose) or rest[0][:1] == "-":
                reading = self.read(entry, arguments, posix=True)
                rest = reading.operands
            head = rest[0] if rest else ""
            if isinstance(head, Loose) or not head:
                break
            deeper = self.table.entry(*entry.name.split(" "), head)
            if deeper is None:
                break
            if reading is not None:
                effect, why = effect | reading.effect, why or reading.why
                places += reading.places
            arguments, entry = rest[1:], deeper
        if places and not self.trusts(places, state):
            return UNKNOWN, "takes its configuration from a place that is not the user's"
        own, own_why = self._leaf(entry, arguments, state)
        if own & ~READ:
            return (effect | own) & ~READ, own_why
        return effect, why or own_why

    def agents(self, names: Iterable[str]) -> int:
        """Return DELEGATE if one of these programs starts agents, wherever it lies."""
        entries = map(self.table.program, names)
        return DELEGATE * any(entry is not None and entry.effect & DELEGATE for entry in entries)

    def _leaf(self, entry: Entry, arguments: list[Argument], state: State) -> Verdict:
        """Judge a program, or a subcommand, by its own entry."""
        if (not arguments or entry.exact or arguments[-1] in HELP) and _about_itself(
            entry, arguments
        ):
            return self._where(entry, None, state) or (READ, "prints about itself")
        if entry.effect != READ:
            more = self.read(entry, arguments).effect & ~UNKNOWN if entry.tokens else READ
            if "packages" in entry.flags:
                from agguard.shell.packages import packages

                more |= self.agents(packages(arguments))
            return (entry.effect | more) & ~READ, f"{entry.name!r} does that"
        if "sub" in entry.flags and "leaf" not in entry.flags:
            what = "an unknown subcommand" if arguments else "no subcommand"
            return UNKNOWN, f"{entry.name!r} with {what}"
        if "remote" in entry.flags and any(isinstance(a, Loose) for a in arguments):
            return NETWORK, "sends a value that is not known to another machine"
        reading = self.read(entry, arguments)
        if reading.effect & ~READ:
            return reading.effect & ~READ, reading.why
        return (
            _checked(entry, reading)
            or self._where(entry, reading, state)
            or (READ, "reads and prints")
        )

    def _where(self, entry: Entry, reading: Reading | None, state: State) -> Verdict | None:
        """Object to the place where a program runs, or to what it reads there."""
        places = reading.places if reading is not None else []
        if "folder" in entry.flags and not self.trusts([".", *places], state):
            return UNKNOWN, f"{entry.name!r} trusts the folder it runs in, which is not the user's"
        if places and not self.trusts(places, state):
            return UNKNOWN, "takes its configuration from a place that is not the user's"
        if reading is None or "text" in entry.flags:
            return None
        named = "names" in entry.flags
        values = () if named else tuple(value for _, value in reading.values)
        why = self.suspicious(reading.operands, state, spelled=named) or self.suspicious(
            values, state, spelled=True
        )
        if not why and "walks" in entry.flags:
            why = self._walks(reading, state)
        return (UNKNOWN, why) if why else None

    def trusts(self, places: list[str], state: State) -> bool:
        """Tell whether these places, from wherever the shell may be, are the user's."""
        if state.cwds is None:
            return False
        absolute, trusted = self.place.absolute, self.place.trusted
        for cwd in state.cwds:
            for place in places:
                if not trusted(absolute(cwd, place)):
                    return False
        return True

    def suspicious(
        self, operands: Iterable[Argument], state: State, *, spelled: bool = False
    ) -> str:
        """Say why reading these operands may read credentials; nothing if it does not.

        With `spelled` only what they spell counts, not what they may turn out to be.
        """
        names = []
        for operand in operands:
            if isinstance(operand, str):
                names.append(operand)
            elif why := self._loosely(operand, state, only_spelled=spelled):
                return why
        return self._by_name(names, state, spelled=spelled) if names else ""

    def _loosely(self, operand: Loose, state: State, *, only_spelled: bool) -> str:
        from agguard.shell.credentials import spells_credential

        glob = operand.pattern
        if spells_credential(glob):
            return f"{glob!r} may name credentials"
        if only_spelled:
            return ""
        if operand.globbed and self._may_match(glob, state):
            return f"{glob!r} may name credentials"
        if operand.origin == COMPUTED or (operand.origin == LISTED and not self.stays(operand)):
            return f"{glob!r} may name anything"
        return ""

    def _may_match(self, glob: str, state: State) -> bool:
        """Tell whether a shell pattern may match credentials, from wherever the shell may be."""
        from agguard.shell.credentials import matches_hidden, may_match_credential

        if glob[:1] in ("/", "~"):
            inside = glob[0] == "/" and self.place.in_workspace(glob)
            return matches_hidden(glob) if inside else may_match_credential(glob)
        if matches_hidden(glob):
            return True
        return state.cwds is None or any(
            may_match_credential(f"{cwd}/{glob}")
            for cwd in state.cwds
            if not self.place.in_workspace(cwd)
        )

    def _by_name(self, names: list[str], state: State, *, spelled: bool) -> str:
        from agguard.shell.credentials import hinted, is_credential, spells_credential

        joined = "\n".join(names)
        if hinted(joined):
            for name in names:
                if spells_credential(name):
                    return f"{name!r} names credentials"
        if state.cwds is None and not spelled and (name := next(filter(_is_relative, names), "")):
            return f"{name!r} is in a folder that only running tells"
        detours = pattern(DETOUR).search(joined) is not None
        for cwd in state.cwds or ("/",):
            if detours or not self.place.in_workspace(cwd):
                for name in names:
                    if is_credential(self.place.absolute(cwd, name)):
                        return f"{name!r} names credentials in {cwd!r}"
        return ""

    def _walks(self, reading: Reading, state: State) -> str:
        """Object to a search through folders that are known to hold credentials."""
        from agguard.shell.credentials import holds_credentials

        for cwd in state.cwds or ("/",):
            for operand in (*reading.operands, "."):
                path = self.place.absolute(cwd, operand) if isinstance(operand, str) else ""
                if holds_credentials(path) or (path and path == self.place.home):
                    return f"searches through {path!r}"
        return ""

    def lists(self, script: Script, state: State) -> bool:
        """Tell whether a script only lists files of the workspace, so that they may be read."""
        from agguard.shell.listings import prints_names

        if state.cwds is None or not all(map(self.place.in_workspace, state.cwds)):
            return False
        for node in script.nodes:
            if not isinstance(node, Command) or node.assignments or not node.words:
                return False
            if any(redirect.fd != "2" for redirect in node.redirects):
                return False
            arguments = self.resolver(state).arguments(node.words)
            if not prints_names(arguments, self.table, self.place, piped=node.lead in PIPES):
                return False
        return True

    def stays(self, argument: Argument) -> bool:
        """Tell whether an argument does not lead out of the workspace."""
        from agguard.shell.listings import stays

        return stays(argument, self.place)

    def fed_by_listing(self, state: State) -> bool:
        """Tell whether what is piped into a command only names files of the workspace."""
        return bool(state.upstream) and self.lists(Script(0, 0, state.upstream), state)

    def within(self, call: Call, source: str, script: Script, state: State) -> None:
        """Walk over a script whose text stands in an argument of this one."""
        raise NotImplementedError

    def resolver(self, state: State) -> Resolver:
        """Return what turns words into arguments."""
        raise NotImplementedError


def _is_relative(name: str) -> bool:
    return name not in {"", "."} and name[0] not in "/~-"


def _about_itself(entry: Entry, arguments: list[Argument]) -> bool:
    """Tell whether a program with these arguments only prints its version, its help or a list."""
    if not arguments:
        return "bare" in entry.flags
    last = arguments[-1]
    if last in HELP and "helps" in entry.flags:
        # `gh pr create --help`: the table knows `gh pr`, which has subcommands.
        return len(arguments) <= 1 + ("sub" in entry.flags and " " in entry.name)
    dashed = all(isinstance(a, str) and a[:1] == "-" for a in arguments)
    return (len(arguments) == 1 or dashed) and all(a in entry.exact for a in arguments)


def _checked(entry: Entry, reading: Reading) -> Verdict | None:
    """Ask the entry's own check, if it has one."""
    if not entry.check:
        return None
    from agguard.shell.checks import CHECKS

    return CHECKS[entry.check](reading)
