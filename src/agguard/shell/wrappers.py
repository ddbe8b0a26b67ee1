"""Programs that run other programs: each function takes one off and judges what is inside."""

from __future__ import annotations

from agguard.shell.calls import COMPUTED, LISTED, Argument, Call, Loose
from agguard.shell.options import read_options
from agguard.shell.scanner import pattern
from agguard.shell.syntax import Unparsed
from agguard.shell.table import READ, UNKNOWN, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from agguard.shell.calls import State
    from agguard.shell.options import Reading
    from agguard.shell.programs import Programs

    Wrapper = Callable[[Programs, Entry, Call], None]

WRITE = 16
EXECUTE = 32
ASSIGNMENT = r"([A-Za-z_][A-Za-z0-9_]*)="
SHELL_OPTIONS = r"-[elux]*c"
SHELLS_WITH_OUR_GRAMMAR = frozenset({"bash", "sh", "zsh", "dash", "ash"})
POSIX_SHELLS = frozenset({"sh", "dash", "ash"})
BASH_ONLY = ("$'", "((", "[[", "&>", "|&", "<<<", "<(", ">(", "function ")
"""What `sh` may read differently from bash."""
TEXT_LIMIT = 6
"""How deep command lines may stand inside arguments of each other."""

RTK_OPTIONS = frozenset({"-v", "-vv", "-vvv", "--verbose", "-u", "--ultra-compact", "--skip-env"})
RTK_OWN = {"read": "cat", "smart": "cat", "json": "cat"}
RTK_INFORMS = frozenset({"gain", "--version", "-V", "--help", "-h", "discover"})
FIND_RUNS = ("-exec", "-execdir", "-ok", "-okdir")


def inner(judge: Programs, call: Call, arguments: list[Argument]) -> None:
    """Judge what is left of a wrapper's arguments; without any it only prints."""
    if arguments:
        judge.run(call.inside(arguments))
    else:
        judge.say(call, call.name, READ, "runs nothing")


def _own(judge: Programs, entry: Entry, call: Call) -> Reading | None:
    """Read a wrapper's options by the table; None, with a part, where they are not known."""
    reading = read_options(entry, call.rest, posix=True)
    if reading.effect & ~READ:
        judge.say(call, call.name, reading.effect & ~READ, reading.why)
        return None
    if reading.places and not judge.trusts(reading.places, call.state):
        judge.say(call, call.name, UNKNOWN, "runs in a place that is not the user's")
        return None
    return reading


def plain(judge: Programs, entry: Entry, call: Call) -> None:
    """`nice`, `stdbuf`, `setsid`: options, then a program."""
    reading = _own(judge, entry, call)
    if reading is not None:
        inner(judge, call, reading.operands)


def timeout(judge: Programs, entry: Entry, call: Call) -> None:
    """`timeout`: options, a duration, then a program."""
    reading = _own(judge, entry, call)
    if reading is None:
        return
    duration = reading.operands[0] if reading.operands else ""
    if isinstance(duration, Loose) and duration.split:
        judge.say(call, "timeout", UNKNOWN, "a duration that may hide a command")
    else:
        inner(judge, call, reading.operands[1:])


def shell_command(judge: Programs, entry: Entry, call: Call) -> None:
    """`command`: like the program behind it, or a question about one."""
    rest = call.rest
    if rest and rest[0] in ("-v", "-V"):
        judge.say(call, entry.name, READ, "says what a command is")
        return
    while rest and rest[0] in ("-p", "--"):
        rest = rest[1:]
    _same_shell(judge, call, rest)


def shell_builtin(judge: Programs, entry: Entry, call: Call) -> None:  # noqa: ARG001 - a Wrapper
    """`builtin`: a builtin of the shell."""
    _same_shell(judge, call, call.rest)


def _same_shell(judge: Programs, call: Call, rest: list[Argument]) -> None:
    """Judge a command that runs in the shell itself, functions left aside."""
    if not rest:
        judge.say(call, call.name, READ, "runs nothing")
        return
    state = call.state
    functions, state.functions = state.functions, frozenset()
    judge.run(Call(rest, call.start, call.end, state))
    state.functions = functions


