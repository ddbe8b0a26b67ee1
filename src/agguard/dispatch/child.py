"""What the process of third parties does: it imports guards, asks them and writes their answers.

It is forked off the hook by `agguard.dispatch.worker`, and lives as long as the hook asks.
"""

from __future__ import annotations

import os
import sys

from agguard import jsontext
from agguard.dispatch.contract import encode
from agguard.dispatch.isolate import call
from agguard.dispatch.parcel import unpack
from agguard.dispatch.pipe import receive, write
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Mapping, Sequence
    from typing import Any

    from agguard.dispatch.implementation import Answer, Implementation
else:
    # `signal` wraps every number of `_signal` in an enum; each fork would pay for that.
    import _signal as signal

GRACE = 1
"""Seconds after the hook's deadline when a child ends by itself, should its parent be gone."""

MOST_FILES = 1024
"""More files than a hook has open: not the system's limit, which may be a thousand million."""


class Descriptors(Value):
    """The files that the process works with; all others are closed."""

    requests: int
    """A pipe that requests come from."""
    done: int
    """A pipe that gets a byte when a request has been answered."""
    answers: int
    printed: int
    """Takes what guards print."""
    log: int
    """Takes what guards write to stderr."""


def run(
    known: Sequence[Implementation],
    ahead: Sequence[Implementation],
    files: Descriptors,
    seconds: float,
) -> None:
    """Import what will be asked for, then answer requests until the parent goes away.

    Args:
        known: Every implementation that a request can name, by its place.
        ahead: Those to import before they are asked.
        files: What to work with.
        seconds: How long the hook has.
    """
    os.setpgid(0, 0)
    os.dup2(files.printed, 1)
    os.dup2(files.log, 2)
    _keep_only(files.requests, files.done, files.answers)
    sys.stdin = open(os.devnull)  # noqa: SIM115 - guards hold it to the end
    # They are None where the host has closed them, and a guard that writes to them would fail.
    sys.stdout, sys.stderr = sys.stdout or open(1, "w"), sys.stderr or open(2, "w")  # noqa: SIM115
    _end_after(seconds + GRACE)
    if _import(ahead):
        _serve(known, files)


def _keep_only(*kept: int) -> None:
    """Close what the hook has open, its answer and its ledger above all.

    Processes that a guard leaves behind would hold the answer's pipe open, and the host would wait
    for them. SQLite's files must not be carried into another process at all.
    """
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, first + MOST_FILES)


def _end_after(seconds: float) -> None:
    """End by itself, should the parent be gone."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _import(ahead: Sequence[Implementation]) -> bool:
    """Import modules before they are asked; one that fails is imported again, and then told of.

    Returns:
        Whether all is as it was; a process that forked or printed meanwhile is of no more use.
    """
    own = os.getpid()
    for one in ahead:
        try:
            one.resolve()
        except BaseException:  # noqa: BLE001, S112 - SystemExit, too
            continue
        if os.getpid() != own or _printed():
            return False
    return True


def _serve(known: Sequence[Implementation], files: Descriptors) -> None:
    """Answer requests.

    Answers go into a file and the parent is woken when all are there: to wake it for each of fifty
    costs as much as to ask them.
    """
    own = os.getpid()
    while request := receive(files.requests):
        places, parts = unpack(request)
        for place in places:
            implementation = known[place]
            answer = call(implementation, _copies(implementation, parts))
            if os.getpid() != own:  # the guard has forked, and came back twice
                return
            write(files.answers, _line_of(place, answer, _printed()))
        write(files.done, b".")


def _copies(implementation: Implementation, parts: Mapping[str, bytes]) -> dict[str, Any]:
    """Return copies of the arguments that a guard takes.

    What one guard changes must not mislead the next (agent-hooks vector 104).
    """
    taken = (name for name in implementation.arguments if name in parts)
    return {name: unpack(parts[name]) for name in taken}


def _printed() -> str:
    """Take what the last implementation printed, if it printed."""
    try:
        sys.stdout.flush()
        size = os.fstat(1).st_size
        if not size:
            return ""
        found = os.pread(1, 200, 0).decode(errors="replace")
        os.ftruncate(1, 0)
        os.lseek(1, 0, os.SEEK_SET)
    except (AttributeError, OSError, ValueError):  # it closed or replaced standard output
        return ""
    from agguard.quantity import counted

    return f"printed {counted(size, 'byte')}: {found!r}"


def _line_of(place: int, answer: Answer, printed: str) -> bytes:
    fields = None if answer.value is None else encode(answer.value)
    problem = answer.fault and [answer.fault.kind, answer.fault.text]
    return jsontext.dumps([place, fields, problem, answer.micros, printed]).encode() + b"\n"
