"""Builtins that change the shell: its folder, its variables, its options."""

from __future__ import annotations

from agguard.shell.calls import COMPUTED, LISTED, Argument, Loose
from agguard.shell.scanner import pattern
from agguard.shell.table import READ, UNKNOWN
from agguard.shell.variables import changes_programs
from agguard.shell.wrappers import EXECUTE, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.shell.calls import Call, State
    from agguard.shell.programs import Programs

    Builtin = Callable[[Programs, Call], None]

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
SET_OPTIONS = r"[-+][eufnvxBEC]*o?"
SET_NAMES = frozenset(
    {"errexit", "nounset", "pipefail", "xtrace", "verbose", "noglob", "noexec", "noclobber"}
)
SHOPT_NAMES = frozenset({"nullglob", "globstar", "failglob", "nocaseglob", "nocasematch"})
# Options of `declare` and its kin that neither run nor rename anything; `-i` evaluates what is
# assigned later, `-n` makes a name stand for another.
DECLARE_OPTIONS = r"[-+][aAglrtuxpfF]+"
READ_OPTIONS = r"-[rse]*"
READ_VALUES = r"(?s)-[rse]*([pdntNu])(.*)"
FOLDER_OPTIONS = frozenset({"-P", "-L", "-e", "-q", "-n", "--"})


def _plain_name(argument: Argument) -> bool:
    """Tell whether an argument is a variable's name, known and harmless to change."""
    return (
        isinstance(argument, str)
        and pattern(NAME).fullmatch(argument) is not None
        and not changes_programs(argument)
    )


def _assign(judge: Programs, call: Call, names: list[Argument]) -> None:
    """Judge a builtin that assigns to variables by their names."""
    for name in names:
        if not _plain_name(name):
            why = "a variable that programs may look at, or whose name is not known"
            judge.say(call, call.name, UNKNOWN, why)
            return
        call.state.variables[str(name)] = COMPUTED
    judge.say(call, call.name, READ, "assigns variables")


def change_folder(judge: Programs, call: Call) -> None:
    """`cd` and `pushd`: where the next commands run."""
    rest = [argument for argument in call.rest if argument not in FOLDER_OPTIONS]
    state = call.state
    target = rest[0] if rest else "~"
    if len(rest) > 1 or (isinstance(target, str) and target[:1] in ("-", "+")):
        state.cwds = None
        effect = READ if rest == ["-"] else UNKNOWN
        judge.say(call, call.name, effect, "goes where only running tells")
        return
    if isinstance(target, Loose):
        if not _stays_with_user(judge, target, state):
            state.cwds = None
        judge.say(call, call.name, READ, "goes where only running tells")
        return
    why = judge.suspicious([target + "/"], state, spelled=True)
    judge.say(call, call.name, UNKNOWN if why else READ, why or "changes the folder")
    absolute = judge.place.absolute
    if target.startswith(("/", "~")):
        state.cwds = (absolute("/", target),)
    elif state.cwds is not None:
        state.cwds = tuple(absolute(cwd, target) for cwd in state.cwds)


def _stays_with_user(judge: Programs, target: Loose, state: State) -> bool:
    """Tell whether a folder that is not known is at least one of the workspace's, as here."""
    return (
        target.origin == LISTED
        and judge.stays(target)
        and not judge.suspicious([target], state)
        and judge.trusts(["."], state)
        and not any(map(judge.place.in_workspace, judge.place.writable))
    )


def forget_folder(judge: Programs, call: Call) -> None:
    """`popd`: back to somewhere."""
    call.state.cwds = None
    judge.say(call, call.name, READ, "goes where only running tells")


def declare(judge: Programs, call: Call) -> None:
    """`export`, `declare` and their kin: variables by name."""
    for argument in call.rest:
        head = argument.prefix if isinstance(argument, Loose) else argument
        if head[:1] in ("-", "+"):
            if argument != head or not (head == "--" or pattern(DECLARE_OPTIONS).fullmatch(head)):
                judge.say(call, call.name, UNKNOWN, f"the option {head!r} of {call.name!r}")
                return
        else:
            why = _declared(call, argument, head)
            if why:
                judge.say(call, call.name, UNKNOWN, why)
                return
    judge.say(call, call.name, READ, "assigns variables")


def _declared(call: Call, argument: Argument, head: str) -> str:
    """Remember `name` or `name=value`; say why that is not harmless, if it is not."""
    match = pattern(NAME).match(head)
    following = head[match.end() :][:2] if match else ""
    complete = following[:1] == "=" or following == "+=" or (not following and head == argument)
    if match is None or not complete:
        return "a variable whose name is not known"
    name = match[0]
    if changes_programs(name):
        return f"assigns {name} for the shell"
    variables = call.state.variables
    if following[:1] != "=":
        if following or name in variables:
            variables[name] = COMPUTED
    elif isinstance(argument, Loose):
        variables[name] = argument.origin
    else:
        variables[name] = head[match.end() + 1 :] if call.state.settled else COMPUTED
    return ""


