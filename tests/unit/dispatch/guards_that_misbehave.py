"""Guards of every bad kind, for the tests of isolation: `guards_that_misbehave:name`."""

from __future__ import annotations

import os
import sys
import time

from agguard.model.verdict import Verdict


def denies() -> Verdict:
    return Verdict.deny("a sound guard objects")


def allows() -> Verdict:
    return Verdict.allow()


def raises() -> Verdict:
    msg = "broken on purpose"
    raise RuntimeError(msg)


def raises_unprintable() -> Verdict:
    class UnprintableError(Exception):
        def __str__(self) -> str:
            raise ValueError

    raise UnprintableError


def exits() -> Verdict:
    sys.exit(3)


def interrupts_itself() -> Verdict:
    raise KeyboardInterrupt


def recurses() -> Verdict:
    return recurses()


def prints() -> Verdict:
    print('{"decision": "allow"}', flush=True)
    os.write(1, b'{"decision": "allow"}\n')
    return Verdict.allow()


def reads_input() -> Verdict:
    return Verdict.allow(repr(sys.stdin.read()))


def loops() -> Verdict:
    while True:
        pass


def loops_and_swallows() -> Verdict:
    while True:
        try:
            time.sleep(0.01)
        except BaseException:  # noqa: BLE001, S112
            continue


def is_slow() -> Verdict:
    time.sleep(1.75)
    return Verdict.deny("a slow guard objects")


def returns_garbage() -> object:
    return {"decision": "allow"}


def leaves() -> Verdict:
    os._exit(0)


def is_killed() -> Verdict:
    os.kill(os.getpid(), 9)
    time.sleep(60)
    raise AssertionError


def crashes() -> Verdict:
    import ctypes

    ctypes.string_at(0)
    raise AssertionError
