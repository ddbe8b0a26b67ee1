"""The walk through a script: who runs where, with which arguments, and what follows from it."""

from __future__ import annotations

from agguard.shell.calls import COMPUTED, LISTED, Call, Loose, State, either
from agguard.shell.programs import PIPES, Programs
from agguard.shell.scanner import pattern
from agguard.shell.syntax import QUOTED, Command, Compound, Script, scripts_of
from agguard.shell.table import READ, UNKNOWN, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from agguard.shell.arguments import Resolver
    from agguard.shell.calls import Argument
    from agguard.shell.places import Place
    from agguard.shell.syntax import Assignment, Redirect, Word

ALONE = frozenset({"", ";", "\n"})
NETWORK = 4
WRITE = 16
DESCRIPTOR = r"[0-9]+-?|-"
SAFE_TARGETS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
SOCKETS = ("/dev/tcp", "/dev/udp")
# An interactive shell replaces these before it parses anything (bash manual, History Expansion);
# only single quotes outside double ones keep it from that.
HISTORY = r"(?<![$\{])!(?=[A-Za-z0-9_?!#$*-])"
QUOTES = r"""("(?:\\.|[^"\\])*")|'[^']*'"""
WORDS = r"[A-Za-z_][A-Za-z0-9_]*"
NOT_YET = frozenset({"?"})
ROUNDS = 100
"""How many rounds of loops are looked at one by one."""


