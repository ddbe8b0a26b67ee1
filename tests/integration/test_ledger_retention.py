"""What is forgotten, what is kept, and that it is done in small bites."""

from __future__ import annotations

from itertools import pairwise

import pytest

from agguard.ledger.reader import Reader
from unit.ledger.ledger_scene import DAY, call, opened, primary, spawn, state, stop, task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agguard.ledger.store import Ledger

MONTH = 30 * DAY


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger; after the test it must still agree with its events."""
    ledger = opened(tmp_path)
    ledger.bind(primary())
    yield ledger
    ledger.close()
    with Reader.open(str(tmp_path / "ledger.db")) as reader:
        assert reader.verify() == []


def count(ledger: Ledger, table: str) -> int:
    """Return the number of rows of a table."""
    return ledger._link.number(f"SELECT count(*) FROM {table}")  # noqa: S608


class TestWork:
    def test_that_ended_is_forgotten_with_its_token(self, ledger: Ledger) -> None:
        """After 48 hours, claimed or orphaned."""
        ledger.issue([task("done"), task("orphan", position=1)], spawn(at=1.0))
        ledger.claim("token-done", "child", "boss", 2.0)
        ledger.finish("child", 3.0)
        ledger.sweep(DAY + 10, DAY)
        ledger.reconcile("boss", DAY + 10)
        ledger.record(stop(at=DAY + 11))
        ledger.touch("boss", 3 * DAY)
        assert ledger.prune(2 * DAY) == 0
        assert ledger.prune(3 * DAY + 20) == 2
        assert (count(ledger, "work_items"), count(ledger, "tokens")) == (0, 0)
        assert ledger.claim("token-orphan", "late", None, 3 * DAY + 30) is None
        assert ledger.conversation("child") is not None

    def test_that_is_open_stays(self, ledger: Ledger) -> None:
        """However old it is: only silence ends work."""
        ledger.issue([task("long")], spawn(at=1.0))
        ledger.claim("token-long", "child", "boss", 2.0)
        for day in range(1, 100):
            ledger.touch("child", day * DAY)
            ledger.prune(day * DAY)
        held = ledger.held("child")
        assert held is not None
        assert held.status == "ACTIVE"
        assert state(ledger) == "EXECUTION_ACTIVE"

    def test_that_nobody_has_dealt_with_stays(self, ledger: Ledger) -> None:
        """A failure that its issuer still has to answer for is not forgotten under it."""
        ledger.issue([task("lost")], spawn(at=1.0))
        ledger.refuse("boss", 1, "error", 2.0)
        ledger.touch("boss", 3 * DAY)
        assert ledger.prune(3 * DAY) == 0
        assert [item.id for item in ledger.dead("boss")] == ["lost"]


class TestTurns:
    def test_that_are_over_are_forgotten(self, ledger: Ledger) -> None:
        """The last one stays as long as its conversation lives."""
        for turn in (1, 2, 3):
            ledger.record(call(at=float(turn), turn=turn))
        ledger.touch("boss", 3 * DAY)
        ledger.prune(3 * DAY)
        assert count(ledger, "turns") == 1
        assert state(ledger) == "OPEN"

    def test_of_the_silent_are_forgotten(self, ledger: Ledger) -> None:
        """With an event that says so; the next message opens a new one."""
        ledger.record(call(at=1.0))
        ledger.prune(3 * DAY)
        assert (count(ledger, "turns"), state(ledger)) == (0, "CLOSED")
        ledger.record(call(at=4 * DAY, turn=2))
        assert state(ledger) == "OPEN"
        assert ledger.conversation("boss") is not None


class TestTheLog:
    def test_is_kept_for_a_month_and_its_numbers_go_on(self, ledger: Ledger) -> None:
        """Old entries and events go; the newest stays to count on."""
        for day in range(40):
            ledger.record(call("deny", at=day * DAY, step=day))
        ledger.touch("boss", 40 * DAY)
        ledger.prune(40 * DAY)
        kept = ledger.entries(limit=1000)
        assert [entry.step for entry in kept] == list(range(39, 9, -1))
        ledger.prune(400 * DAY)
        assert ledger.record(call(at=400 * DAY)) == 41

    def test_is_bounded_by_its_size(self, ledger: Ledger) -> None:
        """Above the limit the oldest go, however young they are."""
        for step in range(500):
            ledger.record(call(at=float(step), step=step, subject="x" * 1000))
        assert ledger.prune(1000.0, max_bytes=10**9) == 0
        while ledger.prune(2000.0, max_bytes=300_000):
            pass
        kept = ledger.entries(limit=1000)
        assert 50 < len(kept) < 300
        assert kept[0].step == 499

    def test_with_dates_from_the_future_is_bounded_too(self, ledger: Ledger) -> None:
        """A clock that was wrong once does not stop the forgetting by size."""
        for step in range(300):
            ledger.record(call(at=1e12, step=step, subject="x" * 1000))
        while ledger.prune(2000.0, max_bytes=200_000):
            pass
        assert len(ledger.entries(limit=1000)) < 200


class TestConversations:
    def test_that_are_long_silent_are_forgotten(self, ledger: Ledger) -> None:
        """With nothing left that refers to them; the living stay."""
        ledger.issue([task("job")], spawn(at=1.0))
        ledger.claim("token-job", "child", "boss", 2.0)
        ledger.finish("child", 3.0)
        ledger.record(stop(at=4.0))
        ledger.touch("alive", 50 * DAY)
        for round_ in range(4):
            ledger.prune(50 * DAY + 61 * round_)
        assert ledger.conversation("boss") is ledger.conversation("child") is None
        assert count(ledger, "conversations") == 1

    def test_are_looked_at_in_turn(self, ledger: Ledger) -> None:
        """Each sweep looks at a batch; together they see all."""
        for number in range(50):
            ledger.touch(f"old-{number}", 1.0)
        ledger.touch("boss", 50 * DAY)
        counts = []
        for round_ in range(8):
            ledger.prune(50 * DAY + 61 * round_, batch=10)
            counts.append(count(ledger, "conversations"))
        assert counts[-1] == 1
        assert all(before - after <= 10 for before, after in pairwise(counts))


class TestABite:
    def test_is_bounded_and_followed_by_another(self, ledger: Ledger) -> None:
        """While there is more than a batch, the next hook goes on at once."""
        for step in range(500):
            ledger.record(call(at=1.0, step=step))
        gone = [ledger.prune(100 * DAY + number, batch=200) for number in range(5)]
        assert [number >= 200 for number in gone] == [True, True, False, False, False]
        assert gone[3:] == [0, 0]
        assert count(ledger, "decisions") == 1

    def test_is_rare_when_there_is_nothing_to_do(self, ledger: Ledger, tmp_path: Path) -> None:
        """Once a minute; in between it does not even take the lock."""
        ledger.prune(1000.0)
        other = opened(tmp_path, wait=0.0)
        with ledger:
            assert other.prune(1059.0) == 0
        ledger.record(call(at=1.0))
        assert ledger.prune(1059.0 + 100 * DAY) > 0
        other.close()

    def test_is_not_put_off_by_a_clock_that_goes_back(self, ledger: Ledger) -> None:
        """A mark from the future counts as none."""
        ledger.prune(1e12)
        ledger.record(call(at=1.0))
        ledger.record(call(at=1.0))
        assert ledger.prune(100 * DAY) > 0


def test_hashes_are_replaced_as_a_whole(ledger: Ledger) -> None:
    """A file that is no longer ours is not compared for ever."""
    ledger.keep_hashes({"/a": "1", "/b": "2"}, 1.0)
    ledger.keep_hashes({"/b": "3"}, 2.0)
    assert ledger.hashes() == {"/b": "3"}
