"""Work in another process comes back as data, or as an error that says what happened."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from agguard.errors import PluginError
from agguard.plugins.apart import CAN_FORK, apart

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs fork")


@pytest.mark.parametrize("value", [None, 7, "text", "\ud800", [1, [2, {"a": None}]], "x" * 300_000])
def test_what_it_returns_comes_back(value: object) -> None:
    """Plain data, of any size."""
    assert apart(lambda: value, 20) == value


def test_nothing_that_it_does_happens_here(capfd: pytest.CaptureFixture[str]) -> None:
    """Not its variables, not its folder, not what it prints."""
    seen: list[int] = []
    before = os.getcwd()

    def work() -> int:
        seen.append(1)
        os.chdir("/")
        print("printed")
        os.write(2, b"written")
        return os.getpid()

    assert apart(work, 20) != os.getpid()
    assert seen == []
    assert os.getcwd() == before
    assert capfd.readouterr() == ("", "")


def _raise() -> None:
    raise KeyboardInterrupt


def _unreadable() -> object:
    return object()


def _stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _leave_one_behind() -> int:
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
    return 7


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda: os._exit(0), "ended the process"),
        (lambda: os.kill(os.getpid(), 9), "ended the process"),
        (lambda: os.closerange(0, 500), "ended the process"),
        (_raise, "ended the process"),
        (_unreadable, "ended the process"),
        (lambda: time.sleep(600), "took too long"),
        (_stop, "took too long"),
    ],
)
def test_what_does_not_come_back_says_why(work: Callable[[], Any], words: str) -> None:
    """It ended its process, or it took too long."""
    with pytest.raises(PluginError, match=words):
        apart(work, 0.5)


def test_what_it_leaves_behind_is_not_waited_for() -> None:
    """Its processes hold the pipe open no longer than the time allows, and end with it."""
    with pytest.raises(PluginError, match="took too long"):
        apart(_leave_one_behind, 0.5)


def test_no_process_and_no_file_is_left() -> None:
    """Whatever happened to the work."""
    before = sorted(os.listdir("/dev/fd"))
    for work in (lambda: 1, lambda: os._exit(3), lambda: time.sleep(600)):
        try:
            apart(work, 0.2)
        except PluginError:
            continue
    assert sorted(os.listdir("/dev/fd")) == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