class Walk(Programs):
    """Walks over one text; `findings` are its parts."""

    __slots__ = ("_assigned", "_moves", "_root", "_rounds", "_unsafe", "inherited")

    def __init__(self, text: str, table: Table, place: Place) -> None:
        super().__init__(text, table, place)
        self.inherited: frozenset[str] | None = frozenset()
        self._root = Script(0, 0)
        self._unsafe: frozenset[str] | None = NOT_YET
        self._moves = False
        self._rounds = 0
        self._assigned: frozenset[str] | None = None

    def whole(self, script: Script, state: State) -> None:
        """Walk over the script that the whole text is."""
        self._root = script
        if "!" in self.text and pattern(HISTORY).search(pattern(QUOTES).sub(r"\1", self.text)):
            self.findings.append(
                (0, len(self.text), "", UNKNOWN, "history expansion in an interactive shell")
            )
        self.script(script, state)

    def within(self, call: Call, source: str, script: Script, state: State) -> None:
        """Walk over a script whose text stands in an argument of this one."""
        inner = type(self)(source, self.table, self.place)
        inner.level = self.level + 1
        inner.inherited = self.unsafe()
        inner.whole(script, state)
        self.absorb(call, inner)

    def absorb(self, call: Call, inner: Self) -> None:
        """Take over what was found in a text that stands in an argument of a call."""
        self.findings += [(call.start, call.end, *finding[2:]) for finding in inner.findings]

    def script(self, script: Script, state: State) -> None:
        """Walk over commands in order; a list joined by `&&` and `||` may stop anywhere."""
        seen = state.cwds
        if len(script.nodes) == 1 and script.nodes[0].trail in ALONE:
            self.node(script.nodes[0], state)
            state.cwds = either(seen, state.cwds)
            return
        upstream: tuple[Command | Compound, ...] = ()
        for node in script.nodes:
            upstream = upstream if node.lead in PIPES else ()
            if node.lead not in ("&&", *PIPES):
                seen = seen if node.lead == "||" else state.cwds
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
                seen = either(seen, state.cwds)
                if node.trail != "&&":
                    state.cwds = seen

    def node(self, node: Command | Compound, state: State) -> None:
        """Walk over one command, after what its words run."""
        if isinstance(node, Command) and not node.assignments and not node.redirects:
            arguments: list[Argument] = []
            for word in node.words:
                text = word.text
                # A quoted subscript is for `_expansions` to look at.
                if text is None or (word.marks and "[" in text):
                    break
                arguments.append(text)
            else:
                self.run(Call(arguments, node.start, node.end, state))
                return
        self._special(node, state)

    def _special(self, node: Command | Compound, state: State) -> None:
        """Walk over a node that is more than plain words."""
        self._expansions(node, state)
        for redirect in node.redirects:
            self.redirect(redirect, state)
        if isinstance(node, Command):
            self._command(node, state)
        else:
            self._compound(node, state)

    def _expansions(self, node: Command | Compound, state: State) -> None:
        """Walk over substitutions, and look for what evaluates text."""
        from agguard.shell import arithmetic

        values = () if isinstance(node, Compound) else node.assignments
        for word in (*node.words, *(assignment.value for assignment in values)):
            if word.marks & QUOTED and word.text and arithmetic.runs_as_subscript(word.text):
                self.say(node, "", UNKNOWN, "text that arithmetic would run")
        pieces = list(arithmetic.pieces_of(node))
        for piece in pieces:
            if piece.kind == "variable" and "=" in piece.operator:
                self.assign(piece.text, node)
                state.variables[piece.text] = COMPUTED
        if pieces or (isinstance(node, Command) and node.assignments):
            reason = arithmetic.hazard(node, self.text, self.unsafe())
            if reason:
                self.say(node, "", UNKNOWN, reason)
        clauses = node.clauses if isinstance(node, Compound) else ()
        for script in scripts_of(node):
            if not any(script is clause for clause in clauses):
                self.script(script, state.copy())

    def unsafe(self) -> frozenset[str] | None:
        """Return the variables that may hold commands for arithmetic; None when any may."""
        if self._unsafe == NOT_YET:
            from agguard.shell.arithmetic import unsafe_names

            self._unsafe = unsafe_names(self._root)
            if self.inherited is None or self._unsafe is None:
                self._unsafe = None
            else:
                self._unsafe |= self.inherited
        return self._unsafe

    def assign(self, name: str, node: Command | Compound) -> None:
        """Judge an assignment by the name of the variable."""
        from agguard.shell.variables import changes_programs

        if changes_programs(name):
            self.say(node, "", UNKNOWN, f"assigns {name}, at which programs may look")

    def elements(self, words: tuple[Word, ...], state: State) -> None:
        """Take note of the elements of an array; `Invocations` does."""

    def listed(self, words: tuple[Word, ...], state: State) -> None:
        """Take note of the list of a loop."""

    def redirect(self, redirect: Redirect, state: State) -> None:
        """Judge a redirection."""
        operator = redirect.operator
        target = redirect.target.text
        if operator in ("<<", "<<-", "<<<"):
            return
        copies = target is not None and pattern(DESCRIPTOR).fullmatch(target) is not None
        if (operator in ("<&", ">&") and copies) or (target in SAFE_TARGETS and operator != "<"):
            return
        if operator in ("<", "<&"):
            self._input(redirect, self.resolver(state).arguments((redirect.target,)), state)
        else:
            effect = NETWORK | WRITE if (target or "").startswith(SOCKETS) else WRITE
            self.say(redirect, operator, effect, "redirects output into a file")

    def _input(self, redirect: Redirect, arguments: list[Argument], state: State) -> None:
        """Judge files that are read by a redirection."""
        why = self.suspicious(arguments, state)
        spelled = [a.pattern if isinstance(a, Loose) else a for a in arguments]
        if any(path.startswith(SOCKETS) for path in spelled):
            self.say(redirect, "<", NETWORK, "reads from another machine")
        elif why:
            self.say(redirect, "<", UNKNOWN, why)

    def _command(self, command: Command, state: State) -> None:
        for assignment in command.assignments:
            if not _only_splits(assignment, command, state):
                self.assign(assignment.name, command)
        if command.words:
            arguments = self.resolver(state).arguments(command.words)
            # What is assigned for one command is in the environment of what it runs.
            for assignment in command.assignments:
                state.variables[assignment.name] = COMPUTED
            self.run(Call(arguments, command.start, command.end, state))
        elif command.assignments:
            self._remember(command, state)
            self.say(command, "", READ, "assigns variables")

    def _remember(self, command: Command, state: State) -> None:
        for assignment in command.assignments:
            if assignment.elements:
                self.elements(assignment.elements, state)
            value: str | int = COMPUTED
            if assignment.elements is None and assignment.index is None:
                got = self.resolver(state).arguments((assignment.value,))[0]
                if isinstance(got, Loose):
                    value = COMPUTED if got.globbed else got.origin
                elif assignment.operator == "=" and state.settled:
                    value = got
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
            if kind in ("[[", "((") and self._elsewhere(node):
                self.say(node, "", UNKNOWN, "in a shell without these brackets it does more")
            for clause in node.clauses:
                inner = state.unsettled()
                self.script(clause, inner)
                state.join(inner)

    def _elsewhere(self, node: Compound) -> bool:
        """Tell whether dash, to which `[[` and `((` mean nothing, would redirect or run here."""
        if node.kind == "[[":
            return any(word.text in ("<", ">") for word in node.words)
        source = self.text[node.start : node.end]
        words = pattern(WORDS).findall(source)
        return "<" in source or ">" in source or any(map(self.table.program, words))

    def _loop(self, node: Compound, state: State) -> None:
        """Walk over a loop once, in a state that holds for each of its rounds."""
        from agguard.shell.arithmetic import assigned_names

        for clause in node.clauses:
            state.variables |= dict.fromkeys(assigned_names(clause), COMPUTED)
            if self._moves_in(clause, state):
                state.cwds = None
        if node.name:
            self.assign(node.name, node)
            self.listed(node.words, state)
            state.variables[node.name] = self._loop_origin(node, state)
        values = self._spelled_values(node, state)
        for value in values or (None,):
            inner = state.unsettled()
            if value is not None:
                inner.variables[node.name] = value
            for number, clause in enumerate(node.clauses):
                self.script(clause, inner)
                if number == 0 and node.kind == "while":
                    self._fed(node, state, inner)
            state.join(inner)
        if values:
            state.variables[node.name] = COMPUTED

    def _fed(self, node: Compound, state: State, inner: State) -> None:
        """Note that `while read -r x` takes lines of a listing, where one is fed in."""
        from agguard.shell.arithmetic import assigned_names

        question = node.clauses[0].nodes
        name = _line_variable(question[0]) if len(question) == 1 else ""
        sources = [
            piece.script
            for redirect in node.redirects
            for piece in redirect.target.pieces
            if redirect.operator == "<" and piece.kind == "process" and piece.script
        ]
        fed = self.fed_by_listing(state) and not node.redirects
        fed = fed or (len(sources) == 1 == len(node.redirects) and self.lists(sources[0], state))
        if fed and name and name not in assigned_names(node.clauses[-1]):
            inner.variables[name] = LISTED

    def _spelled_values(self, node: Compound, state: State) -> list[str]:
        """Return the values of a loop variable where all are spelled out and they are few."""
        words = self.resolver(state).arguments(node.words) if node.kind == "for" else []
        values = [word for word in words if isinstance(word, str)]
        self._rounds += len(values)
        return values if len(values) == len(words) and self._rounds <= ROUNDS else []

    def _loop_origin(self, node: Compound, state: State) -> int:
        """Say where the values of a loop variable come from."""
        arguments = self.resolver(state).arguments(node.words)
        # A part of a name that is spelled out may be put together with another.
        spelled = any(isinstance(argument, str) for argument in arguments)
        if spelled or not arguments or self.suspicious(arguments, state):
            return COMPUTED
        return LISTED

    def _moves_in(self, script: Script, state: State) -> bool:
        """Tell whether a script may change the folder of its shell."""
        from agguard.shell.arithmetic import moves

        return moves(script) or any(
            command.words and command.words[0].text in state.functions
            for command in script.commands()
        )

    def _function(self, node: Compound, state: State) -> None:
        """Walk over a function's body as it may be found when it is called, wherever that is."""
        from agguard.shell.arithmetic import assigned_names, moves

        if self._assigned is None:
            self._assigned = assigned_names(self._root)
            self._moves = moves(self._root)
        inner = state.child()
        inner.variables |= dict.fromkeys(self._assigned, COMPUTED)
        inner.cwds = None if self._moves else state.cwds
        inner.settled = False
        self.script(node.clauses[0], inner)
        if moves(node.clauses[0]):
            state.cwds = None
        state.variables |= dict.fromkeys(assigned_names(node.clauses[0]), COMPUTED)
        if state.settled:
            state.functions |= {node.name}

    def resolver(self, state: State) -> Resolver:
        """Return what turns words into arguments in this state."""
        from agguard.shell.arguments import Resolver

        cwd = state.cwds[0] if state.cwds and len(state.cwds) == 1 else None
        return Resolver(
            state.variables, cwd, lambda script: self.lists(script, state), self._counts
        )

    def _counts(self, name: str) -> bool:
        unsafe = self.unsafe()
        return unsafe is not None and name not in unsafe


