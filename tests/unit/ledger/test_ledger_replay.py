"""The replay finds what was tampered with, and nothing in what was not."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agguard.ledger.fsm import Work, after
from agguard.ledger.records import Event, Turn
from agguard.ledger.replay import LEADS_TO, disagreements

from .ledger_scene import task

P, E, R = "HANDOFF_PENDING", "EXECUTION_ACTIVE", "RECOVERY_REQUIRED"


def event(
    seq: int, type_: str, states: tuple[str, str], path: str = "", work: str = "000"
) -> Event:
    """Return an event of `boss`; `path` is item, old and new status, `work` the three counts."""
    item, old, new = path.split(">") if path else ("", "", "")
    return Event(
        seq,
        float(seq),
        "boss",
        1,
        type_,
        *states,
        item=item,
        from_status=old,
        to_status=new,
        pending=int(work[0]),
        running=int(work[1]),
        dead=int(work[2]),
    )


HISTORY = (
    event(1, "USER_MESSAGE", ("CLOSED", "OPEN")),
    event(2, "WORK_ISSUED", ("OPEN", P), "a>>ISSUED", "100"),
    event(3, "WORK_ISSUED", (P, P), "b>>ISSUED", "200"),
    event(4, "HANDOFF_ACCEPTED", (P, P), "a>ISSUED>ISSUED", "110"),
    event(5, "HANDOFF_FAILED", (P, E), "b>ISSUED>FAILED", "011"),
    event(6, "WORK_CLAIMED", (E, E), "a>ISSUED>ACTIVE", "011"),
    event(7, "TOOL_DENIED", (E, E), "", "011"),
    event(8, "WORK_WAITING", (E, E), "a>ACTIVE>WAITING", "011"),
    event(9, "WORK_SWEPT", (E, E), "a>WAITING>TIMED_OUT", "002"),
    event(10, "WORK_TIMED_OUT", (E, R), "", "002"),
    event(11, "STOP_ALLOWED", (R, "CLOSED")),
    event(12, "USER_MESSAGE", ("CLOSED", "OPEN")),
    event(13, "WORK_ISSUED", ("OPEN", P), "c>>ISSUED", "100"),
)
TURN = Turn("boss", 1, P)
ITEMS = {
    "a": task("a", status="TIMED_OUT"),
    "b": task("b", status="FAILED"),
    "c": task("c", status="ISSUED"),
}

tampered = st.sampled_from(
    [
        *(("type", value) for value in ("USER_MESSAGE", "WORK_FINISHED", "STOP_ALLOWED")),
        *(("after", value) for value in ("OPEN", P, E, R, "CLOSED", "REVIEWING")),
        *(("before", value) for value in ("OPEN", P, E, R, "CLOSED", "REVIEWING")),
        *(("from_status", value) for value in ("", "ISSUED", "ACTIVE", "TERMINATED")),
        *(("to_status", value) for value in ("", "ISSUED", "ACTIVE", "TERMINATED")),
        *((field, value) for field in ("pending", "running", "dead") for value in range(4)),
        *(("item", value) for value in ("", "a", "b", "c", "d")),
        *(("conversation", value) for value in ("other",)),
    ]
)


def test_a_true_history_agrees() -> None:
    """Nothing is reported where nothing is wrong."""
    assert list(disagreements(HISTORY, [TURN], ITEMS)) == []


@pytest.mark.parametrize("first", range(1, len(HISTORY)))
def test_the_rest_of_a_true_history_agrees(first: int) -> None:
    """Retention deletes the oldest events; what is left is no disagreement."""
    assert list(disagreements(HISTORY[first:], [TURN], ITEMS)) == []


def test_what_is_over_may_be_forgotten() -> None:
    """Ended items go before their events do."""
    assert list(disagreements(HISTORY, [TURN], {"c": ITEMS["c"]})) == []


def means_the_same(one: Event, other: Event) -> bool:
    """Whether two events without an item do the same in the same state."""
    if one.replace(type=other.type) != other or one.item:
        return False
    work = Work(one.pending, one.running, one.dead)
    return other.type not in LEADS_TO and after(one.before, other.type, work) == one.after


@given(st.integers(0, len(HISTORY) - 1), tampered)
def test_a_changed_event_is_found(place: int, change: tuple[str, object]) -> None:
    """Whichever field of whichever event is changed, something does not agree."""
    field, value = change
    true = HISTORY[place]
    false = true.replace(**{field: value})
    assume(false != true and not means_the_same(true, false))
    history = (*HISTORY[:place], false, *HISTORY[place + 1 :])
    assert list(disagreements(history, [TURN], ITEMS))


@pytest.mark.parametrize("place", range(len(HISTORY)))
def test_a_missing_event_is_found(place: int) -> None:
    """A hole is named, and a cut end leaves tables without events; only the start may go."""
    history = (*HISTORY[:place], *HISTORY[place + 1 :])
    found = list(disagreements(history, [TURN], ITEMS))
    assert bool(found) == (place > 0)


@pytest.mark.parametrize(
    ("turns", "items", "words"),
    [
        ([], ITEMS, "conversation 'boss' is CLOSED, its events say HANDOFF_PENDING"),
        ([TURN.replace(state="OPEN")], ITEMS, "conversation 'boss' is OPEN"),
        ([TURN, Turn("ghost", 1, "OPEN")], ITEMS, "conversation 'ghost' is OPEN"),
        ([TURN], {**ITEMS, "a": task("a", status="ACTIVE")}, "item 'a' is ACTIVE"),
        ([TURN], {**ITEMS, "d": task("d")}, "item 'd' is ISSUED without an event"),
        ([TURN], {}, "item 'c' is gone"),
    ],
)
def test_a_changed_table_is_found(turns: list[Turn], items: dict[str, object], words: str) -> None:
    """The message names the row, and what the events say."""
    (found,) = disagreements(HISTORY, turns, items)
    assert words in found


def test_an_empty_ledger_agrees() -> None:
    """No events and no rows are in order; rows without events are not."""
    assert list(disagreements([], [], {})) == []
    assert len(list(disagreements([], [TURN], ITEMS))) == 4
