"""A forked process that runs third-party implementations.

`os._exit`, a crash in C, a kill by the system and a loop that no exception can leave end a
process. Were that the hook's own, the guards that were not asked yet would stay unheard, a deny of
theirs included. So third-party guards run in a child; when it dies, the guard that it was asking
gets the fault and a new child asks the rest. Forking costs under a millisecond and happens only
where third-party guards are installed.

Guards share the child, and one may spoil it for those after it: by a thread that ends the process,
a fork that goes on, files that it opens or closes, what it changes in the interpreter. So each line
says whose answer it is, and what goes wrong is believed of a guard that was asked alone.
"""

from __future__ import annotations

import os

from agguard import jsontext
from agguard.dispatch.contract import decode
from agguard.dispatch.implementation import Answer, Implementation
from agguard.dispatch.isolate import fault
from agguard.dispatch.parcel import pack
from agguard.dispatch.pipe import send
from agguard.errors import PluginError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from agguard.dispatch.deadline import Clock
    from agguard.model.verdict import Fault

LOOKS = 20
"""How often in an implementation's time its answer is looked for, until all are there."""

LONGEST_LOG = 32_768
"""Bytes of what third parties write to stderr in one hook that reach the host's log: half of what a
pipe takes that nobody reads, for the watchdog may have to write there, too."""

LONGEST_PIECE = 4096
"""Bytes that a pipe which can be written takes at once: PIPE_BUF of POSIX."""

MOST = 1 << 26
"""Bytes; a guard that writes without end must not fill the memory."""


class Worker:
    """Runs implementations in a child process that is replaced when it dies or hangs.

    Args:
        implementations: All that it can be asked for. The child has them from the fork, and
            requests name their places: to send fifty costs more than to ask them.
        clock: The time that the whole hook has.
        limit: Seconds that one implementation may take.
    """

    def __init__(self, implementations: list[Implementation], clock: Clock, limit: float) -> None:
        self._known = implementations
        self._places = {id(one): place for place, one in enumerate(implementations)}
        self._is_alone = len({one.plugin for one in implementations}) == 1
        self._clock = clock
        self._limit = limit
        self._pid = 0
        self._to_child = self._from_child = -1
        self._answers = self._log = -1
        self._files: tuple[int, ...] = ()
        self._seen = 0
        self._ahead: Sequence[Implementation] = ()
        self._loggable = LONGEST_LOG

    def ask(self, wanted: list[Implementation], offered: Mapping[str, Any]) -> list[Answer]:
        """Ask implementations of one hook, in order; each gets an answer or a fault."""
        answers: list[Answer] = []
        while len(answers) < len(wanted):
            rest = wanted[len(answers) :]
            if not self._clock.left:
                answers += [_failed(one, "deadline", "the hook's time was up") for one in rest]
                break
            answers += self._ask_child(rest, offered)
        return [self._confirmed(answer, offered) for answer in answers]

    def close(self, *, reap: bool = True) -> None:
        """End the child with all that it started, and pass on what they wrote to stderr.

        Args:
            reap: Wait for its end. A process that ends itself now leaves that to the system.
        """
        if self._pid:
            _end(self._pid, reap=reap)
            written = os.pread(self._log, self._loggable, 0)
            self._loggable -= len(written)
            _tell(written)
            for descriptor in (self._to_child, self._from_child, *self._files):
                os.close(descriptor)
            self._pid = 0

    def _confirmed(self, answer: Answer, offered: Mapping[str, Any]) -> Answer:
        """Ask a guard that failed again, in a process that no other guard has been in.

        One that takes too long is not asked again: that would take as long once more.
        """
        found = answer.fault
        if not found or found.kind == "deadline" or self._is_alone or not self._clock.left:
            return answer
        self.close()
        (again,) = self._ask_child([answer.implementation], offered)
        if again.fault:
            return again
        text = f"failed beside other guards, but not alone: {found.text}"
        return again.replace(slip=fault(answer.implementation, "disturbed", text))

    def _ask_child(self, wanted: list[Implementation], offered: Mapping[str, Any]) -> list[Answer]:
        """Ask until all have answered or the child is gone; then the last answer is its fault."""
        if not self._pid:
            self._start()
        answers: list[Answer] = []
        try:
            taken = {name for one in wanted for name in one.arguments}
            parts = {name: pack(offered[name]) for name in offered if name in taken}
            places = [self._places[id(one)] for one in wanted]
            send(self._to_child, pack((places, parts)))
            self._collect(wanted, answers)
        except (OSError, ValueError, TypeError) as error:
            self.close()
            if self._ahead and not answers:  # what was imported ahead has spoiled it
                self._ahead = ()
                return answers
            kind, text = "died", f"ended the process ({error})"
            if isinstance(error, TimeoutError):
                kind, text = "deadline", "took too long"
            answers += [_failed(one, kind, text) for one in _next(wanted, answers)]
        self._ahead = ()
        return answers

    def _collect(self, wanted: list[Implementation], answers: list[Answer]) -> None:
        """Add the child's answers as they come, until it has given all of them.

        Raises:
            TimeoutError: The one that it is asking takes too long.
            OSError: The child is gone.
        """
        import select

        silent = 0
        while silent < LOOKS:
            if not silent:
                # A share for each: however many hang, the last one is heard.
                share = self._clock.left / (len(wanted) - len(answers) + 1)
                wait = min(self._limit, share) / LOOKS
            is_over = bool(select.select([self._from_child], [], [], wait)[0])
            self._refuse_floods()
            lines = self._lines()
            answers += map(self._read, wanted[len(answers) :], lines)
            if is_over:
                if os.read(self._from_child, 1) and len(answers) == len(wanted):
                    return
                msg = "no answer"
                raise OSError(msg)
            silent = 0 if lines else silent + 1
        raise TimeoutError

    def _refuse_floods(self) -> None:
        """Have a look at the size of what the child has written.

        Raises:
            ValueError: It writes more than anybody needs.
        """
        if any(os.fstat(descriptor).st_size > MOST for descriptor in self._files):
            msg = f"it wrote more than {MOST} bytes"
            raise ValueError(msg)

    def _lines(self) -> list[bytes]:
        """Return the lines that the child has written since the last look."""
        size = os.fstat(self._answers).st_size - self._seen
        data = os.pread(self._answers, max(0, size), self._seen)
        *lines, unfinished = data.split(b"\n")
        self._seen += len(data) - len(unfinished)
        return lines

    def _read(self, implementation: Implementation, line: bytes) -> Answer:
        """Turn a child's line into an answer.

        Raises:
            ValueError, TypeError: The line is not what the child writes for this one; something
                else wrote into its file.
        """
        place, fields, problem, micros, printed = jsontext.loads(line.decode())
        if place != self._places[id(implementation)]:
            msg = "an answer of another guard in its place"
            raise ValueError(msg)
        found = _answer(implementation, fields, problem, micros)
        if not printed:
            return found
        return found.replace(slip=fault(implementation, "output", printed))

    def start(self, ahead: Sequence[Implementation]) -> None:
        """Start the child before it is asked.

        Args:
            ahead: What it will be asked for, to be imported in the meantime. If that ends or hangs
                it, another child takes its place and imports each when it is asked, so that the
                fault is found with the right one.
        """
        self._ahead = ahead
        self._start()

    def _start(self) -> None:
        requests, self._to_child = os.pipe()
        self._from_child, done = os.pipe()
        self._files = _scratch(), _scratch(), _scratch()
        self._answers, printed, self._log = self._files
        self._seen = 0
        self._pid = os.fork()
        if not self._pid:
            try:
                from agguard.dispatch.child import Descriptors, run

                files = Descriptors(requests, done, self._answers, printed, self._log)
                run(self._known, self._ahead, files, self._clock.left)
            finally:
                os._exit(0)
        for descriptor in (requests, done):
            os.close(descriptor)


