"""Waiting for a transcript that is late.

The host writes a row a moment after the hook for it may already run (contract, section 5), and
some hosts only when the turn ends. So a hook waits, but never longer than half a second in all.
"""

from __future__ import annotations

import time

from agguard.transcript import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from agguard.transcript.head import Opening
    from agguard.transcript.reverse import Limits
    from agguard.transcript.turns import Turn

    T = TypeVar("T")

LONGEST = 0.5
"""Seconds that one `Patience` waits at most, whatever was asked for."""

_FIRST_PAUSE = 0.005
_LONGEST_PAUSE = 0.08


class Patience:
    """The time that one hook may spend on waiting, shared by everything it waits for.

    Args:
        seconds: How much there is; `LONGEST` at most.
        clock: Returns seconds, never backwards.
        sleep: Sleeps for a number of seconds.

    Attributes:
        left: Seconds that may still be waited.
    """

    __slots__ = ("_clock", "_sleep", "left")

    def __init__(
        self,
        seconds: float = LONGEST,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.left = min(seconds, LONGEST)
        self._clock = clock
        self._sleep = sleep

    def until(
        self,
        read: Callable[[], T],
        ready: Callable[[T], bool],
        stamp: Callable[[], object] | None = None,
    ) -> T:
        """Call `read` until its value is `ready` or time is up; return the last value.

        The first call is free, the time of later ones counts. With `stamp`, `read` is called
        again only when the stamp has changed.
        """
        seen = stamp() if stamp else None
        value = read()
        pause = _FIRST_PAUSE
        while self.left > 0 and not ready(value):
            began = self._clock()
            pause = min(pause, self.left)
            self._sleep(pause)
            now = stamp() if stamp else None
            if stamp is None or now != seen:
                seen, value = now, read()
            self.left -= max(self._clock() - began, pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        return value

    def opening(self, path: str) -> Opening | None:
        """Return the opening record of the transcript at `path`, waiting for it."""
        from agguard.transcript.head import opening

        return self.until(
            lambda: opening(path), lambda found: found is not None, lambda: _stamps(path)
        )

    def turn(self, path: str, limits: Limits | None = None) -> Turn:
        """Return the newest turn, waiting for the model's closing message."""
        from agguard.transcript.reverse import LIMITS
        from agguard.transcript.turns import turn

        return self.until(
            lambda: turn(path, limits or LIMITS),
            lambda found: found.answered,
            lambda: _stamps(path),
        )


def _stamps(path: str) -> tuple[object, ...]:
    return tuple(map(files.stamp, files.candidates(path)))