def _line_variable(node: Command | Compound) -> str:
    """Return the variable that `read -r x` fills with a line; nothing for another command."""
    words = [word.text for word in node.words]
    plain = isinstance(node, Command) and not node.redirects and words[:1] == ["read"]
    rest = [word for word in words[1:] if word != "-r"] if plain else []
    return rest[0] if len(rest) == 1 and rest[0] and rest[0][:1] != "-" else ""


def _only_splits(assignment: Assignment, command: Command, state: State) -> bool:
    """Tell whether this is `IFS= read`, where only the builtin sees the assignment."""
    name = command.words[0].text if command.words else None
    return (
        assignment.name == "IFS"
        and name == "read"
        and name not in state.functions
        and assignment.value.text is not None
    )


def windows(walk: Walk, state: State) -> None:
    """Judge a command line of cmd.exe or PowerShell."""
    from agguard.shell.windows import SHARED, plain_words

    words = plain_words(walk.text)
    call = Call(list(words or ("",)), 0, len(walk.text), state)
    if words is None:
        walk.say(call, "", UNKNOWN, "more than one command of plain words")
        return
    name = words[0].lower().removesuffix(".exe")
    if name not in SHARED or any(word.startswith("/") for word in words[1:]):
        walk.say(call, name, UNKNOWN, f"{name!r} is not known on Windows")
    elif not walk.trusts(["."], state):
        # cmd.exe looks for programs in the current folder first.
        walk.say(call, name, UNKNOWN, "runs in a folder that is not the user's")
    else:
        walk.run(Call([name, *words[1:]], 0, len(walk.text), state))
