"""What a command line does: the worst of its parts, and who said so."""

from __future__ import annotations

import sys
from functools import cache

from agguard.model.value import Value
from agguard.shell.calls import State
from agguard.shell.parser import parse
from agguard.shell.places import Place
from agguard.shell.syntax import Unparsed
from agguard.shell.table import READ, UNKNOWN, shipped
from agguard.shell.walk import Walk, windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.model.call import ToolCall
    from agguard.model.effect import Effect
    from agguard.model.session import Session
    from agguard.shell.programs import Finding
    from agguard.shell.syntax import Script
    from agguard.shell.table import Table


class Part(Value):
    """One thing that a command line does; `text[start:end]` is the command that does it."""

    start: int
    end: int
    program: str
    effect: Effect
    why: str

    if not TYPE_CHECKING:

        def __init__(self, start: int, end: int, program: str, effect: Effect, why: str) -> None:
            put = object.__setattr__
            put(self, "start", start)
            put(self, "end", end)
            put(self, "program", program)
            put(self, "effect", effect)
            put(self, "why", why)


class Effects(Value):
    """The effect of a whole command line, with its parts in the order they were met.

    `effect` has every flag that some part has. A line is harmless reading only if that is
    exactly `Effect.READ`.
    """

    effect: Effect
    parts: tuple[Part, ...] = ()

    if not TYPE_CHECKING:

        def __init__(self, effect: Effect, parts: tuple[Part, ...] = ()) -> None:
            put = object.__setattr__
            put(self, "effect", effect)
            put(self, "parts", parts)

    @property
    def reads(self) -> bool:
        """Whether the line certainly only looks at something."""
        return self.effect.value == READ


def effect_of(  # noqa: PLR0913 - facts about the caller, all optional
    text: str,
    *,
    cwd: str | None = None,
    workspaces: tuple[str, ...] = (),
    writable: tuple[str, ...] = (),
    home: str | None = None,
    shell: str = "bash",
    table: Table | None = None,
    resolve: Callable[[str], str] | None = None,
    script: Script | Unparsed | None = None,
) -> Effects:
    """Say what a command line does.

    Args:
        text: The command line.
        cwd: The absolute folder where it runs; None when that is not known.
        workspaces: The folders whose contents the user trusts.
        writable: Folders that the caller may write; nothing there is trusted.
        home: The user's home folder; `~` stands for itself without it.
        shell: `bash` for bash, zsh and sh; `cmd` or `powershell` on Windows.
        table: What is known of commands; the shipped table by default.
        resolve: Follows links, such as `os.path.realpath`; paths are taken as written without.
        script: The text as already parsed, to save the time.

    Returns:
        The effect and its parts. What is not understood is UNKNOWN; this never raises.
    """
    place = Place(workspaces, writable, home, resolve)
    walk = Walk(text, table or shipped(), place)
    state = State(None if cwd is None else (cwd,))
    whole = (0, len(text), "", UNKNOWN)
    try:
        if shell != "bash":
            windows(walk, state)
        elif isinstance(parsed := parse(text) if script is None else script, Unparsed):
            walk.findings.append((*whole, f"not understood: {parsed.reason}"))
        else:
            walk.whole(parsed, state)
    except RecursionError:
        walk.findings.append((*whole, "not understood: too deep for Python's stack"))
    return _result(walk.findings)


def effect_of_call(
    call: ToolCall, session: Session, resolve: Callable[[str], str] | None = None
) -> Effects:
    """Say what the command line of a `run_command` call does, for this caller.

    Args:
        call: The call, with `CommandLine` and `Cwd`.
        session: Who makes it, and what the user trusts.
        resolve: Follows links; see `effect_of`.
    """
    return effect_of(
        call.text("CommandLine"),
        cwd=call.text("Cwd") or None,
        workspaces=session.workspaces,
        writable=(session.artifact_dir,) if session.artifact_dir else (),
        home=session.home or None,
        shell="cmd" if sys.platform == "win32" else "bash",
        resolve=resolve,
    )


def _result(findings: list[Finding]) -> Effects:
    total = 0
    parts = []
    # A loop is walked over for each of its values: what is found again is said once.
    for start, end, program, effect, why in dict.fromkeys(findings):
        total |= effect
        parts.append(Part(start, end, program, _flags(effect), why))
    if total != READ:
        total &= ~READ
    return Effects(_flags(total or READ), tuple(parts))


@cache
def _flags(value: int) -> Effect:
    """Return the flags of a number; making them is slow, and there are few."""
    from agguard.model.effect import Effect

    return Effect(value)