def shell_exec(judge: Programs, entry: Entry, call: Call) -> None:
    """`exec`: the shell becomes the program; without one only its redirections count."""
    rest = call.rest
    while rest and rest[0] in ("-c", "-l", "-cl", "-lc", "--"):
        rest = rest[1:]
    if rest and str(rest[0]).startswith("-"):
        judge.say(call, entry.name, UNKNOWN, f"an option of {entry.name!r}")
    else:
        inner(judge, call, rest)


def env(judge: Programs, entry: Entry, call: Call) -> None:
    """`env`: options, assignments, then a program."""
    from agguard.shell.variables import changes_programs

    reading = _own(judge, entry, call)
    if reading is None:
        return
    for place in reading.places:
        state = call.state = call.state.copy()
        state.cwds = state.cwds and tuple(judge.place.absolute(c, place) for c in state.cwds)
    rest = reading.operands
    while rest and (match := _assignment(rest[0])):
        if changes_programs(match[1]):
            judge.say(call, entry.name, UNKNOWN, f"assigns {match[1]} for a command")
        call.state = call.state.copy()
        call.state.variables[match[1]] = COMPUTED
        rest = rest[1:]
    head = rest[0] if rest else ""
    if "=" in (head.pattern if isinstance(head, Loose) else head):
        judge.say(call, entry.name, UNKNOWN, "an assignment with an unusual name")
    else:
        inner(judge, call, rest)


def _assignment(argument: Argument) -> re.Match[str] | None:
    if isinstance(argument, Loose):
        return None if argument.split else pattern(ASSIGNMENT).match(argument.prefix)
    return pattern(ASSIGNMENT).match(argument)


def sudo(judge: Programs, entry: Entry, call: Call) -> None:
    """`sudo` and its kin: never harmless, whatever is inside."""
    judge.say(call, call.name, EXECUTE, "runs with the rights of somebody else")
    reading = _own(judge, entry, call)
    if reading is not None and reading.operands:
        inner(judge, call, reading.operands)


def nohup(judge: Programs, entry: Entry, call: Call) -> None:
    """`nohup`: the program inside, and a file for its output."""
    judge.say(call, entry.name, WRITE, "writes 'nohup.out'")
    plain(judge, entry, call)


def xargs(judge: Programs, entry: Entry, call: Call) -> None:
    """`xargs`: the program inside with any further arguments, from what is piped in."""
    reading = _own(judge, entry, call)
    if reading is None:
        return
    files = [value for option, value in reading.values if option in ("-a", "--arg-file")]
    if why := judge.suspicious(files, call.state):
        judge.say(call, entry.name, UNKNOWN, why)
    rest = reading.operands or ["echo"]
    fed = not reading.seen & {"-a", "--arg-file"} and judge.fed_by_listing(call.state)
    origin = LISTED if fed else COMPUTED
    marks = [str(v) for o, v in reading.values if o in ("-I", "-J", "-i", "--replace")]
    if marks or reading.seen & {"-i", "--replace"}:
        mark = marks[0] if marks and marks[0] else "{}"
        rest = [_filled(argument, mark, origin, "") for argument in rest]
    else:
        rest = [*rest, Loose("", "*", origin, split=True)]
    inner(judge, call, rest)


def _filled(argument: Argument, mark: str, origin: int, begins: str) -> Argument:
    """Put what is not known in the place of a mark; it begins with `begins`."""
    if isinstance(argument, Loose) or mark not in argument:
        return argument
    prefix = argument[: argument.index(mark)] + begins
    return Loose(prefix, argument.replace(mark, "*"), origin)


def shell(judge: Programs, entry: Entry, call: Call) -> None:
    """`sh -c TEXT`: the text is a command line; any other use runs a file or the input."""
    rest = call.rest
    option, source = (*rest[:2], "", "")[:2]
    if (
        entry.name in SHELLS_WITH_OUR_GRAMMAR
        and isinstance(option, str)
        and isinstance(source, str)
        and pattern(SHELL_OPTIONS).fullmatch(option)
        and source[:1] not in ("", "-", "+")
        and not (entry.name in POSIX_SHELLS and any(sign in source for sign in BASH_ONLY))
    ):
        text(judge, call, source, call.state.child())
    else:
        judge.say(call, call.name, EXECUTE, "runs commands from a file or from its input")


