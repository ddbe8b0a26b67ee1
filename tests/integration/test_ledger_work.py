"""What becomes of work, and where that leaves the turn of whoever issued it."""

from __future__ import annotations

import pytest

from agguard.errors import LedgerError
from unit.ledger.ledger_scene import DAY, call, opened, primary, spawn, state, stop, task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agguard.ledger.store import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with a primary agent in its first turn."""
    ledger = opened(tmp_path)
    ledger.bind(primary())
    ledger.record(call())
    yield ledger
    ledger.close()


def begin(ledger: Ledger, *names: str, step: int = 2) -> None:
    """Issue one item a name in one call, and let a child of that name claim each."""
    items = [task(name, step=step, position=place) for place, name in enumerate(names)]
    ledger.issue(items, spawn(step=step))
    for name in names:
        assert ledger.claim(f"token-{name}", name, "boss", 2.0)


def status(ledger: Ledger, child: str) -> str:
    """Return what became of a child's newest item."""
    item = ledger.latest(child)
    return item.status if item else ""


def types(ledger: Ledger) -> list[object]:
    """Return the types of all events."""
    return [type_ for (type_,) in ledger._link.rows("SELECT type FROM events ORDER BY seq")]


class TestOneTurn:
    def test_goes_from_open_through_work_to_closed(self, ledger: Ledger) -> None:
        """The whole way: issue, accept, claim, finish, stop, and a new message."""
        seen = [state(ledger)]
        ledger.issue([task("job", step=2)], spawn(step=2))
        seen.append(state(ledger))
        ledger.accept("boss", 2, 2.0)
        seen.append(state(ledger))
        ledger.claim("token-job", "child", "boss", 3.0)
        ledger.finish("child", 4.0)
        seen.append(state(ledger))
        ledger.record(stop())
        seen.append(state(ledger))
        ledger.record(call(step=20, turn=20))
        seen.append(state(ledger))
        assert seen == [
            "OPEN",
            "HANDOFF_PENDING",
            "EXECUTION_ACTIVE",
            "REVIEWING",
            "CLOSED",
            "OPEN",
        ]

    def test_takes_a_finish_before_the_acceptance(self, ledger: Ledger) -> None:
        """A child can be faster than its parent's next hook."""
        begin(ledger, "child")
        ledger.finish("child", 3.0)
        assert ledger.accept("boss", 2, 4.0) == 0
        assert state(ledger) == "REVIEWING"

    def test_remembers_a_second_dispatch_that_failed(self, ledger: Ledger) -> None:
        """While the first runs there is time; then the failure is due."""
        begin(ledger, "child")
        ledger.issue([task("lost", step=3)], spawn(step=3))
        assert [item.id for item in ledger.refuse("boss", 3, "no such type", 3.0)] == ["lost"]
        assert state(ledger) == "EXECUTION_ACTIVE"
        ledger.finish("child", 4.0)
        assert state(ledger) == "RECOVERY_REQUIRED"
        assert [(item.id, item.cause) for item in ledger.dead("boss")] == [("lost", "no such type")]

    def test_is_answered_by_new_work(self, ledger: Ledger) -> None:
        """Who dispatches again after a failure knows of it."""
        begin(ledger, "child")
        ledger.finish("child", 3.0, failure="ERROR")
        assert state(ledger) == "RECOVERY_REQUIRED"
        begin(ledger, "again", step=3)
        assert ledger.dead("boss") == []
        ledger.finish("again", 5.0)
        assert state(ledger) == "REVIEWING"

    def test_keeps_failures_and_open_work_over_a_new_message(self, ledger: Ledger) -> None:
        """A user message is no reason to forget what is under way or went wrong."""
        begin(ledger, "child", "lost")
        ledger.record(call(step=30, turn=30))
        assert state(ledger) == "EXECUTION_ACTIVE"
        ledger.finish("lost", 3.0, failure="ERROR")
        ledger.finish("child", 4.0)
        ledger.record(call(step=40, turn=40))
        assert state(ledger) == "RECOVERY_REQUIRED"
        assert [item.child for item in ledger.dead("boss")] == ["lost"]

    def test_is_closed_by_a_stop_and_forgets_the_dead_then(self, ledger: Ledger) -> None:
        """An agent that was let go with its failures is not told of them again."""
        begin(ledger, "child")
        ledger.finish("child", 3.0, failure="ERROR")
        ledger.record(stop("deny"))
        assert state(ledger) == "RECOVERY_REQUIRED"
        ledger.record(stop())
        assert (state(ledger), ledger.dead("boss")) == ("CLOSED", [])

    def test_is_not_moved_by_denials(self, ledger: Ledger) -> None:
        """A denial is written down and changes nothing, in every state of work."""
        for step in (2, 3):
            before = state(ledger)
            ledger.record(call("deny", step=step))
            assert state(ledger) == before
            begin(ledger, f"child-{step}", step=step)

    def test_pauses_while_work_runs(self, ledger: Ledger) -> None:
        """A parent may idle; it is not done."""
        begin(ledger, "child")
        ledger.record(stop())
        assert state(ledger) == "EXECUTION_ACTIVE"

    def test_does_not_begin_anew_when_the_number_falls(self, ledger: Ledger) -> None:
        """After a compaction the last user message may not be found; that is no message."""
        ledger.record(call(turn=50))
        ledger.record(stop(turn=50))
        ledger.record(call(turn=0))
        assert state(ledger) == "CLOSED"
        assert types(ledger).count("USER_MESSAGE") == 2

    def test_is_not_moved_by_an_inert_entry(self, ledger: Ledger) -> None:
        """A forged stop closes nothing and a forged message opens nothing."""
        ledger.record(stop().replace(inert=True))
        ledger.record(call(turn=99, inert=True))
        turn = ledger.turn("boss")
        assert turn is not None
        assert (turn.turn, turn.state) == (1, "OPEN")

    def test_is_kept_for_whoever_may_delegate(self, ledger: Ledger) -> None:
        """A worker has no turns: it has no work to wait for."""
        begin(ledger, "child")
        ledger.record(call(conversation="child"))
        assert ledger.turn("child") is None


