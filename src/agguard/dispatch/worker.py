"""A forked process that runs third-party implementations.

`os._exit`, a crash in C, a kill by the system and a loop that no exception can leave end a
process. Were that the hook's own, the guards that were not asked yet would stay unheard, a deny of
theirs included. So third-party guards run in a child; when it dies, the guard that it was asking
gets the fault and a new child asks the rest. Forking costs under a millisecond and happens only
where third-party guards are installed.
"""

from __future__ import annotations

import _pickle  # `pickle` itself costs 5 ms of import
import os
import sys

from agguard import jsontext
from agguard.dispatch.contract import decode, encode
from agguard.dispatch.implementation import Answer, Implementation
from agguard.dispatch.isolate import call, fault
from agguard.errors import PluginError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.dispatch.deadline import Clock
    from agguard.model.verdict import Fault

GRACE = 1
"""Seconds after the hook's deadline when a child ends by itself, should its parent be gone."""


class Worker:
    """Runs implementations in a child process that is replaced when it dies or hangs."""

    def __init__(self, clock: Clock, limit: float) -> None:
        self._clock = clock
        self._limit = limit
        self._pid = 0
        self._to_child = self._from_child = -1
        self._buffer = b""

    def ask(self, wanted: list[Implementation], offered: Mapping[str, Any]) -> list[Answer]:
        """Ask implementations of one hook, in order; each gets an answer or a fault."""
        answers: list[Answer] = []
        while len(answers) < len(wanted):
            rest = wanted[len(answers) :]
            if not self._clock.left:
                answers += [_failed(one, "deadline", "the hook's time was up") for one in rest]
                break
            answers += self._ask_child(rest, offered)
        return answers

    def close(self) -> None:
        """End the child."""
        if self._pid:
            os.kill(self._pid, 9)
            os.waitpid(self._pid, 0)
            os.close(self._to_child)
            os.close(self._from_child)
            self._pid = 0

    def _ask_child(self, wanted: list[Implementation], offered: Mapping[str, Any]) -> list[Answer]:
        """Ask until all have answered or the child is gone; then the last answer is its fault."""
        if not self._pid:
            self._start()
        answers: list[Answer] = []
        try:
            _send(self._to_child, _pickle.dumps((wanted, dict(offered)), 5))
            while len(answers) < len(wanted):
                line = self._line(min(self._limit, self._clock.left))
                answers.append(_read(wanted[len(answers)], line))
        except TimeoutError:
            self.close()
            answers.append(_failed(wanted[len(answers)], "deadline", "took too long"))
        except (OSError, ValueError) as error:
            self.close()
            answers.append(_failed(wanted[len(answers)], "died", f"ended the process ({error})"))
        return answers

    def _line(self, seconds: float) -> bytes:
        """Return the child's next line; TimeoutError or EOFError-like OSError otherwise."""
        import select

        while b"\n" not in self._buffer:
            if not select.select([self._from_child], [], [], seconds)[0]:
                raise TimeoutError
            chunk = os.read(self._from_child, 1 << 16)
            if not chunk:
                msg = "no answer"
                raise OSError(msg)
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _start(self) -> None:
        child_in, self._to_child = os.pipe()
        self._from_child, child_out = os.pipe()
        self._buffer = b""
        self._pid = os.fork()
        if not self._pid:
            try:
                os.close(self._to_child)
                os.close(self._from_child)
                _serve(child_in, child_out, self._clock.left + GRACE)
            finally:
                os._exit(0)
        os.close(child_in)
        os.close(child_out)


def _serve(child_in: int, child_out: int, seconds: float) -> None:
    """Answer requests until the parent goes away."""
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    sys.stdin = open(os.devnull)  # noqa: SIM115 - pathlib is not on the hook path
    while request := _receive(child_in):
        wanted, offered = _pickle.loads(request)
        for implementation in wanted:
            _write(child_out, _line_of(call(implementation, offered)))


def _line_of(answer: Answer) -> bytes:
    fields = None if answer.value is None else encode(answer.value)
    problem = answer.fault and [answer.fault.kind, answer.fault.text]
    return jsontext.dumps([fields, problem, answer.micros]).encode() + b"\n"


def _read(implementation: Implementation, line: bytes) -> Answer:
    """Turn a child's line into an answer.

    Raises:
        ValueError: The line is not what the child writes; something else wrote into its pipe.
    """
    fields, problem, micros = jsontext.loads(line.decode())
    if problem:
        kind, text = problem
        return Answer(implementation, None, fault(implementation, kind, text), micros)
    try:
        value = None if fields is None else decode(implementation.hook, fields)
    except PluginError as error:
        return Answer(implementation, None, fault(implementation, "garbage", str(error)), micros)
    return Answer(implementation, value, None, micros)


def _failed(implementation: Implementation, kind: str, text: str) -> Answer:
    problem: Fault = fault(implementation, kind, text)
    return Answer(implementation, None, problem)


def _send(descriptor: int, data: bytes) -> None:
    _write(descriptor, len(data).to_bytes(8, "big") + data)


def _receive(descriptor: int) -> bytes:
    """Return one request; empty when the parent is gone."""
    size = int.from_bytes(_exactly(descriptor, 8), "big")
    return _exactly(descriptor, size)


def _exactly(descriptor: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(descriptor, size - len(data))
        if not chunk:
            return b""
        data += chunk
    return bytes(data)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
