"""Programs that run other programs: each function takes one off and judges what is inside."""

from __future__ import annotations

from agguard.shell.arguments import COMPUTED, LISTED, Argument, Loose
from agguard.shell.options import read_options
from agguard.shell.scanner import pattern
from agguard.shell.syntax import Unparsed
from agguard.shell.table import READ, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from agguard.shell.programs import Programs
    from agguard.shell.walk import State

    Wrapper = Callable[[Programs, list[Argument], int, int, State], None]

ASSIGNMENT = r"([A-Za-z_][A-Za-z0-9_]*)="
SHELL_OPTIONS = r"-[elux]*c"
SHELLS_WITH_OUR_GRAMMAR = frozenset({"bash", "sh", "zsh", "dash", "ash"})
TEXT_LIMIT = 6
"""How deep command lines may stand inside arguments of each other."""

EXECUTE = 32
RTK_OPTIONS = frozenset({"-v", "-vv", "-vvv", "--verbose", "-u", "--ultra-compact", "--skip-env"})
RTK_OWN = {"read": "cat", "smart": "cat", "json": "cat"}
RTK_INFORMS = frozenset({"gain", "--version", "-V", "--help", "-h", "discover"})


def inner(  # noqa: PLR0913, PLR0917 - the wrapper's own arguments
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State, name: str
) -> None:
    """Judge what is left of a wrapper's arguments; nothing left only prints."""
    if arguments:
        judge.run(arguments, start, end, state.copy(), external=True)
    else:
        judge.say(start, end, name, READ, "runs nothing")


