"""Time limits that really interrupt."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from types import FrameType
else:
    # `signal` wraps every number of `_signal` in an enum, which costs 3 % of a hook.
    import _signal as signal

REPEAT = 0.05
"""Seconds between interrupts, for code that swallows the first."""


class Interrupted(BaseException):
    """The time is up; raised inside the code that takes too long."""


class Clock:
    """How much time is left for the whole hook."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())


class Interrupt:
    """Interrupts the block after `seconds`, where the platform has interval timers.

    Only the main thread can be interrupted. Elsewhere, and for code that never returns to the
    interpreter, the hook's last resort answers: the process ends and the launcher speaks.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = max(seconds, 0.001)
        self._armed = False

    def __enter__(self) -> None:
        if not hasattr(signal, "setitimer"):
            return
        try:
            self._previous = signal.signal(signal.SIGALRM, self._raise)
        except ValueError:  # not the main thread
            return
        self._armed = True
        signal.setitimer(signal.ITIMER_REAL, self._seconds, REPEAT)

    def __exit__(self, *_: object) -> None:
        if self._armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._previous)

    @staticmethod
    def _raise(_signal: int, _frame: FrameType | None) -> None:
        raise Interrupted
