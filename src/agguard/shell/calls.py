"""One call of a program: its arguments, where it stands and the state of its shell."""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.shell.syntax import Command, Compound

# Where an unknown text comes from, mildest first.
ENVIRONMENT = 0
LISTED = 1
COMPUTED = 2


class Loose(Value):
    """An argument that is not known as a whole.

    `prefix` is how it certainly begins. `split` says that it may become several words or none.
    `pattern` is its text with a star for every unknown part. `origin` says where that comes
    from: the user's environment, a listing of the user's files, or anything the line computes.
    """

    prefix: str
    pattern: str
    origin: int
    split: bool = False
    globbed: bool = False


Argument = str | Loose
Variables = dict[str, "str | int"]
"""What is known of variables that the line assigns: their text, or only its origin."""

STATES = 8
"""In how many folders a shell may be before that counts as unknown; honest lines have few."""

Folders = tuple[str, ...] | None
"""Where a shell may be: any of these folders, or None for anywhere."""


class State:
    """What a shell holds while it runs: where it may be, its variables and its functions.

    `settled` says that the commands walked over certainly run; `upstream` are the commands whose
    output is piped into the one walked over.
    """

    __slots__ = ("cwds", "functions", "settled", "upstream", "variables")

    def __init__(self, cwds: Folders) -> None:
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

    def unsettled(self) -> State:
        """Return the state of commands that may run or not."""
        other = self.copy()
        other.settled = False
        return other

    def child(self) -> State:
        """Return the state of a new shell that inherits folder and environment."""
        other = State(self.cwds)
        other.variables = dict.fromkeys(self.variables, COMPUTED)
        return other

    def join(self, other: State) -> None:
        """Take over what may have happened in another state: all that either may be."""
        self.cwds = either(self.cwds, other.cwds)
        for name, value in other.variables.items():
            if self.variables.get(name) != value:
                self.variables[name] = COMPUTED


def either(one: Folders, other: Folders) -> Folders:
    """Return the folders of both; unknown when one is, or when there are too many."""
    if one is other or one == other:
        return one
    if one is None or other is None:
        return None
    joined = tuple(dict.fromkeys(one + other))
    return joined if len(joined) <= STATES else None


class Call:
    """A program with its arguments, the first of which is its name.

    `external` says that a wrapper runs it, so that no builtin and no function can be meant.
    """

    __slots__ = ("arguments", "end", "external", "start", "state")

    def __init__(
        self,
        arguments: list[Argument],
        start: int,
        end: int,
        state: State,
        *,
        external: bool = False,
    ) -> None:
        self.arguments = arguments
        self.start = start
        self.end = end
        self.state = state
        self.external = external

    @property
    def name(self) -> str:
        """The program's name without its folder."""
        name = self.arguments[0]
        return name.pattern if isinstance(name, Loose) else name.rpartition("/")[2]

    @property
    def rest(self) -> list[Argument]:
        """The arguments behind the name."""
        return self.arguments[1:]

    def inside(self, arguments: list[Argument]) -> Call:
        """Return the call that a wrapper makes, in a process of its own."""
        return Call(arguments, self.start, self.end, self.state.copy(), external=True)
