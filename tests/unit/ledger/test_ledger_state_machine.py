"""The transition table, cell by cell and as laws."""

from __future__ import annotations

from itertools import product

import pytest

from agguard.ledger.fsm import (
    DEAD_STATUSES,
    OPEN_STATUSES,
    PATHS,
    STATES,
    TABLE,
    Work,
    after,
    answers,
    settled,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

WORKING = ("HANDOFF_PENDING", "EXECUTION_ACTIVE")
RESTING = ("OPEN", "REVIEWING", "RECOVERY_REQUIRED", "CLOSED")
LATE = (
    "HANDOFF_ACCEPTED",
    "HANDOFF_FAILED",
    "WORK_CLAIMED",
    "WORK_WAITING",
    "WORK_RESUMED",
    "WORK_FINISHED",
    "WORK_FAILED",
    "WORK_SWEPT",
    "WORK_TIMED_OUT",
    "TOOL_DENIED",
)
ENDS = (
    "WORK_ISSUED",
    "HANDOFF_ACCEPTED",
    "HANDOFF_FAILED",
    "WORK_CLAIMED",
    "WORK_FINISHED",
    "WORK_FAILED",
    "WORK_TIMED_OUT",
)


class TestTheTable:
    def test_decides_every_cell(self) -> None:
        """A state or one of the two instructions stands for each event in each state."""
        cells = [cell for row in TABLE.values() for cell in row]
        assert len(cells) == 15 * len(STATES)
        assert set(cells) <= {*STATES, "STAY", "SETTLE"}

    @pytest.mark.parametrize("state", STATES)
    def test_reaches_every_state(self, state: str) -> None:
        """No state is left without a way in."""
        reached = {
            after(old, event, work)
            for old in STATES
            for event in TABLE
            for work in (Work(), Work(1), Work(0, 1), Work(0, 0, 1))
            if old != state
        }
        assert state in reached

    @pytest.mark.parametrize(
        ("work", "state"),
        [
            (Work(pending=1, running=1, dead=1), "HANDOFF_PENDING"),
            (Work(running=1, dead=1), "EXECUTION_ACTIVE"),
            (Work(dead=1), "RECOVERY_REQUIRED"),
            (Work(), "REVIEWING"),
        ],
    )
    def test_settles_by_what_is_alive_first(self, work: Work, state: str) -> None:
        """Open work counts before dead work, and dead work before none."""
        assert settled(work) == state


class TestWhatAFormerPluginGotWrong:
    """Reference, attention-guard, section 6.4."""

    @pytest.mark.parametrize(
        ("state", "event", "work", "expected"),
        [
            # A second dispatch fails while the first one runs: remembered, not acted on yet.
            ("EXECUTION_ACTIVE", "HANDOFF_FAILED", Work(0, 1, 1), "EXECUTION_ACTIVE"),
            ("EXECUTION_ACTIVE", "WORK_FINISHED", Work(0, 0, 1), "RECOVERY_REQUIRED"),
            # A child finishes before its start was acknowledged.
            ("HANDOFF_PENDING", "WORK_FINISHED", Work(), "REVIEWING"),
            ("REVIEWING", "HANDOFF_ACCEPTED", Work(), "REVIEWING"),
            # A denial is not a failure.
            ("OPEN", "TOOL_DENIED", Work(), "OPEN"),
            ("HANDOFF_PENDING", "TOOL_DENIED", Work(1), "HANDOFF_PENDING"),
            ("EXECUTION_ACTIVE", "TOOL_DENIED", Work(0, 1), "EXECUTION_ACTIVE"),
            # A new user message forgets neither open work nor failures.
            ("EXECUTION_ACTIVE", "USER_MESSAGE", Work(0, 1), "EXECUTION_ACTIVE"),
            ("RECOVERY_REQUIRED", "USER_MESSAGE", Work(0, 0, 1), "RECOVERY_REQUIRED"),
            ("CLOSED", "USER_MESSAGE", Work(), "OPEN"),
            # A closed turn has ways out.
            ("CLOSED", "WORK_ISSUED", Work(1), "HANDOFF_PENDING"),
            ("CLOSED", "STOP_REJECTED", Work(), "OPEN"),
            # A stop with work under way is a pause.
            ("EXECUTION_ACTIVE", "STOP_ALLOWED", Work(0, 1), "EXECUTION_ACTIVE"),
            ("HANDOFF_PENDING", "STOP_ALLOWED", Work(1), "HANDOFF_PENDING"),
            # All work finished well, with one child of two.
            ("EXECUTION_ACTIVE", "WORK_FINISHED", Work(0, 1), "EXECUTION_ACTIVE"),
            ("EXECUTION_ACTIVE", "WORK_FINISHED", Work(), "REVIEWING"),
            # The dead are never waited for.
            ("EXECUTION_ACTIVE", "WORK_TIMED_OUT", Work(0, 0, 2), "RECOVERY_REQUIRED"),
            ("HANDOFF_PENDING", "WORK_TIMED_OUT", Work(0, 0, 1), "RECOVERY_REQUIRED"),
            ("RECOVERY_REQUIRED", "WORK_ISSUED", Work(1), "HANDOFF_PENDING"),
            ("RECOVERY_REQUIRED", "STOP_ALLOWED", Work(0, 0, 1), "CLOSED"),
        ],
    )
    def test_is_decided_here(self, state: str, event: str, work: Work, expected: str) -> None:
        """The cells in question, one by one."""
        assert after(state, event, work) == expected


def cases(states: tuple[str, ...], events: tuple[str, ...]) -> Iterator[tuple[str, str, Work]]:
    """Return every combination with every kind of work: 0 or 1 of each stands for all counts."""
    works = [Work(*counts) for counts in product((0, 1), repeat=3)]
    return product(states, events, works)


class TestLaws:
    """For every cell that they speak of; together they speak of all."""

    def test_what_comes_late_moves_nothing(self) -> None:
        """A turn without open work has heard all that its work could say."""
        for state, event, work in cases(RESTING, LATE):
            assert after(state, event, work) == state, (state, event)

    def test_a_working_turn_follows_its_work(self) -> None:
        """Whatever starts or ends work is answered by what the work is doing now."""
        for state, event, work in cases(WORKING, ENDS):
            assert after(state, event, work) == settled(work), (state, event)

    def test_a_working_turn_waits_through_the_rest(self) -> None:
        """Messages, denials, pauses and stops do not end what is under way."""
        rest = tuple({*TABLE} - {*ENDS, "TURN_EXPIRED"})
        for state, event, work in cases(WORKING, rest):
            assert after(state, event, work) == state, (state, event)

    def test_issued_work_is_waited_for_from_everywhere(self) -> None:
        """Also in a closed turn, and after failures."""
        for state, event, work in cases(STATES, ("WORK_ISSUED",)):
            assert after(state, event, work) == settled(work), state

    def test_an_expired_turn_is_closed(self) -> None:
        """Whatever it was."""
        for state, event, work in cases(STATES, ("TURN_EXPIRED",)):
            assert after(state, event, work) == "CLOSED", state

    @pytest.mark.parametrize(
        ("event", "ways"),
        [
            ("USER_MESSAGE", ("OPEN", "OPEN", "RECOVERY_REQUIRED", "OPEN")),
            ("STOP_REJECTED", ("OPEN", "REVIEWING", "RECOVERY_REQUIRED", "OPEN")),
            ("STOP_ALLOWED", ("CLOSED", "CLOSED", "CLOSED", "CLOSED")),
        ],
    )
    def test_messages_and_stops_move_a_turn_at_rest(
        self, event: str, ways: tuple[str, ...]
    ) -> None:
        """The user and the agent move it, not its work."""
        for state, _, work in cases(RESTING, (event,)):
            assert after(state, event, work) == ways[RESTING.index(state)], state

    def test_dispatching_answers_the_dead_and_so_does_the_end(self) -> None:
        """Issued work, an expired turn and a stop that closes leave no failure open."""
        for state, event, work in cases(STATES, tuple(TABLE)):
            found = after(state, event, work)
            ends = event == "STOP_ALLOWED" and found == "CLOSED"
            assert answers(event, found) == (event in ("WORK_ISSUED", "TURN_EXPIRED") or ends)


class TestThePathsOfAnItem:
    def test_success_comes_from_active_only(self) -> None:
        """Nothing that waits, is unclaimed or has ended can finish well."""
        assert {old for old, new in PATHS if new == "TERMINATED"} == {"ACTIVE"}

    def test_an_ended_item_goes_nowhere(self) -> None:
        """No path leaves TERMINATED, FAILED or TIMED_OUT."""
        assert {old for old, _ in PATHS} == set(OPEN_STATUSES)

    @pytest.mark.parametrize("status", OPEN_STATUSES)
    def test_every_open_item_can_die(self, status: str) -> None:
        """Whatever waits can fail and time out, so nobody waits for ever."""
        assert {(status, dead) for dead in DEAD_STATUSES} <= PATHS

    def test_nothing_becomes_issued(self) -> None:
        """A status is never set back to the start."""
        assert "ISSUED" not in {new for _, new in PATHS}
