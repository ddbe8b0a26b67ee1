"""Waiting for a transcript, with a clock of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.transcript.poll import LONGEST, Patience

if TYPE_CHECKING:
    from collections.abc import Iterable


class Clock:
    """A clock that only sleeping and reading move."""

    def __init__(self, answers: Iterable[object] = (), cost: float = 0.0) -> None:
        self.now = 100.0
        self.slept: list[float] = []
        self.reads = 0
        self._answers = iter(answers)
        self._cost = cost

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def read(self) -> object:
        self.reads += 1
        self.now += self._cost
        return next(self._answers, None)

    def patience(self, seconds: float = LONGEST) -> Patience:
        return Patience(seconds, self, self.sleep)


def there(value: object) -> bool:
    return value is not None


def test_what_is_there_costs_no_waiting() -> None:
    """One read, no sleep."""
    clock = Clock(["yes"])
    assert clock.patience().until(clock.read, there) == "yes"
    assert (clock.reads, clock.slept) == (1, [])


def test_what_comes_late_is_found() -> None:
    """After some pauses, each longer than the one before."""
    clock = Clock([None, None, None, "yes"])
    assert clock.patience().until(clock.read, there) == "yes"
    assert clock.slept == [0.005, 0.01, 0.02]


def test_what_never_comes_ends_after_half_a_second() -> None:
    """The last value is returned, whatever it is."""
    clock = Clock()
    assert clock.patience().until(clock.read, there) is None
    assert sum(clock.slept) == pytest.approx(LONGEST)


@given(st.floats(0, 10), st.floats(0, 2))
def test_nobody_waits_longer_than_was_granted(seconds: float, cost: float) -> None:
    """However long one asks for, and however long reading takes."""
    clock = Clock(cost=cost)
    clock.patience(seconds).until(clock.read, there)
    assert sum(clock.slept) <= min(seconds, LONGEST) + 1e-9


def test_the_time_of_reading_counts() -> None:
    """Slow reads leave less time to wait; only the first is free."""
    clock = Clock(cost=0.2)
    clock.patience().until(clock.read, there)
    assert clock.reads == 4


def test_time_is_shared() -> None:
    """What one wait has used up, the next does not have."""
    clock = Clock()
    patience = clock.patience()
    patience.until(clock.read, there)
    before = len(clock.slept)
    patience.until(clock.read, there)
    assert len(clock.slept) == before
    assert patience.left <= 0


@pytest.mark.parametrize("seconds", [0, -1])
def test_without_patience_there_is_one_read(seconds: float) -> None:
    """And its value counts."""
    clock = Clock([None, "late"])
    assert clock.patience(seconds).until(clock.read, there) is None
    assert (clock.reads, clock.slept) == (1, [])


def test_a_clock_that_stands_still_ends_the_waiting() -> None:
    """The pauses themselves are counted."""
    patience = Patience(0.5, lambda: 0.0, lambda _: None)
    assert patience.until(lambda: None, there) is None


def test_an_unchanged_file_is_not_read_again() -> None:
    """The stamp is taken before the read, so that no change is missed."""
    clock = Clock([None, None, "yes"])
    stamps = iter([1, 1, 1, 2, 2, 2, 3])
    assert clock.patience().until(clock.read, there, lambda: next(stamps)) == "yes"
    assert clock.reads == 3
    assert len(clock.slept) == 6
