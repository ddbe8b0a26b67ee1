"""What is counted in the audit log."""

from __future__ import annotations

import pytest

from agguard.model.effect import Effect
from unit.ledger.ledger_scene import call, opened, primary, stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agguard.ledger.store import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger."""
    ledger = opened(tmp_path)
    ledger.bind(primary())
    yield ledger
    ledger.close()


class TestAnEntry:
    def test_comes_back_as_it_was(self, ledger: Ledger) -> None:
        """Every field is stored, with the number that the ledger gave it."""
        entry = call(step=3, effect=20).replace(
            subject="curl -o x", reasons='[["delegation", "allow", "why"]]', faults="[1]", micros=9
        )
        number = ledger.record(entry)
        assert ledger.entries() == [entry.replace(seq=number)]

    def test_is_kept_beside_another_of_the_same_step(self, ledger: Ledger) -> None:
        """Two denials in one step are two denials."""
        first, second = ledger.record(call("deny")), ledger.record(call("deny"))
        assert second == first + 1
        assert [entry.seq for entry in ledger.entries()] == [second, first]

    def test_is_found_by_its_conversation_time_and_decision(self, ledger: Ledger) -> None:
        """The filters join, newest first, and compare whole names."""
        for at, who, decision in ((1, "a", "deny"), (2, "a", "allow"), (3, "b", "deny")):
            ledger.record(call(decision, who, at=float(at)))
        times = [
            [entry.at for entry in ledger.entries(**given)]
            for given in (
                {},
                {"conversation": "a"},
                {"since": 2.0},
                {"decision": "deny"},
                {"conversation": "a", "decision": "deny"},
                {"limit": 1},
                {"conversation": "%"},
            )
        ]
        assert times == [[3, 2, 1], [2, 1], [3, 2], [3, 1], [1], [3], []]


class TestRejections:
    def test_are_counted_in_a_row(self, ledger: Ledger) -> None:
        """A stop that was let go ends the row."""
        counts = []
        for decision in ("deny", "deny", "allow", "deny"):
            ledger.record(stop(decision))
            counts.append(ledger.rejections("boss", 1))
        assert counts == [1, 2, 0, 1]

    def test_are_counted_for_one_turn_and_one_conversation(self, ledger: Ledger) -> None:
        """A new message starts from nothing; what others do does not matter."""
        ledger.record(stop("deny", turn=1))
        ledger.record(stop("deny", "other", turn=1))
        ledger.record(stop("deny", turn=10))
        assert [ledger.rejections("boss", turn) for turn in (1, 10, 100)] == [1, 1, 0]

    def test_do_not_count_calls_or_forgeries(self, ledger: Ledger) -> None:
        """A denied call is no stop, and a forged stop uses up nothing and resets nothing."""
        ledger.record(stop("deny"))
        ledger.record(call("deny"))
        ledger.record(stop("deny").replace(inert=True))
        ledger.record(stop().replace(inert=True))
        assert ledger.rejections("boss", 1) == 1

    def test_know_the_hosts_word(self, ledger: Ledger) -> None:
        """`continue` is what the host calls a stop that was sent back."""
        ledger.record(stop("continue"))
        assert ledger.rejections("boss", 1) == 1


class TestWork:
    def test_is_joined_over_the_calls_after_a_step(self, ledger: Ledger) -> None:
        """Later calls of this conversation that were not denied."""
        for step, decision, effect in (
            (4, "allow", Effect.EXECUTE),
            (5, "allow", Effect.READ),
            (6, "force_ask", Effect.WRITE),
            (7, "deny", Effect.CONTROL),
        ):
            ledger.record(call(decision, step=step, effect=effect))
        ledger.record(call(conversation="other", step=9, effect=Effect.UNKNOWN))
        ledger.record(call(step=9, effect=Effect.UNKNOWN, inert=True))
        ledger.record(stop().replace(effect=int(Effect.DELEGATE)))
        assert ledger.work_since("boss", 4) == Effect.READ | Effect.WRITE
        assert ledger.work_since("boss", 6) == Effect(0)
        assert ledger.work_since("nobody", 0) == Effect(0)

    def test_of_an_earlier_turn_does_not_count_whatever_its_step(self, ledger: Ledger) -> None:
        """A host that rewrites the transcript may count its steps anew."""
        ledger.record(call(step=50, effect=Effect.WRITE).replace(at=100.0))
        ledger.record(call(step=3, effect=Effect.READ).replace(at=200.0))
        assert ledger.work_since("boss", 2, 150.0) == Effect.READ
        assert ledger.work_since("boss", 2, 100.0) == Effect.READ | Effect.WRITE
