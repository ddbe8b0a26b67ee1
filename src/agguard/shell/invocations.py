"""Which programs a command line really runs, where, and with which arguments.

The same walk that finds effects, with wrappers taken off, variables followed and nested scripts
entered; here it writes down what it meets. Protection reads it: paths that a line names.
"""

from __future__ import annotations

from agguard.model.value import Value
from agguard.shell.calls import Argument, Loose, State
from agguard.shell.parser import parse
from agguard.shell.places import Place
from agguard.shell.syntax import Unparsed
from agguard.shell.table import READ, shipped
from agguard.shell.walk import Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from agguard.shell.calls import Call
    from agguard.shell.syntax import Command, Compound, Redirect, Word
    from agguard.shell.table import Table


class Invocation(Value):
    """One program with its arguments, or one redirection with its target.

    `program` is the program's word, the redirection's operator, or `=` for an assignment, whose
    argument is the variable's name; `(` for the elements of an array, `for` for the list of a loop
    and `<<` for the text of a here-document. An argument that is not known
    as a whole stands with a `*` for each unknown part. `cwds` are the folders that it may run in;
    None when that is not known. `reads` says that it certainly only looks at something.
    """

    program: str
    arguments: tuple[str, ...]
    cwds: tuple[str, ...] | None
    reads: bool


def invocations(
    text: str, *, cwd: str | None, home: str | None = None, workspaces: tuple[str, ...] = ()
) -> tuple[Invocation, ...] | None:
    """Return what a line runs, in the order it is met; None when it is not understood.

    Args:
        text: The command line, for bash.
        cwd: The absolute folder where it runs; None when that is not known.
        home: The user's home folder, for `~`.
        workspaces: The folders whose contents the user trusts.
    """
    script = parse(text)
    if isinstance(script, Unparsed):
        return None
    recorder = _Recorder(text, shipped(), Place(workspaces, (), home, None))
    recorder.whole(script, State(None if cwd is None else (cwd,)))
    return tuple(recorder.met)


class _Recorder(Walk):
    """A walk that writes down what it meets."""

    __slots__ = ("met",)

    def __init__(self, text: str, table: Table, place: Place) -> None:
        super().__init__(text, table, place)
        self.met: list[Invocation] = []

    def run(self, call: Call) -> None:
        place, cwds, before = len(self.met), call.state.cwds, len(self.findings)
        super().run(call)
        reads = all(effect == READ for _, _, _, effect, _ in self.findings[before:])
        reads = reads or self._cannot_change(call)
        words = [_written(argument) for argument in call.arguments]
        self.met.insert(place, Invocation(words[0], tuple(words[1:]), cwds, reads))

    def _cannot_change(self, call: Call) -> bool:
        """Tell whether a program changes nothing whatever it is given, if it reads secrets."""
        if "/" in (call.arguments[0] if isinstance(call.arguments[0], str) else "/"):
            return False
        entry = self.table.program(call.name)
        return (
            entry is not None
            and entry.effect == READ
            and not entry.flags.isdisjoint(("any", "closed"))
            and not (entry.wrapper or entry.builtin)
        )

    def assign(self, name: str, node: Command | Compound) -> None:
        super().assign(name, node)
        self.met.append(Invocation("=", (name,), None, reads=False))

    def redirect(self, redirect: Redirect, state: State) -> None:
        super().redirect(redirect, state)
        target = self.resolver(state).arguments((redirect.target,))
        reads = redirect.operator in ("<", "<&", "<<", "<<-", "<<<")
        words = tuple(_written(argument) for argument in target)
        self.met.append(Invocation(redirect.operator, words, state.cwds, reads))

        if redirect.body is not None:
            body = self.text[redirect.body.start : redirect.body.end]
            self.met.append(Invocation("<<", (body,), state.cwds, reads=True))

    def elements(self, words: tuple[Word, ...], state: State) -> None:
        found = tuple(map(_written, self.resolver(state).arguments(words)))
        self.met.append(Invocation("(", found, state.cwds, reads=True))

    def listed(self, words: tuple[Word, ...], state: State) -> None:
        found = tuple(map(_written, self.resolver(state).arguments(words)))
        self.met.append(Invocation("for", found, state.cwds, reads=True))

    def absorb(self, call: Call, inner: Self) -> None:
        super().absorb(call, inner)
        self.met += inner.met


def _written(argument: Argument) -> str:
    return argument.pattern if isinstance(argument, Loose) else argument