def _scratch() -> int:
    """Open a file without a name, for what a guard prints."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("agguard")
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _end(pid: int, *, reap: bool) -> None:
    """Kill a child and whatever of its group is left, and wait for it if asked to."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, 9)
        except OSError:  # it has not come to be a group, or all of it is gone
            continue
    try:
        os.waitpid(pid, 0 if reap else os.WNOHANG)
    except ChildProcessError:  # where SIGCHLD is ignored, nothing is left to be reaped
        return


def _tell(text: bytes) -> None:
    """Write to stderr as much as it takes: a host that does not read it must not stop the hook."""
    import select

    view = memoryview(text)
    try:
        while view and select.select([], [2], [], 0)[1]:
            view = view[os.write(2, view[:LONGEST_PIECE]) :]
    except OSError:  # nobody listens
        return


def _answer(
    implementation: Implementation, fields: list[Any] | None, problem: list[str] | None, micros: int
) -> Answer:
    if problem:
        kind, text = problem
        return Answer(implementation, None, fault(implementation, kind, text), micros)
    try:
        value = None if fields is None else decode(implementation.hook, fields)
    except PluginError as error:
        return Answer(implementation, None, fault(implementation, "garbage", str(error)), micros)
    return Answer(implementation, value, None, micros)


def _next(wanted: list[Implementation], answers: list[Answer]) -> list[Implementation]:
    """Return the one that was being asked; none when all had answered."""
    return wanted[len(answers) : len(answers) + 1]


def _failed(implementation: Implementation, kind: str, text: str) -> Answer:
    problem: Fault = fault(implementation, kind, text)
    return Answer(implementation, None, problem)