class TestAChild:
    def test_waits_and_works_again(self, ledger: Ledger) -> None:
        """A stop with background work is WAITING; the next hook is a sign of life."""
        begin(ledger, "child")
        waiting = ledger.rest("child", 3.0)
        assert waiting is not None
        assert (waiting.status, waiting.updated_at) == ("WAITING", 3.0)
        ledger.touch("child", 4.0)
        assert status(ledger, "child") == "ACTIVE"

    def test_that_waits_can_finish(self, ledger: Ledger) -> None:
        """Its end may be learnt from the parent's row; it passes through ACTIVE."""
        begin(ledger, "child")
        ledger.rest("child", 3.0)
        assert ledger.finish("child", 4.0) is not None
        assert status(ledger, "child") == "TERMINATED"

    def test_finishes_once(self, ledger: Ledger) -> None:
        """Its stop and the parent's row tell the same; the second changes nothing."""
        begin(ledger, "child")
        assert ledger.finish("child", 3.0) is not None
        before = ledger.latest("child")
        assert ledger.finish("child", 4.0) is None
        assert ledger.finish("child", 4.0, failure="ERROR") is None
        assert ledger.rest("child", 4.0) is None
        ledger.touch("child", 5.0)
        assert ledger.latest("child") == before

    def test_that_never_was_changes_nothing(self, ledger: Ledger) -> None:
        """A stop of a conversation without work is no event of anybody."""
        assert ledger.finish("stranger", 3.0) is None
        assert ledger.rest("stranger", 3.0) is None
        assert ledger.finish("", 3.0) is None


