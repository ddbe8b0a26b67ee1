"""The newest turn of a conversation."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.transcript.reverse import Limits
from agguard.transcript.tail import WINDOW_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.transcript.turns import Turn

    ReadTurn = Callable[..., Turn]

OTHER = "b" * 32


class TestStart:
    """Where the turn begins."""

    def test_the_users_last_message_begins_it(self, read_turn: ReadTurn, write: Any) -> None:
        """Its step, its text and its time."""
        stamp = "1970-01-01T00:01:40Z"
        turn = read_turn(
            write.user(0, "old"), write.say(1, "a"), write.user(2, "new", created_at=stamp),
            write.say(3, "b"),
        )  # fmt: skip
        assert (turn.user_step, turn.user_text, turn.started_at) == (2, "new", 100.0)
        assert turn.complete

    @pytest.mark.parametrize(
        ("source", "kind", "fields"),
        [
            ("SYSTEM", "SYSTEM_MESSAGE", {}),
            ("USER_IMPLICIT", "USER_INPUT", {}),
            ("SYSTEM", "USER_INPUT", {}),
            ("MODEL", "PLANNER_RESPONSE", {}),
            ("USER_EXPLICIT", "USER_INPUT", {"status": "QUEUED"}),
        ],
    )
    def test_nothing_else_begins_one(
        self, read_turn: ReadTurn, write: Any, source: str, kind: str, fields: dict[str, Any]
    ) -> None:
        """Not what agents and the system send, and not what has not reached the agent."""
        turn = read_turn(write.user(0), write.row(1, source, kind, "x", **fields))
        assert turn.user_step == 0

    def test_a_childs_turn_is_all_it_did(self, read_turn: ReadTurn, write: Any) -> None:
        """No user speaks to it; its tasks are messages."""
        turn = read_turn(
            write.message(0, OTHER, "first"), write.say(1, "a"),
            write.message(2, OTHER, "second"), write.run(3, "x"), write.ran(4, 0),
        )  # fmt: skip
        assert (turn.user_step, turn.user_text, turn.started_at) == (None, "", None)
        assert [(one.step, one.text) for one in turn.messages] == [(0, "first"), (2, "second")]
        assert turn.complete
        assert len(turn.calls) == 1

    def test_rows_of_the_turn_before_are_left_out(self, read_turn: ReadTurn, write: Any) -> None:
        """Even when they were written after the user's message."""
        turn = read_turn(
            write.user(0), write.run(1, "old"), write.user(3), write.ran(2, 1), write.run(4, "new")
        )
        assert [call.args["CommandLine"] for call in turn.calls] == ["new"]

    def test_rows_of_the_turn_count_wherever_they_stand(
        self, read_turn: ReadTurn, write: Any
    ) -> None:
        """A row written before the user's message has a higher step and belongs to it."""
        turn = read_turn(
            write.user(0), write.say(1, "a"), write.ran(4, 7), write.user(2), write.run(3, "x")
        )
        assert turn.user_step == 2
        assert turn.calls[0].result is not None
        assert turn.calls[0].result.exit_code == 7

    def test_a_row_of_another_numbering_does_not_count(
        self, read_turn: ReadTurn, write: Any
    ) -> None:
        """A step far above all later ones belongs to something that was rewritten."""
        turn = read_turn(
            write.user(900, "ancient"), write.say(901, "old"), write.user(0, "new"),
            write.say(1, "done"),
        )  # fmt: skip
        assert (turn.user_step, turn.user_text, turn.last_message) == (0, "new", "done")

    def test_the_window_has_an_end(self, read_turn: ReadTurn, write: Any) -> None:
        """What stands further before the user's message is not read."""
        late = write.say(3, "late")
        filler = [write.say(0, "x")] * (WINDOW_ROWS - 1)
        assert read_turn(late, *filler, write.user(1), write.say(2, "a")).last_message == "late"
        assert read_turn(late, *filler, filler[0], write.user(1), write.say(2, "a")).last_step == 2


