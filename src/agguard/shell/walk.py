"""The walk through a script: who runs where, with which arguments, and what follows from it."""

from __future__ import annotations

from agguard.shell.arguments import COMPUTED, LISTED, Argument, Loose, Resolver, Variables
from agguard.shell.programs import Programs
from agguard.shell.scanner import pattern
from agguard.shell.syntax import (
    QUOTED,
    Command,
    Compound,
    Piece,
    Redirect,
    Script,
    Word,
    scripts_of,
)
from agguard.shell.table import READ, UNKNOWN, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.shell.places import Place

PIPES = ("|", "|&")
WRITE = 16
NETWORK = 4
MOVING = frozenset({"cd", "chdir", "popd", "pushd", "eval", "source", ".", "command", "builtin"})
DESCRIPTOR = r"[0-9]+-?|-"
SAFE_TARGETS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
# An interactive shell replaces these before it parses anything (bash manual, History Expansion).
HISTORY = r"(?<![$\{])!(?=[A-Za-z0-9_?!#$*-])"
SINGLE_QUOTED = r"'[^']*'"

Finding = tuple[int, int, str, int, str]


class State:
    """What a shell holds while it runs: where it may be, its variables and its functions."""

    __slots__ = ("cwds", "functions", "settled", "upstream", "variables")

    def __init__(self, cwds: tuple[str, ...] | None) -> None:
        self.cwds = cwds
        self.variables: Variables = {}
        self.functions: frozenset[str] = frozenset()
        self.settled = True
        self.upstream: tuple[Command | Compound, ...] = ()

    def copy(self) -> State:
        """Return the state of a subshell."""
        other = State(self.cwds)
        other.variables = dict(self.variables)
        other.functions = self.functions
        other.settled = self.settled
        return other

    def child(self) -> State:
        """Return the state of a new shell that inherits folder and environment."""
        other = State(self.cwds)
        other.variables = dict.fromkeys(self.variables, COMPUTED)
        return other

    def join(self, other: State) -> None:
        """Take over what may have happened in another state: all that either may be."""
        if self.cwds != other.cwds:
            self.cwds = _union(self.cwds, other.cwds)
        for name, value in other.variables.items():
            if self.variables.get(name) != value:
                self.variables[name] = COMPUTED