def read(judge: Programs, call: Call) -> None:
    """`read`: variables from the input."""
    rest = call.rest
    while rest and isinstance(rest[0], str) and rest[0].startswith("-"):
        option, rest = rest[0], rest[1:]
        match = pattern(READ_VALUES).fullmatch(option)
        if match is not None:
            rest = rest if match[2] else rest[1:]
        elif not pattern(READ_OPTIONS).fullmatch(option):
            judge.say(call, call.name, UNKNOWN, f"the option {option!r} of 'read'")
            return
    _assign(judge, call, rest)


def read_lines(judge: Programs, call: Call) -> None:
    """`mapfile`: an array from the input; without `-C`, which runs something."""
    _assign(judge, call, [argument for argument in call.rest if argument != "-t"])


def unset(judge: Programs, call: Call) -> None:
    """`unset`: variables by name."""
    _assign(judge, call, [argument for argument in call.rest if argument != "-v"])


def set_options(judge: Programs, call: Call) -> None:
    """`set`: options of the shell that neither export nor expand anything more."""
    rest = call.rest
    known = True
    while rest and rest[0] != "--" and known:
        option, rest = rest[0], rest[1:]
        known = isinstance(option, str) and pattern(SET_OPTIONS).fullmatch(option) is not None
        if known and str(option).endswith("o"):
            known = not rest or rest[0] in SET_NAMES
            rest = rest[1:]
    effect = READ if known else UNKNOWN
    judge.say(call, call.name, effect, "sets options of the shell")


def shopt(judge: Programs, call: Call) -> None:
    """`shopt`: options of bash about patterns."""
    rest = call.rest
    if rest and rest[0] in ("-s", "-u", "-q", "-p"):
        rest = rest[1:]
    known = all(isinstance(name, str) and name in SHOPT_NAMES for name in rest)
    judge.say(call, call.name, READ if known else UNKNOWN, "sets options of the shell")


def evaluate(judge: Programs, call: Call) -> None:
    """`eval`: its arguments are a command line for this very shell."""
    if all(isinstance(argument, str) for argument in call.rest):
        text(judge, call, " ".join(map(str, call.rest)), call.state)
    else:
        judge.say(call, call.name, UNKNOWN, "a command line that only running tells")


def trap(judge: Programs, call: Call) -> None:
    """`trap`: a command line for later."""
    rest = [argument for argument in call.rest if argument != "--"]
    if not rest or rest[0] in ("-p", "-l", "", "-"):
        judge.say(call, call.name, READ, "lists, ignores or restores signals")
    elif isinstance(rest[0], str):
        later = call.state.child()
        later.cwds = None
        text(judge, call, rest[0], later)
    else:
        judge.say(call, call.name, UNKNOWN, "a command line that only running tells")


def print_formatted(judge: Programs, call: Call) -> None:
    """`printf`: prints, unless `-v` names a variable."""
    head, name = (*call.rest[:2], "", "")[:2]
    if isinstance(head, Loose):
        effect = READ if head.prefix and head.prefix[0] != "-" else UNKNOWN
        judge.say(call, call.name, effect, "prints, unless its format turns out to be an option")
    elif head.startswith("-v"):
        _assign(judge, call, [head[2:] or name])
    else:
        judge.say(call, call.name, READ, "prints")


def test(judge: Programs, call: Call) -> None:
    """`test` and `[`: questions; `-v` evaluates the subscript of a variable's name."""
    why = ""
    for number, argument in enumerate(call.rest):
        following = (*call.rest[number + 1 :], "")[0]
        if argument in ("-v", "-R") and not _plain_name(following):
            why = "a test of a variable that is not known"
        elif isinstance(argument, Loose) and _may_be_option(argument, following):
            why = "a test that only running tells"
    judge.say(call, call.name, UNKNOWN if why else READ, why or "tests")


def _may_be_option(argument: Loose, following: Argument) -> bool:
    """Tell whether an argument of `test` may turn out to be `-v`, with a name behind it."""
    return (
        not argument.prefix
        and argument.origin == COMPUTED
        and (argument.split or (isinstance(following, Loose) and not following.prefix))
    )


def source(judge: Programs, call: Call) -> None:
    """`source` and `.`: commands from a file."""
    call.state.cwds = None
    judge.say(call, call.name, EXECUTE, "runs commands from a file")


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