class TestMessage:
    """What the model said last."""

    def test_the_last_text_counts(self, read_turn: ReadTurn, write: Any) -> None:
        """Also one that was said on the way to a tool call."""
        turn = read_turn(
            write.user(0), write.say(1, "a"), write.say(2, "on my way", tool_calls=[{"name": "x"}]),
            write.say(3, "  \n"),
        )  # fmt: skip
        assert (turn.last_message, turn.last_message_step) == ("on my way", 2)

    def test_only_the_models_own_text_counts(self, read_turn: ReadTurn, write: Any) -> None:
        """Tool results, errors and messages are none of it."""
        turn = read_turn(
            write.user(0), write.row(1, "MODEL", "VIEW_FILE", "Summary of skills used: all"),
            write.message(2, "system", "x"), write.row(3, "SYSTEM", "ERROR_MESSAGE", "x"),
        )  # fmt: skip
        assert (turn.last_message, turn.last_message_step) == (None, None)

    def test_the_turn_before_is_not_asked(self, read_turn: ReadTurn, write: Any) -> None:
        """Its closing message says nothing about this one."""
        assert read_turn(write.user(0), write.say(1, "old"), write.user(2)).last_message is None

    def test_the_highest_step_is_the_last(self, read_turn: ReadTurn, write: Any) -> None:
        """Not the last line."""
        assert read_turn(write.user(0), write.say(4, "b"), write.say(2, "a")).last_message == "b"

    def test_a_cut_text_says_so(self, read_turn: ReadTurn, write: Any) -> None:
        """What is missing in it may have been there."""
        row = write.say(1, "x", truncated_fields=["content"])
        assert read_turn(write.user(0), row).last_message_cut
        assert not read_turn(write.user(0), write.say(1, "x")).last_message_cut

    @pytest.mark.parametrize(
        ("fields", "content", "answered"),
        [
            ({}, "done", True),
            ({}, " ", False),
            ({"tool_calls": [{"name": "x"}]}, "wait", False),
            ({"status": "GENERATING"}, "do", False),
        ],
    )
    def test_a_closing_message_answers(
        self, read_turn: ReadTurn, write: Any, fields: dict[str, Any], content: str, answered: bool
    ) -> None:
        """Messages that arrive after it change nothing."""
        rows = [write.user(0), write.run(1, "x"), write.ran(2, 0), write.say(3, content, **fields)]
        assert read_turn(*rows).answered is answered
        assert read_turn(*rows, write.message(4, "system", "x")).answered is answered

    def test_a_transcript_that_is_behind_is_not_answered(
        self, read_turn: ReadTurn, write: Any
    ) -> None:
        """The newest thing in it is the user's message, or a result."""
        assert not read_turn(write.user(0), write.say(1, "a"), write.user(2)).answered
        assert not read_turn(write.user(0), write.run(1, "x"), write.ran(2, 0)).answered
        assert not read_turn(b"").answered


class TestLoss:
    """What could not be read is named."""

    def test_nothing_lost(self, read_turn: ReadTurn, write: Any) -> None:
        """CRLF, blank lines, gaps and unknown rows lose nothing."""
        rows = [write.user(0), b"", b"\0\0\0", write.row(1, "NEW", "NEWER"), write.say(2, "a")]
        turn = read_turn(b"\r\n".join(rows))
        assert (turn.complete, turn.problem, turn.last_message) == (True, "", "a")

    def test_the_last_line_is_cut_in_half(self, read_turn: ReadTurn, write: Any) -> None:
        """The rest of the turn is there."""
        turn = read_turn(write.user(0) + b"\n" + write.say(1, "a") + b"\n" + write.say(2, "b")[:-4])
        assert (turn.complete, turn.problem) == (False, "the last line is cut")
        assert turn.last_message == "a"

    def test_a_last_line_without_line_feed_is_whole(self, read_turn: ReadTurn, write: Any) -> None:
        """Only its end is missing."""
        turn = read_turn(write.user(0) + b"\n" + write.say(1, "a"))
        assert (turn.complete, turn.last_message) == (True, "a")

    def test_foreign_lines_are_counted(self, read_turn: ReadTurn, write: Any) -> None:
        """Those of the turn, not those before it."""
        turn = read_turn(b"junk", write.user(0), b"{}", b"junk", write.say(1, "a"))
        assert (turn.complete, turn.problem) == (False, "2 lines are unreadable")
        assert read_turn(b"junk", write.user(0), write.say(1, "a")).complete

    def test_a_huge_line_is_passed_over(self, read_turn: ReadTurn, write: Any) -> None:
        """What stands before and after it is read."""
        huge = write.row(2, "MODEL", "GENERIC", "x" * (5 << 20))
        turn = read_turn(write.user(0), write.say(1, "a"), huge, write.say(3, " "))
        assert (turn.user_step, turn.last_message, turn.last_step) == (0, "a", 3)
        assert turn.problem == "1 line is too long and passed over"
        before = read_turn(huge, write.user(3), write.say(4, "a"))
        assert before.complete

    def test_a_turn_too_long_is_bounded(self, read_turn: ReadTurn, write: Any) -> None:
        """The newest part is there, and the reason why not all."""
        rows = [write.user(0), *(write.say(step, f"{step}") for step in range(1, 50))]
        turn = read_turn(*rows, limits=Limits(rows=10))
        assert (turn.user_step, turn.complete, turn.last_message) == (None, False, "49")
        assert turn.problem == "more than 10 rows"
        many = [write.user(0), *(write.say(step, "x" * 900) for step in range(1, 200))]
        turn = read_turn(*many, limits=Limits(total=20_000))
        assert (turn.user_step, turn.complete) == (None, False)
        assert "bytes were not read" in turn.problem

    def test_the_window_loses_nothing(self, read_turn: ReadTurn, write: Any) -> None:
        """Limits that end within it do not matter."""
        rows = [write.say(step, "x") for step in range(9)]
        turn = read_turn(*rows, write.user(9), write.say(10, "a"), limits=Limits(rows=5))
        assert (turn.user_step, turn.complete) == (9, True)