def _union(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if one is None or other is None:
        return None
    joined = tuple(dict.fromkeys(one + other))
    return joined if len(joined) <= 8 else None  # noqa: PLR2004 - enough for any honest line


UNKNOWN_NAMES = frozenset({"?"})


class Walk(Programs):
    """Walks over one text; `findings` are its parts."""

    def __init__(self, text: str, table: Table, place: Place) -> None:
        super().__init__(text, table, place)
        self.unsafe: frozenset[str] | None = UNKNOWN_NAMES
        self.inherited: frozenset[str] | None = frozenset()
        self.root: Script | None = None

    def whole(self, script: Script, state: State) -> None:
        """Walk over the script that the whole text is."""
        self.root = script
        if "!" in self.text and pattern(HISTORY).search(pattern(SINGLE_QUOTED).sub("", self.text)):
            self.say(0, len(self.text), "", UNKNOWN, "history expansion in an interactive shell")
        self.script(script, state)

    def script(self, script: Script, state: State) -> None:
        """Walk over commands in order; a list joined by `&&` and `||` may stop anywhere."""
        seen = state.cwds
        upstream: tuple[Command | Compound, ...] = ()
        for node in script.nodes:
            upstream = upstream if node.lead in PIPES else ()
            if node.lead not in ("&&", "||", "|", "|&"):
                seen = state.cwds
            if node.lead == "||":
                state.cwds = seen
            before = state.settled
            state.settled = before and node.lead not in ("&&", "||")
            if node.lead in PIPES or node.trail in ("|", "|&", "&"):
                inner = state.copy()
                inner.upstream = upstream
                upstream += (node,)
                self.node(node, inner)
                # zsh runs the last stage of a pipe in the shell itself.
                state.join(inner)
            else:
                self.node(node, state)
            state.settled = before
            if state.cwds != seen:
                seen = _union(seen, state.cwds)
                if node.trail != "&&":
                    state.cwds = seen

    def node(self, node: Command | Compound, state: State) -> None:
        """Walk over one command, after what its words run."""
        plain = isinstance(node, Command) and not node.assignments and not node.redirects
        if not plain or any(word.marks for word in node.words):
            self._expansions(node, state)
            for redirect in node.redirects:
                self._redirect(redirect, state)
        if isinstance(node, Command):
            self._command(node, state)
        else:
            self._compound(node, state)

    def _expansions(self, node: Command | Compound, state: State) -> None:
        """Walk over substitutions, and look for what evaluates text."""
        from agguard.shell import arithmetic
        from agguard.shell.variables import changes_programs

        for word in node.words:
            if (
                word.marks & QUOTED
                and word.text
                and pattern(arithmetic.SUBSCRIPT).search(word.text)
            ):
                self.say(node.start, node.end, "", UNKNOWN, "text that arithmetic would run")
        expands = False
        for piece in arithmetic.pieces_of(node):
            expands = True
            if piece.kind == "variable" and "=" in piece.operator and changes_programs(piece.text):
                self.say(node.start, node.end, "", UNKNOWN, f"assigns {piece.text}")
        if expands or (isinstance(node, Command) and node.assignments):
            reason = arithmetic.hazard(node, self.text, self._unsafe())
            if reason:
                self.say(node.start, node.end, "", UNKNOWN, reason)
        clauses = node.clauses if isinstance(node, Compound) else ()
        for script in scripts_of(node):
            if not any(script is clause for clause in clauses):
                self.script(script, state.copy())

    def _unsafe(self) -> frozenset[str] | None:
        """Return the variables that may hold commands; None when any may."""
        if self.unsafe == UNKNOWN_NAMES and self.root is not None:
            from agguard.shell.arithmetic import unsafe_names

            self.unsafe = unsafe_names(self.root)
            if self.inherited is None or self.unsafe is None:
                self.unsafe = None
            else:
                self.unsafe |= self.inherited
        return self.unsafe

    def within(self, source: str, script: Script, start: int, end: int, state: State) -> None:
        """Walk over a script whose text stands in an argument of this one."""
        inner = Walk(source, self.table, self.place)
        inner.level = self.level + 1
        inner.inherited = self._unsafe()
        inner.whole(script, state)
        self.findings += [(start, end, *finding[2:]) for finding in inner.findings]

    def _redirect(self, redirect: Redirect, state: State) -> None:
        operator = redirect.operator
        target = redirect.target.text
        if operator in ("<<", "<<-", "<<<"):
            return
        if operator in ("<", "<&"):
            if target is None or not pattern(DESCRIPTOR).fullmatch(target):
                arguments = self.resolver(state).arguments((redirect.target,))
                self.operands("<", arguments, redirect.start, redirect.end, state)
            return
        if target in SAFE_TARGETS or (
            operator == ">&" and target is not None and pattern(DESCRIPTOR).fullmatch(target)
        ):
            return
        effect = NETWORK | WRITE if (target or "").startswith(("/dev/tcp", "/dev/udp")) else WRITE
        self.say(redirect.start, redirect.end, operator, effect, "redirects output into a file")

    def _command(self, command: Command, state: State) -> None:
        for assignment in command.assignments:
            self.assign(assignment.name, command, not command.words)
        if not command.words:
            self._remember(command, state)
            if command.assignments:
                self.say(command.start, command.end, "", READ, "assigns variables")
            return
        arguments = self.resolver(state).arguments(command.words)
        self.run(arguments, command.start, command.end, state)

    def _remember(self, command: Command, state: State) -> None:
        resolver = self.resolver(state)
        for assignment in command.assignments:
            value: str | int = COMPUTED
            if assignment.elements is None and assignment.index is None:
                word = assignment.value
                got = word.text if word.text is not None else resolver.expanded(word)[0]
                if isinstance(got, Loose):
                    value = got.origin if not got.globbed else COMPUTED
                elif assignment.operator == "=":
                    value = got
            if not state.settled and isinstance(value, str):
                value = COMPUTED
            state.variables[assignment.name] = value

    def _compound(self, node: Compound, state: State) -> None:
        kind = node.kind
        if kind in ("while", "until", "for", "select"):
            self._loop(node, state)
        elif kind == "function":
            self._function(node, state)
        elif kind == "group":
            self.script(node.clauses[0], state)
        elif kind in ("subshell", "coproc"):
            self.script(node.clauses[0], state.copy())
        else:
            before = state.copy()
            for clause in node.clauses:
                inner = state.copy()
                inner.settled = False
                self.script(clause, inner)
                state.join(inner)
            state.functions = before.functions

    def _loop(self, node: Compound, state: State) -> None:
        """Walk over a loop once, in a state that holds for each of its rounds."""
        self._unsettle(node.clauses, state)
        if node.name:
            self.assign(node.name, node, True)
            state.variables[node.name] = self._loop_origin(node, state)
        inner = state.copy()
        inner.settled = False
        for clause in node.clauses:
            self.script(clause, inner)
        state.join(inner)

    def _loop_origin(self, node: Compound, state: State) -> int:
        """Say where the values of a loop variable come from."""
        if not node.words:
            return COMPUTED
        arguments = self.resolver(state).arguments(node.words)
        found = self.suspicious(arguments, state)
        return COMPUTED if found else LISTED

    def _unsettle(self, clauses: tuple[Script, ...], state: State) -> None:
        """Forget what commands in a body may change before they run again."""
        from agguard.shell.arithmetic import changed_names

        for clause in clauses:
            for command in clause.commands():
                for changed in changed_names(command):
                    state.variables[changed] = COMPUTED
                name = command.words[0].text if command.words else ""
                if name is None or name in MOVING or name in state.functions:
                    state.cwds = None
        if state.cwds is None:
            state.variables = dict.fromkeys(state.variables, COMPUTED)

    def _function(self, node: Compound, state: State) -> None:
        inner = state.child()
        inner.variables |= dict.fromkeys(self._assigned(), COMPUTED)
        self._unsettle(node.clauses, inner)
        inner.settled = False
        self.script(node.clauses[0], inner)
        if inner.cwds != state.cwds:
            state.cwds = None
        for name in inner.variables:
            state.variables[name] = COMPUTED
        if state.settled:
            state.functions |= {node.name}

    def _assigned(self) -> frozenset[str]:
        """Return every variable that the text assigns to, wherever."""
        from agguard.shell.arithmetic import assigned_names

        return assigned_names(self.root) if self.root else frozenset()

    def resolver(self, state: State) -> Resolver:
        """Return what turns words into arguments in this state."""
        cwd = state.cwds[0] if state.cwds and len(state.cwds) == 1 else None
        return Resolver(state.variables, cwd, lambda script: self.lists(script, state))