class TestTheSweep:
    def test_ends_what_is_silent(self, ledger: Ledger) -> None:
        """Issued, active and waiting work alike, of anybody."""
        begin(ledger, "active", "waiting")
        ledger.rest("waiting", 2.0)
        ledger.issue([task("issued", step=3)], spawn(step=3, at=2.0))
        assert ledger.sweep(2.0 + DAY, DAY) == []
        swept = ledger.sweep(2.1 + DAY, DAY)
        assert sorted(item.id for item in swept) == ["active", "issued", "waiting"]
        assert status(ledger, "active") == status(ledger, "waiting") == "TIMED_OUT"

    def test_leaves_the_living(self, ledger: Ledger) -> None:
        """A hook of the child is a heartbeat of its work."""
        begin(ledger, "child", "dead")
        ledger.touch("child", 1000.0)
        assert [item.id for item in ledger.sweep(1010.0, 500.0)] == ["dead"]
        assert ledger.sweep(1010.0, 500.0) == []

    def test_releases_the_parent_at_its_next_hook(self, ledger: Ledger) -> None:
        """When all is dead the machine is told so: WORK_TIMED_OUT, RECOVERY_REQUIRED."""
        begin(ledger, "one", "two")
        ledger.sweep(1000.0, 500.0)
        assert state(ledger) == "EXECUTION_ACTIVE"
        turn = ledger.reconcile("boss", 1001.0)
        assert turn is not None
        assert turn.state == "RECOVERY_REQUIRED"
        assert [item.child for item in ledger.dead("boss")] == ["one", "two"]
        assert ledger.reconcile("boss", 1002.0) == turn

    def test_does_not_release_while_one_lives(self, ledger: Ledger) -> None:
        """The dead are due when nothing is alive."""
        begin(ledger, "one", "two")
        ledger.touch("two", 900.0)
        ledger.sweep(1000.0, 500.0)
        turn = ledger.reconcile("boss", 1001.0)
        assert turn is not None
        assert turn.state == "EXECUTION_ACTIVE"
        ledger.finish("two", 1002.0)
        assert state(ledger) == "RECOVERY_REQUIRED"

    def test_makes_late_work_worthless(self, ledger: Ledger) -> None:
        """A child that wakes up after its time changes no row and brings no success."""
        begin(ledger, "child")
        ledger.sweep(1000.0, 500.0)
        ledger.reconcile("boss", 1001.0)
        before = ledger.latest("child")
        ledger.touch("child", 1002.0)
        assert ledger.finish("child", 1003.0) is None
        assert ledger.held("child") is None
        assert ledger.latest("child") == before
        assert state(ledger) == "RECOVERY_REQUIRED"

    def test_writes_nothing_when_nothing_is_silent(self, ledger: Ledger, tmp_path: Path) -> None:
        """Every hook sweeps, so the usual sweep must not take the lock."""
        begin(ledger, "child")
        other = opened(tmp_path, wait=0.0)
        with ledger:
            assert other.sweep(3.0, DAY) == []
            assert other.reconcile("boss", 3.0) is not None
        other.close()

    def test_is_bounded(self, ledger: Ledger) -> None:
        """A long absence is worked off over several hooks."""
        many = [task(str(n), step=2, position=n) for n in range(250)]
        ledger.issue(many, spawn(step=2))
        assert [len(ledger.sweep(1000.0, 500.0)) for _ in range(3)] == [200, 50, 0]


class TestAFailedSpawn:
    def test_leaves_alone_what_a_child_holds(self, ledger: Ledger) -> None:
        """When a call failed for one of two agents, the other works on."""
        pair = [task("lost", step=2), task("live", step=2, position=1)]
        ledger.issue(pair, spawn(step=2))
        ledger.claim("token-live", "child", "boss", 2.0)
        assert [item.id for item in ledger.refuse("boss", 2, "error", 3.0)] == ["lost"]
        assert state(ledger) == "EXECUTION_ACTIVE"
        assert types(ledger)[-1] == "HANDOFF_FAILED"
        ledger.finish("child", 4.0, failure="ERROR")
        assert types(ledger)[-1] == "WORK_FAILED"

    def test_is_learnt_once(self, ledger: Ledger) -> None:
        """PostToolUse and the transcript's row tell the same."""
        ledger.issue([task("lost", step=2)], spawn(step=2))
        assert len(ledger.refuse("boss", 2, "error", 3.0)) == 1
        assert ledger.refuse("boss", 2, "error", 4.0) == []
        assert ledger.accept("boss", 2, 5.0) == 0
        assert state(ledger) == "RECOVERY_REQUIRED"

    def test_of_another_step_is_another(self, ledger: Ledger) -> None:
        """Steps and conversations are compared whole."""
        ledger.issue([task("job", step=1)], spawn(step=1))
        assert ledger.refuse("boss", 11, "error", 3.0) == []
        assert ledger.refuse("bos", 1, "error", 3.0) == []
        assert [item.id for item in ledger.unclaimed("boss")] == ["job"]


class TestATransaction:
    def test_stores_several_calls_or_none(self, ledger: Ledger) -> None:
        """`with ledger` makes one transaction of what is inside."""
        with pytest.raises(ZeroDivisionError), ledger:  # noqa: PT012 - the block is the subject
            ledger.record(call(step=7))
            ledger.touch("child", 2.0)
            raise ZeroDivisionError
        assert [entry.step for entry in ledger.entries()] == [1]
        with ledger:
            ledger.record(call(step=7))
        assert [entry.step for entry in ledger.entries()] == [7, 1]

    def test_is_lost_when_a_part_failed(self, ledger: Ledger) -> None:
        """A caller that swallows an inner failure cannot store the rest alone."""
        with pytest.raises(LedgerError, match="undone"), ledger:  # noqa: PT012 - see above
            ledger.record(call(step=7))
            with pytest.raises(ZeroDivisionError), ledger:
                raise ZeroDivisionError
            ledger.record(call(step=8))
        assert [entry.step for entry in ledger.entries()] == [1]
        ledger.record(call(step=9))
        assert [entry.step for entry in ledger.entries()] == [9, 1]