class TestOrder:
    """Rows come in any order within reason."""

    @given(data=st.data())
    def test_order_in_the_file_never_shows(
        self, data: st.DataObject, read_turn: ReadTurn, write: Any
    ) -> None:
        """Up to the window, any order of a turn's rows gives the same turn."""
        rows = [
            write.run(11, "a", "b"), write.ran(12, 0), write.ran(13, 1),
            write.message(14, "system", "x"), write.say(15, "hm"), write.run(16, "c"),
            write.ran(17, 2), write.say(18, "done"),
        ]  # fmt: skip
        before = [write.say(step, "old") for step in range(1, 5)]
        expected = read_turn(write.user(0), *before, write.user(10), *rows)
        assert expected.answered
        mixed = data.draw(st.permutations([write.user(10), *rows]))
        assert read_turn(write.user(0), *before, *mixed) == expected

    @given(st.lists(st.sampled_from("umcrs"), max_size=40))
    def test_steps_are_sorted_and_within_the_turn(
        self, read_turn: ReadTurn, write: Any, kinds: list[str]
    ) -> None:
        """Whatever the turn consists of."""
        makers = {
            "u": write.user,
            "m": lambda step: write.message(step, OTHER, "x"),
            "c": lambda step: write.run(step, "x"),
            "r": lambda step: write.ran(step, 0),
            "s": lambda step: write.say(step, "x"),
        }
        turn = read_turn(*(makers[kind](step) for step, kind in enumerate(kinds)), b"", b"")
        users = [step for step, kind in enumerate(kinds) if kind == "u"]
        assert turn.user_step == (users[-1] if users else None)
        first = -1 if turn.user_step is None else turn.user_step
        steps = [call.step for call in turn.calls]
        assert all(one < two for one, two in pairwise([first, *steps]))
        results = [call.result for call in turn.calls if call.result]
        assert all(first < result.step < len(kinds) for result in results)


class TestAnyBytes:
    """A transcript may hold anything."""

    @given(st.lists(st.binary(max_size=60) | st.sampled_from([b"\n", b"{", b'"', b"\0"])))
    def test_no_bytes_raise(self, read_turn: ReadTurn, pieces: list[bytes]) -> None:
        """The turn says what it could not read."""
        turn = read_turn(b"".join(pieces))
        assert turn.complete == (not turn.problem)

    @given(data=st.data())
    def test_no_damage_to_a_real_one_raises(
        self, data: st.DataObject, read_turn: ReadTurn, recorded: Callable[..., bytes]
    ) -> None:
        """Bytes put in or cut out anywhere, in each of the recordings."""
        name = data.draw(st.sampled_from(["commands", "denied", "family", "turns", "question"]))
        real = recorded(name, full=data.draw(st.booleans()))
        start = data.draw(st.integers(0, len(real)))
        end = data.draw(st.integers(start, min(len(real), start + 400)))
        turn = read_turn(real[:start] + data.draw(st.binary(max_size=40)) + real[end:])
        assert turn.complete == (not turn.problem)
        assert all(report.child != "f" * 32 for report in turn.spawned.reports)
