"""Programs: what one of them does with its arguments, wrappers taken off."""

from __future__ import annotations

from agguard.shell.arguments import COMPUTED, Argument, Loose
from agguard.shell.options import Reading, read_options
from agguard.shell.places import STANDARD, Place
from agguard.shell.syntax import Command, Compound, Script
from agguard.shell.table import READ, UNKNOWN, Entry, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.shell.arguments import Resolver
    from agguard.shell.walk import Finding, State

EXECUTE = 32
NETWORK = 4
WRAPPER_LIMIT = 12
"""How many wrappers may stand around a program; each takes a few frames of Python's stack."""

WINDOWS_SHARED = frozenset(
    """aws az cargo cd dir docker dotnet echo fd gcloud gh git glab go helm hostname java jq kubectl
    mvn node npm pip pnpm poetry python rg ruby rustc rustup terraform tofu uv where whoami""".split()
)
"""Programs that are the same on Windows as elsewhere; the rest is not judged there."""


class Programs:
    """Judges programs; `Walk` finds them."""

    __slots__ = ("depth", "findings", "level", "place", "table", "text")

    def __init__(self, text: str, table: Table, place: Place) -> None:
        self.text = text
        self.table = table
        self.place = place
        self.findings: list[Finding] = []
        self.depth = 0
        self.level = 0

    def say(self, start: int, end: int, program: str, effect: int, why: str) -> None:
        """Record a part."""
        self.findings.append((start, end, program, effect, why))

    def assign(self, name: str, node: Command | Compound, in_shell: bool) -> None:
        """Judge an assignment by the name of the variable."""
        from agguard.shell.variables import changes_programs

        if changes_programs(name):
            where = "for the shell" if in_shell else "for a command"
            self.say(node.start, node.end, "", UNKNOWN, f"assigns {name} {where}")

    def run(
        self,
        arguments: list[Argument],
        start: int,
        end: int,
        state: State,
        *,
        external: bool = False,
    ) -> None:
        """Judge a program with its arguments; `external` says that no builtin can be meant."""
        name = arguments[0]
        if isinstance(name, Loose):
            self.say(start, end, name.pattern, UNKNOWN, "which command this is, only running tells")
            return
        base = name
        if "/" in name:
            folder, _, base = name.rpartition("/")
            external = True
            if folder not in STANDARD or self.place.is_writable(folder):
                self.say(start, end, name, EXECUTE, "runs a file by its path")
                return
        elif name in state.functions and not external:
            self._call(name, arguments, start, end, state)
            return
        known = self.table.known(base)
        entry = self.table.entry(known) if known else None
        if entry is None:
            self.say(start, end, base, UNKNOWN, f"{base!r} is not a known command")
        elif external and "builtin" in entry.flags:
            self.say(start, end, base, UNKNOWN, f"{base!r} is a builtin, no program")
        elif entry.wrapper:
            self._wrapper(entry, arguments, start, end, state)
        elif entry.builtin and not external:
            from agguard.shell.builtins import BUILTINS

            BUILTINS[entry.builtin](self, arguments, start, end, state)
        else:
            effect, why = self.judge(entry, arguments[1:], state)
            self.say(start, end, base, effect, why)

    def _call(
        self, name: str, arguments: list[Argument], start: int, end: int, state: State
    ) -> None:
        """Judge the call of a function that was judged where it is defined."""
        why = self.suspicious(arguments[1:], state)
        effect = UNKNOWN if why else READ
        self.say(start, end, name, effect, why or "a function that is defined in this line")

    def _wrapper(
        self, entry: Entry, arguments: list[Argument], start: int, end: int, state: State
    ) -> None:
        from agguard.shell.wrappers import WRAPPERS

        self.depth += 1
        if self.depth > WRAPPER_LIMIT:
            self.say(start, end, entry.name, UNKNOWN, "too many wrappers around a program")
        elif arguments[1:] and arguments[1] in entry.exact and len(arguments) == 2:  # noqa: PLR2004
            self.say(start, end, entry.name, READ, "prints something about itself")
        else:
            WRAPPERS[entry.wrapper](self, arguments, start, end, state)
        self.depth -= 1

    def judge(self, entry: Entry, arguments: list[Argument], state: State) -> tuple[int, str]:
        """Say what a program does with arguments, and why.

        Subcommands are followed as far as the table knows them.
        """
        effect, why = READ, ""
        places: list[str] = []
        while "sub" in entry.flags:
            reading = read_options(entry, arguments, posix=True)
            head = reading.operands[0] if reading.operands else ""
            known = isinstance(head, str) and head
            deeper = self.table.entry(*entry.name.split(" "), head) if known else None
            if deeper is None:
                return self._leaf(entry, arguments, state)
            effect, why = effect | reading.effect, why or reading.why
            places += reading.places
            arguments, entry = reading.operands[1:], deeper
        if places and not self.trusts(places, state):
            return UNKNOWN, "takes its configuration from a place that is not the user's"
        own, own_why = self._leaf(entry, arguments, state)
        if own & ~READ:
            return (effect | own) & ~READ, own_why
        return effect, why or own_why

    def _leaf(self, entry: Entry, arguments: list[Argument], state: State) -> tuple[int, str]:
        """Judge a program, or a subcommand, by its own entry."""
        if len(arguments) == 1 and arguments[0] in entry.exact:
            return self._where(entry, None, state) or (READ, "prints about itself")
        if entry.effect != READ:
            return entry.effect, f"{entry.name!r} does that"
        if "sub" in entry.flags and "leaf" not in entry.flags and arguments:
            return UNKNOWN, f"{entry.name!r} with a subcommand that is not known"
        if "sub" in entry.flags and "leaf" not in entry.flags:
            return UNKNOWN, f"{entry.name!r} without a subcommand"
        reading = read_options(entry, arguments)
        if reading.effect & ~READ:
            return reading.effect & ~READ, reading.why
        if "remote" in entry.flags and any(isinstance(a, Loose) for a in arguments):
            return NETWORK, "sends a value that is not known to another machine"
        if entry.check:
            from agguard.shell.checks import CHECKS

            found = CHECKS[entry.check](self, entry, reading, state)
            if found:
                return found
        return self._where(entry, reading, state) or (READ, "reads and prints")

    def _where(self, entry: Entry, reading: Reading | None, state: State) -> tuple[int, str] | None:
        """Object to the place where a program runs, or to what it reads there."""
        places = reading.places if reading is not None else []
        if "folder" in entry.flags and not self.trusts([".", *places], state):
            return (
                UNKNOWN,
                f"{entry.name!r} trusts the folder where it runs, which is not the user's",
            )
        if places and not self.trusts(places, state):
            return UNKNOWN, "takes its configuration from a place that is not the user's"
        if reading is not None and "names" not in entry.flags:
            values = [value for _, value in reading.values]
            why = self.suspicious(reading.operands, state) or self.suspicious(
                values, state, values=True
            )
            if not why and "walks" in entry.flags:
                why = self._walks(reading, state)
            if why:
                return UNKNOWN, why
        return None

    def trusts(self, places: list[str], state: State) -> bool:
        """Tell whether these places, from wherever the shell may be, are the user's."""
        if state.cwds is None:
            return False
        absolute = self.place.absolute
        return all(
            self.place.trusted(absolute(cwd, place)) for cwd in state.cwds for place in places
        )

    def suspicious(
        self,
        operands: list[Argument] | tuple[Argument, ...],
        state: State,
        *,
        values: bool = False,
    ) -> str:
        """Say why reading these operands may read credentials; nothing if it does not."""
        if not operands:
            return ""
        from agguard.shell.credentials import is_credential, may_match_credential

        outside = state.cwds is None or not all(map(self.place.in_workspace, state.cwds))
        for operand in operands:
            if isinstance(operand, Loose):
                pattern = operand.pattern
                if is_credential(pattern) or (operand.globbed and may_match_credential(pattern)):
                    if not self._in_workspaces(pattern):
                        return f"{pattern!r} may name credentials"
                if operand.origin == COMPUTED and not values:
                    return f"{pattern!r} may name anything"
            elif is_credential(operand):
                return f"{operand!r} names credentials"
            elif outside and not operand.startswith(("/", "-")) and state.cwds:
                for cwd in state.cwds:
                    if is_credential(self.place.absolute(cwd, operand)):
                        return f"{operand!r} names credentials"
        return ""

    def _in_workspaces(self, pattern: str) -> bool:
        """Tell whether an absolute pattern without credentials in it stays in a workspace."""
        from agguard.shell.credentials import is_credential

        return (
            pattern.startswith("/")
            and ".." not in pattern
            and not is_credential(pattern)
            and self.place.in_workspace(pattern)
        )

    def _walks(self, reading: Reading, state: State) -> str:
        """Object to a search through folders that are known to hold credentials."""
        from agguard.shell.credentials import holds_credentials

        home = self.place.home
        for cwd in state.cwds or ("/",):
            for operand in (*reading.operands, "."):
                path = self.place.absolute(cwd, operand) if isinstance(operand, str) else ""
                if holds_credentials(path) or (home is not None and path == home):
                    return f"searches through {path!r}"
        return ""

    def operands(
        self, program: str, arguments: list[Argument], start: int, end: int, state: State
    ) -> None:
        """Judge files that are read by a redirection."""
        why = self.suspicious(arguments, state)
        if not why and any(str(a).startswith(("/dev/tcp", "/dev/udp")) for a in arguments):
            self.say(start, end, program, NETWORK, "reads from another machine")
        elif why:
            self.say(start, end, program, UNKNOWN, why)

    def lists(self, script: Script, state: State) -> bool:
        """Tell whether a script only lists files of the workspace, so that they may be read."""
        if state.cwds is None or not all(map(self.place.in_workspace, state.cwds)):
            return False
        for node in script.nodes:
            if not isinstance(node, Command) or node.assignments or not node.words:
                return False
            name = node.words[0].text
            entry = self.table.entry(name) if name else None
            if entry is not None and "sub" in entry.flags and len(node.words) > 1:
                entry = self.table.entry(entry.name, node.words[1].text or "")
            if entry is None or "lists" not in entry.flags:
                return False
            arguments = self.resolver(state).arguments(node.words[1:])
            if not all(map(self.stays, arguments)):
                return False
        return True

    def stays(self, argument: Argument) -> bool:
        """Tell whether an argument does not lead out of the workspace."""
        text = argument.pattern if isinstance(argument, Loose) else argument
        if isinstance(argument, Loose) and argument.origin == COMPUTED:
            return False
        if text.startswith("/"):
            return self.place.in_workspace(text) and ".." not in text
        return ".." not in text and "~" not in text and "/." not in text

    def windows(self, state: State) -> None:
        """Judge a command line of cmd.exe or PowerShell."""
        from agguard.shell.windows import plain_words

        words = plain_words(self.text)
        end = len(self.text)
        if words is None:
            self.say(0, end, "", UNKNOWN, "more than one command of plain words")
            return
        name = words[0].lower().removesuffix(".exe")
        if name not in WINDOWS_SHARED or any(word.startswith("/") for word in words[1:]):
            self.say(0, end, name, UNKNOWN, f"{name!r} is not known on Windows")
        elif not self.trusts(["."], state):
            # cmd.exe looks for programs in the current folder first.
            self.say(0, end, name, UNKNOWN, "runs in a folder that is not the user's")
        else:
            self.run([name, *words[1:]], 0, end, state)

    def fed_by_listing(self, state: State) -> bool:
        """Tell whether what is piped into a command only names files of the workspace."""
        return bool(state.upstream) and self.lists(Script(0, 0, state.upstream), state)

    def within(self, source: str, script: Script, start: int, end: int, state: State) -> None:
        """Walk over a script whose text stands in an argument of this one."""
        raise NotImplementedError

    def resolver(self, state: State) -> Resolver:
        """Return what turns words into arguments."""
        raise NotImplementedError