def _own(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> list[Argument] | None:
    """Read a wrapper's options by the table; None, with a part, where they are not known."""
    name = judge.table.known(str(arguments[0]).rpartition("/")[2])
    entry = judge.table.entry(name)
    assert entry is not None, name  # noqa: S101 - the caller was found through it
    reading = read_options(entry, arguments[1:], posix=True)
    if reading.effect & ~READ:
        judge.say(start, end, name, reading.effect & ~READ, reading.why)
        return None
    if reading.places and not judge.trusts(reading.places, state):
        judge.say(start, end, name, UNKNOWN, "runs in a place that is not the user's")
        return None
    return reading.operands


def plain(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`nice`, `stdbuf`, `command`: options, then a program."""
    rest = _own(judge, arguments, start, end, state)
    if rest is not None:
        inner(judge, rest, start, end, state, str(arguments[0]))


def timeout(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`timeout`: options, a duration, then a program."""
    rest = _own(judge, arguments, start, end, state)
    if rest is None:
        return
    if rest and isinstance(rest[0], Loose) and rest[0].split:
        judge.say(start, end, "timeout", UNKNOWN, "a duration that may hide a command")
        return
    inner(judge, rest[1:], start, end, state, "timeout")


def shell_command(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> None:
    """`command`: like the program behind it, or a question about one."""
    if len(arguments) > 1 and arguments[1] in ("-v", "-V"):
        judge.say(start, end, "command", READ, "says what a command is")
        return
    rest = arguments[1:]
    while rest and rest[0] in ("-p", "--"):
        rest = rest[1:]
    _same_shell(judge, rest, start, end, state)


def shell_builtin(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> None:
    """`builtin`: a builtin of the shell."""
    _same_shell(judge, arguments[1:], start, end, state)


def _same_shell(judge: Programs, rest: list[Argument], start: int, end: int, state: State) -> None:
    """Judge a command that runs in the shell itself, functions left aside."""
    if not rest:
        judge.say(start, end, "command", READ, "runs nothing")
        return
    functions, state.functions = state.functions, frozenset()
    judge.run(rest, start, end, state)
    state.functions = functions


def shell_exec(
    judge: Programs, arguments: list[Argument], start: int, end: int, state: State
) -> None:
    """`exec`: the shell becomes the program; without one only its redirections count."""
    rest = arguments[1:]
    while rest and rest[0] in ("-c", "-l", "-cl", "-lc", "--"):
        rest = rest[1:]
    if rest and str(rest[0]).startswith("-"):
        judge.say(start, end, "exec", UNKNOWN, "an option of 'exec'")
        return
    inner(judge, rest, start, end, state, "exec")


def env(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`env`: options, assignments, then a program."""
    rest = _own(judge, arguments, start, end, state)
    if rest is None:
        return
    from agguard.shell.variables import changes_programs

    while rest and (match := _assignment(rest[0])):
        if changes_programs(match[1]):
            judge.say(start, end, "env", UNKNOWN, f"assigns {match[1]} for a command")
        rest = rest[1:]
    if rest and "=" in (rest[0].pattern if isinstance(rest[0], Loose) else rest[0]):
        judge.say(start, end, "env", UNKNOWN, "an assignment with an unusual name")
        return
    inner(judge, rest, start, end, state, "env")


def _assignment(argument: Argument) -> re.Match[str] | None:
    if isinstance(argument, Loose):
        return None if argument.split else pattern(ASSIGNMENT).match(argument.prefix)
    return pattern(ASSIGNMENT).match(argument)


def sudo(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`sudo` and its kin: never harmless, whatever is inside."""
    name = str(arguments[0])
    judge.say(start, end, name, EXECUTE, "runs with the rights of somebody else")
    rest = _own(judge, arguments, start, end, state)
    if rest:
        inner(judge, rest, start, end, state, name)


def nohup(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`nohup`: the program inside, and a file for its output."""
    judge.say(start, end, "nohup", 16, "writes 'nohup.out'")
    plain(judge, arguments, start, end, state)


def xargs(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`xargs`: the program inside with any further arguments, from what is piped in."""
    name = str(arguments[0])
    entry = judge.table.entry("xargs")
    assert entry is not None  # noqa: S101 - the caller was found through it
    reading = read_options(entry, arguments[1:], posix=True)
    if reading.effect & ~READ:
        judge.say(start, end, name, reading.effect & ~READ, reading.why)
        return
    rest = list(reading.operands) or ["echo"]
    fed = not reading.seen & {"-a", "--arg-file"} and judge.fed_by_listing(state)
    origin = LISTED if fed else COMPUTED
    marks = [str(v) or "{}" for o, v in reading.values if o in ("-I", "-J", "-i", "--replace")]
    if marks or any(option in ("-i", "--replace") for option in reading.seen):
        mark = marks[0] if marks else "{}"
        rest = [_replaced(argument, mark, origin) for argument in rest]
    else:
        rest.append(Loose("", True, "*", origin))
    inner(judge, rest, start, end, state, name)


def _replaced(argument: Argument, mark: str, origin: int) -> Argument:
    if isinstance(argument, Loose) or mark not in argument:
        return argument
    prefix = argument[: argument.index(mark)]
    return Loose(prefix, False, argument.replace(mark, "*"), origin)


def shell(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`sh -c TEXT`: the text is a command line; any other use runs a file or the input."""
    name = str(arguments[0]).rpartition("/")[2]
    rest = arguments[1:]
    option = rest[0] if rest else ""
    if (
        name in SHELLS_WITH_OUR_GRAMMAR
        and len(rest) > 1
        and isinstance(option, str)
        and pattern(SHELL_OPTIONS).fullmatch(option)
        and isinstance(rest[1], str)
        and not rest[1].startswith(("-", "+"))
    ):
        text(judge, rest[1], start, end, state.child(), name)
    else:
        judge.say(start, end, name, EXECUTE, "runs commands from a file or from its input")


def text(  # noqa: PLR0913, PLR0917 - where the text stands
    judge: Programs, source: str, start: int, end: int, state: State, name: str
) -> None:
    """Judge a command line that stands in an argument."""
    from agguard.shell.parser import parse

    script = parse(source)
    if isinstance(script, Unparsed):
        judge.say(start, end, name, UNKNOWN, f"text that is not understood: {script.reason}")
    elif judge.level >= TEXT_LIMIT:
        judge.say(start, end, name, UNKNOWN, "command lines too deep inside each other")
    else:
        judge.within(source, script, start, end, state)


def watch(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`watch`: its operands are joined to a command line."""
    rest = _own(judge, arguments, start, end, state)
    if rest is None:
        return
    if not rest or not all(isinstance(argument, str) for argument in rest):
        judge.say(start, end, "watch", UNKNOWN, "a command line that only running tells")
        return
    text(judge, " ".join(map(str, rest)), start, end, state.child(), "watch")


def find(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`find`: its predicates, and the programs behind `-exec`."""
    rest = arguments[1:]
    kept: list[Argument] = []
    while rest:
        argument = rest[0]
        if argument not in ("-exec", "-execdir", "-ok", "-okdir"):
            kept.append(argument)
            rest = rest[1:]
            continue
        stop = _exec_end(rest)
        inside = rest[1:stop]
        rest = rest[stop + 1 :]
        if not inside:
            judge.say(start, end, "find", UNKNOWN, f"{argument} without a command")
            return
        starts = _start_points(arguments[1:])
        origin = LISTED if all(map(judge.stays, starts)) else COMPUTED
        safe = all(isinstance(s, str) or s.prefix for s in starts)
        inside = [_found(a, origin, "./" if safe else "") for a in inside]
        inner(judge, inside, start, end, state, "find")
    entry = judge.table.entry("find")
    assert entry is not None  # noqa: S101 - the caller was found through it
    effect, why = judge.judge(entry.replace(wrapper=""), kept, state)
    judge.say(start, end, "find", effect, why)


def _exec_end(arguments: list[Argument]) -> int:
    """Return where the `;` of an `-exec` stands, or the `+` behind its `{}`."""
    for number, argument in enumerate(arguments):
        if argument == ";" or (argument == "+" and arguments[number - 1] == "{}"):
            return number
    return len(arguments)


def _start_points(arguments: list[Argument]) -> list[Argument]:
    points: list[Argument] = []
    for argument in arguments:
        head = argument.prefix if isinstance(argument, Loose) else argument
        if head.startswith(("-", "(", "!")):
            break
        points.append(argument)
    return points


def _found(argument: Argument, origin: int, prefix: str) -> Argument:
    """Replace `{}`: a path that begins with a start point, so it is never an option."""
    if isinstance(argument, Loose) or "{}" not in argument:
        return argument
    head = argument[: argument.index("{}")]
    return Loose(head + prefix, False, argument.replace("{}", "*"), origin)


def rtk(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`rtk CMD`, `rtk proxy CMD`, `rtk bypass CMD`: the command inside."""
    rest = arguments[1:]
    while rest and rest[0] in RTK_OPTIONS:
        rest = rest[1:]
    if rest and rest[0] in RTK_INFORMS:
        known = rest[0] == "gain" or len(rest) == 1
        judge.say(start, end, "rtk", READ if known else UNKNOWN, "tells about itself")
        return
    if rest and rest[0] in ("proxy", "bypass", "run"):
        rest = rest[1:]
    elif rest and isinstance(rest[0], str):
        rest = [RTK_OWN.get(rest[0], rest[0]), *rest[1:]]
    inner(judge, rest, start, end, state, "rtk")


def busybox(judge: Programs, arguments: list[Argument], start: int, end: int, state: State) -> None:
    """`busybox APPLET`: applets have fewer options than the programs; only closed ones count."""
    name = arguments[1] if len(arguments) > 1 else ""
    entry = judge.table.entry(name) if isinstance(name, str) and name else None
    if entry is not None and "any" in entry.flags and not entry.wrapper:
        inner(judge, arguments[1:], start, end, state, "busybox")
    else:
        judge.say(start, end, "busybox", UNKNOWN, "an applet that is not known")


WRAPPERS: dict[str, Wrapper] = {
    "builtin": shell_builtin,
    "busybox": busybox,
    "command": shell_command,
    "env": env,
    "exec": shell_exec,
    "find": find,
    "nohup": nohup,
    "plain": plain,
    "rtk": rtk,
    "shell": shell,
    "sudo": sudo,
    "timeout": timeout,
    "watch": watch,
    "xargs": xargs,
}