def text(judge: Programs, call: Call, source: str, state: State) -> None:
    """Judge a command line that stands in an argument."""
    from agguard.shell.parser import parse

    script = parse(source)
    if isinstance(script, Unparsed):
        judge.say(call, call.name, UNKNOWN, f"text that is not understood: {script.reason}")
    elif judge.level >= TEXT_LIMIT:
        judge.say(call, call.name, UNKNOWN, "command lines too deep inside each other")
    else:
        judge.within(call, source, script, state)


def watch(judge: Programs, entry: Entry, call: Call) -> None:
    """`watch`: its operands are joined to a command line."""
    reading = _own(judge, entry, call)
    if reading is None:
        return
    if reading.operands and all(isinstance(argument, str) for argument in reading.operands):
        text(judge, call, " ".join(map(str, reading.operands)), call.state.child())
    else:
        judge.say(call, entry.name, UNKNOWN, "a command line that only running tells")


def find(judge: Programs, entry: Entry, call: Call) -> None:
    """`find`: its predicates, and the programs behind `-exec`."""
    rest = call.rest
    starts = _start_points(rest)
    here = call.state.cwds is not None and all(map(judge.place.in_workspace, call.state.cwds))
    stays = all(map(judge.stays, starts)) and not any(map(_spells, rest))
    origin = LISTED if here and stays else COMPUTED
    # A path that find names begins with a start point, so it is never an option.
    begins = "./" if all(isinstance(s, str) or s.prefix for s in starts) else ""
    kept: list[Argument] = []
    while rest:
        if rest[0] not in FIND_RUNS:
            kept.append(rest[0])
            rest = rest[1:]
            continue
        stop = _exec_end(rest)
        if not rest[1:stop]:
            judge.say(call, entry.name, UNKNOWN, f"{rest[0]!r} without a command")
            return
        inner(judge, call, [_filled(a, "{}", origin, begins) for a in rest[1:stop]])
        rest = rest[stop + 1 :]
    effect, why = judge.judge(entry, kept, call.state)
    judge.say(call, entry.name, effect, why)


def _spells(argument: Argument) -> bool:
    from agguard.shell.credentials import spells_credential

    return spells_credential(argument.pattern if isinstance(argument, Loose) else argument)


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


def rtk(judge: Programs, entry: Entry, call: Call) -> None:
    """`rtk CMD`, `rtk proxy CMD`, `rtk bypass CMD`: the command inside."""
    rest = call.rest
    while rest and rest[0] in RTK_OPTIONS:
        rest = rest[1:]
    head = rest[0] if rest else ""
    if head in RTK_INFORMS:
        known = head == "gain" or len(rest) == 1
        judge.say(call, entry.name, READ if known else UNKNOWN, "tells about itself")
    elif head in ("proxy", "bypass", "run", "test", "err", "summary"):
        inner(judge, call, rest[1:])
    elif isinstance(head, str) and head and _is_builtin(judge, head):
        judge.say(call, entry.name, UNKNOWN, f"'rtk {head}' is not the shell's '{head}'")
    elif isinstance(head, str) and head:
        inner(judge, call, [RTK_OWN.get(head, head), *rest[1:]])
    else:
        inner(judge, call, rest)


def _is_builtin(judge: Programs, name: str) -> bool:
    found = judge.table.entry(name)
    return found is not None and "builtin" in found.flags


def busybox(judge: Programs, entry: Entry, call: Call) -> None:
    """`busybox APPLET`: applets have fewer options than the programs; only closed ones count."""
    name = call.rest[0] if call.rest else ""
    applet = judge.table.entry(name) if isinstance(name, str) and name else None
    if applet is not None and applet.flags & {"any", "closed"} and not applet.wrapper:
        inner(judge, call, call.rest)
    else:
        judge.say(call, entry.name, UNKNOWN, "an applet that is not known")


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
