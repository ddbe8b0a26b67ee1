"""Builtins that change the shell: its folder, its variables, its functions."""

from __future__ import annotations

from agguard.shell.arguments import COMPUTED, Argument, Loose
from agguard.shell.scanner import pattern
from agguard.shell.table import READ, UNKNOWN
from agguard.shell.variables import changes_programs
from agguard.shell.wrappers import EXECUTE, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.shell.programs import Programs
    from agguard.shell.walk import State

    Builtin = Callable[[Programs, list[Argument], int, int, State], None]

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
SET_OPTIONS = r"[-+][eufnvxBEC]*o?"
SET_NAMES = frozenset(
    {"errexit", "nounset", "pipefail", "xtrace", "verbose", "noglob", "noexec", "noclobber"}
)
SHOPT_NAMES = frozenset({"nullglob", "globstar", "failglob", "nocaseglob", "nocasematch"})
# Options of `declare` and its kin that neither run nor rename anything.
DECLARE_OPTIONS = r"[-+][aAgilrtuxpfF]+"
READ_OPTIONS = r"-[rse]*"
READ_VALUES = r"(?s)-[rse]*([pdntNu])(.*)"


def change_folder(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> None:
    """`cd` and `pushd`: where the next commands run."""
    rest = [a for a in arguments[1:] if a not in ("-P", "-L", "-e", "-q", "-n", "--")]
    name = str(arguments[0])
    if len(rest) > 1 or (rest and isinstance(rest[0], str) and rest[0][:1] in ("-", "+")):
        state.cwds = None
        known = rest == ["-"]
        judge.say(start, end, name, READ if known else UNKNOWN, "goes where only running tells")
        return
    target = rest[0] if rest else "~"
    if isinstance(target, Loose):
        state.cwds = None
        judge.say(start, end, name, READ, "goes where only running tells")
        return
    why = judge.suspicious([target + "/"], state)
    if why:
        judge.say(start, end, name, UNKNOWN, why)
    absolute = judge.place.absolute
    if target.startswith(("/", "~")):
        state.cwds = (absolute("/", target),)
    elif state.cwds is not None:
        state.cwds = tuple(absolute(cwd, target) for cwd in state.cwds)
    if not why:
        judge.say(start, end, name, READ, "changes the folder")


def forget_folder(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> None:
    """`popd`: back to somewhere."""
    state.cwds = None
    judge.say(start, end, str(arguments[0]), READ, "goes where only running tells")


def declare(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`export`, `declare` and their kin: variables by name."""
    name = str(arguments[0])
    for argument in arguments[1:]:
        head = argument.prefix if isinstance(argument, Loose) else argument
        if head[:1] in ("-", "+"):
            if head == "--" or (pattern(DECLARE_OPTIONS).fullmatch(head) and argument == head):
                continue
            judge.say(start, end, name, UNKNOWN, f"the option {head!r} of {name!r}")
            return
        if not _assigned(judge, name, argument, start, end, state):
            return
    judge.say(start, end, name, READ, "assigns variables")


def _assigned(  # noqa: PLR0913, PLR0917 - where the argument stands
    judge: Programs, name: str, argument: Argument, start: int, end: int, state: State
) -> bool:
    """Judge `name` or `name=value`; False, with a part, for what is not harmless."""
    head = argument.prefix if isinstance(argument, Loose) else argument
    match = pattern(NAME).match(head)
    following = head[match.end() :][:2] if match else ""
    complete = following[:1] == "=" or following == "+=" or (not following and head == argument)
    if match is None or not complete:
        judge.say(start, end, name, UNKNOWN, "a variable whose name is not known")
        return False
    if changes_programs(match[0]):
        judge.say(start, end, name, UNKNOWN, f"assigns {match[0]} for the shell")
        return False
    value: str | int = COMPUTED
    if following[:1] == "=":
        if isinstance(argument, Loose):
            value = argument.origin
        elif state.settled:
            value = argument[match.end() + 1 :]
        state.variables[match[0]] = value
    elif following or match[0] in state.variables:
        state.variables[match[0]] = COMPUTED
    return True


def read(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`read`: variables from the input."""
    rest = list(arguments[1:])
    while rest and isinstance(rest[0], str) and rest[0].startswith("-"):
        option = rest.pop(0)
        match = pattern(READ_VALUES).fullmatch(option)
        if match is not None:
            rest = rest if match[2] else rest[1:]
        elif not pattern(READ_OPTIONS).fullmatch(option):
            judge.say(start, end, "read", UNKNOWN, f"the option {option!r} of 'read'")
            return
    for argument in rest or ["REPLY"]:
        if isinstance(argument, Loose) or not pattern(NAME).fullmatch(argument):
            judge.say(start, end, "read", UNKNOWN, "a variable whose name is not known")
            return
        if changes_programs(argument):
            judge.say(start, end, "read", UNKNOWN, f"assigns {argument} for the shell")
            return
        state.variables[argument] = COMPUTED
    judge.say(start, end, "read", READ, "assigns variables")


def read_lines(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> None:
    """`mapfile`: an array from the input."""
    rest = [a for a in arguments[1:] if a != "-t"]
    names = [a for a in rest if isinstance(a, str) and pattern(NAME).fullmatch(a)]
    if len(names) != len(rest) or any(map(changes_programs, names)):
        judge.say(start, end, str(arguments[0]), UNKNOWN, "an option, or a variable not known")
        return
    for name in names:
        state.variables[name] = COMPUTED
    judge.say(start, end, str(arguments[0]), READ, "assigns variables")


def unset(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`unset`: variables by name."""
    names = [a for a in arguments[1:] if a != "-v"]
    for name in names:
        if isinstance(name, Loose) or not pattern(NAME).fullmatch(name) or changes_programs(name):
            judge.say(start, end, "unset", UNKNOWN, "something that programs may look at")
            return
        state.variables[name] = COMPUTED
    judge.say(start, end, "unset", READ, "forgets variables")


def set_options(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> None:
    """`set`: options of the shell that neither export nor expand anything more."""
    rest = arguments[1:]
    while rest:
        option = rest[0]
        if option == "--":
            break
        if not isinstance(option, str) or not pattern(SET_OPTIONS).fullmatch(option):
            judge.say(start, end, "set", UNKNOWN, "an option of the shell that is not known")
            return
        rest = rest[1:]
        if option.endswith("o"):
            if rest and rest[0] not in SET_NAMES:
                judge.say(start, end, "set", UNKNOWN, "an option of the shell that is not known")
                return
            rest = rest[1:]
    judge.say(start, end, "set", READ, "sets options of the shell")


def shopt(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`shopt`: options of bash about patterns."""
    rest = arguments[1:]
    if rest and rest[0] in ("-s", "-u", "-q", "-p"):
        rest = rest[1:]
    known = all(isinstance(name, str) and name in SHOPT_NAMES for name in rest)
    judge.say(start, end, "shopt", READ if known else UNKNOWN, "sets options of the shell")


def evaluate(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> None:
    """`eval`: its arguments are a command line for this very shell."""
    rest = arguments[1:]
    if not all(isinstance(argument, str) for argument in rest):
        judge.say(start, end, "eval", UNKNOWN, "a command line that only running tells")
        return
    text(judge, " ".join(map(str, rest)), start, end, state, "eval")


def trap(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`trap`: a command line for later."""
    rest = [a for a in arguments[1:] if a != "--"]
    if not rest or rest[0] in ("-p", "-l"):
        judge.say(start, end, "trap", READ, "lists traps")
    elif not isinstance(rest[0], str):
        judge.say(start, end, "trap", UNKNOWN, "a command line that only running tells")
    elif rest[0] in ("", "-"):
        judge.say(start, end, "trap", READ, "ignores or restores signals")
    else:
        later = state.child()
        later.cwds = None
        text(judge, rest[0], start, end, later, "trap")


def print_formatted(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> None:
    """`printf`: prints, unless `-v` names a variable."""
    head = arguments[1] if len(arguments) > 1 else ""
    if isinstance(head, Loose) and (not head.prefix or head.prefix[0] == "-"):
        judge.say(start, end, "printf", UNKNOWN, "a format that may turn out to be an option")
        return
    if isinstance(head, str) and head.startswith("-v"):
        name = head[2:] or (arguments[2] if len(arguments) > 2 else "")  # noqa: PLR2004
        if not isinstance(name, str) or not pattern(NAME).fullmatch(name) or changes_programs(name):
            judge.say(start, end, "printf", UNKNOWN, "a variable whose name is not known")
            return
        state.variables[name] = COMPUTED
    judge.say(start, end, "printf", READ, "prints")


def test(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`test` and `[`: questions; `-v` evaluates a subscript."""
    name = str(arguments[0])
    for number, argument in enumerate(arguments[:-1]):
        following = arguments[number + 1]
        if argument in ("-v", "-R") and not (
            isinstance(following, str) and pattern(NAME).fullmatch(following)
        ):
            judge.say(start, end, name, UNKNOWN, "a test of a variable that is not known")
            return
    judge.say(start, end, name, READ, "tests")


def source(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`source` and `.`: commands from a file."""
    state.cwds = None
    judge.say(start, end, str(arguments[0]), EXECUTE, "runs commands from a file")


BUILTINS: dict[str, Builtin] = {
    "cd": change_folder,
    "declare": declare,
    "eval": evaluate,
    "mapfile": read_lines,
    "popd": forget_folder,
    "printf": print_formatted,
    "read": read,
    "set": set_options,
    "shopt": shopt,
    "source": source,
    "test": test,
    "trap": trap,
    "unset": unset,
}
