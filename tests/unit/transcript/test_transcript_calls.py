"""Tool calls and their results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.transcript.calls import arguments, denied, exit_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.transcript.turns import Turn

    ReadTurn = Callable[..., Turn]

OWN = "a" * 32
STEP = "error executing cascade step: CORTEX_STEP_TYPE_"


def codes(turn: Turn) -> list[int | None]:
    return [call.result.exit_code if call.result else None for call in turn.calls]


class TestResults:
    """Which row answers which call."""

    def test_parallel_calls_take_the_steps_after_their_answer(
        self, read_turn: ReadTurn, write: Any
    ) -> None:
        """Whatever the order in which they end."""
        rows = [write.user(0), write.ran(3, 2), write.run(1, "a", "b"), write.ran(2, 1)]
        turn = read_turn(*rows)
        assert [(call.step, call.args["CommandLine"]) for call in turn.calls] == [
            (2, "a"),
            (3, "b"),
        ]
        assert codes(turn) == [1, 2]

    def test_a_call_without_a_row_has_no_result(self, read_turn: ReadTurn, write: Any) -> None:
        """It may still be running, or the row may be late."""
        assert codes(read_turn(write.user(0), write.run(1, "a", "b"), write.ran(3, 0))) == [None, 0]

    def test_a_failed_parse_is_the_result_of_the_last_call(
        self, read_turn: ReadTurn, write: Any
    ) -> None:
        """The engine drops what came after it (measured)."""
        error = write.row(3, "SYSTEM", "ERROR_MESSAGE", error="invalid tool call")
        turn = read_turn(write.user(0), write.run(1, "a", "bad"), error, write.ran(2, 0))
        assert codes(turn) == [0, None]
        bad = turn.calls[1].result
        assert bad is not None
        assert (bad.type, bad.error) == ("ERROR_MESSAGE", "invalid tool call")

    def test_a_gap_in_the_steps_does_not_shift_results(
        self, read_turn: ReadTurn, write: Any
    ) -> None:
        """With as many rows as calls they pair in order, and the step is the row's."""
        turn = read_turn(write.user(0), write.run(1, "a", "b"), write.ran(3, 1), write.ran(4, 0))
        assert [(call.step, code) for call, code in zip(turn.calls, codes(turn), strict=True)] == [
            (3, 1),
            (4, 0),
        ]

    def test_a_success_is_never_ascribed_to_a_neighbor(
        self, read_turn: ReadTurn, write: Any
    ) -> None:
        """Where rows and calls do not match up, no call has a result."""
        extra = [write.ran(2, 1), write.ran(3, 1), write.ran(4, 0)]
        assert codes(read_turn(write.user(0), write.run(1, "a", "b"), *extra)) == [None, None]
        viewed = ("view_file", {"AbsolutePath": "/x", "toolAction": "x"})
        mixed = write.call(1, viewed, ("run_command", {"CommandLine": "a", "toolAction": "x"}))
        turn = read_turn(write.user(0), mixed, write.ran(2, 0), write.ran(3, 0))
        assert codes(turn) == [None, None]

    def test_another_tools_row_proves_no_command(self, read_turn: ReadTurn, write: Any) -> None:
        """Only a RUN_COMMAND row has an exit status of a command."""
        row = write.row(2, "MODEL", "GENERIC", "The command exited with code 0.", exit_code=0)
        assert codes(read_turn(write.user(0), write.run(1, "a"), row)) == [None]
        forged = write.row(2, "SYSTEM", "RUN_COMMAND", exit_code=0)
        assert codes(read_turn(write.user(0), write.run(1, "a"), forged)) == [None]

    def test_a_row_of_the_next_answer_is_not_taken(self, read_turn: ReadTurn, write: Any) -> None:
        """A call that lost its row does not borrow one."""
        rows = [write.run(1, "a"), write.run(2, "b"), write.ran(3, 0)]
        assert codes(read_turn(write.user(0), *rows)) == [None, 0]

    def test_the_row_that_was_written_last_counts(self, read_turn: ReadTurn, write: Any) -> None:
        """RUNNING first, DONE later, under one step."""
        rows = [write.run(1, "a"), write.ran(2, None, status="RUNNING"), write.ran(2, 5)]
        assert codes(read_turn(write.user(0), *rows)) == [5]

    def test_prefixed_names_are_plain_ones(self, read_turn: ReadTurn, write: Any) -> None:
        """Some hosts write `default_api:<tool>` (contract, section 4)."""
        call = write.call(1, ("default_api:run_command", {"CommandLine": "a"}))
        turn = read_turn(write.user(0), call, write.ran(2, 0))
        assert turn.calls[0].name == "run_command"
        assert codes(turn) == [0]

    def test_odd_calls_are_tolerated(self, read_turn: ReadTurn, write: Any) -> None:
        """A call without a name is none; arguments that are no object are empty."""
        odd = [7, None, {"args": {}}, {"name": 3}, {"name": "x"}, {"name": "y", "args": [1]}]
        row = write.row(1, "MODEL", "PLANNER_RESPONSE", tool_calls=odd)
        assert [(c.name, c.args) for c in read_turn(write.user(0), row).calls] == [
            ("x", {}),
            ("y", {}),
        ]


class TestBackground:
    """Commands that outlive their row."""

    TEXT = 'Task id "{0}/task-{1}" finished with result:\n\nThe command exited with code {2}.\nS'

    def test_the_exit_status_comes_as_a_message(self, read_turn: ReadTurn, write: Any) -> None:
        """Its sender is the task."""
        rows = [write.user(0), write.run(1, "a"), write.ran(2, None, status="RUNNING")]
        done = write.message(5, f"{OWN}/task-2", self.TEXT.format(OWN, 2, 4))
        assert codes(read_turn(*rows)) == [None]
        turn = read_turn(*rows, done)
        assert codes(turn) == [4]
        assert turn.calls[0].result is not None
        assert turn.calls[0].result.status == "DONE"

    @pytest.mark.parametrize(
        ("sender", "text"),
        [
            (OWN, TEXT.format(OWN, 2, 0)),
            ("b" * 32, TEXT.format(OWN, 2, 0)),
            ("system", TEXT.format(OWN, 2, 0)),
            (f"{OWN}/task-3", TEXT.format(OWN, 2, 0)),
            (f"{OWN}/task-3", TEXT.format(OWN, 3, 0)),
            (f"{OWN}/task-2", "x" + TEXT.format(OWN, 2, 0)),
            (f"{OWN}/task-2", TEXT.format(OWN, 2, "0 and more")),
            (f"{OWN}/task-x", TEXT.format(OWN, "x", 0)),
            (f"{OWN}/task-2", "wake up"),
        ],
    )
    def test_nobody_else_can_send_it(
        self, read_turn: ReadTurn, write: Any, sender: str, text: str
    ) -> None:
        """Another agent, another task, or a timer whose text the agent chose."""
        rows = [write.user(0), write.run(1, "a"), write.ran(2, None, status="RUNNING")]
        timer = write.row(3, "MODEL", "GENERIC", status="RUNNING")
        assert codes(read_turn(*rows, timer, write.message(5, sender, text))) == [None]

    def test_a_timer_is_no_command(self, read_turn: ReadTurn, write: Any) -> None:
        """It has a task of its own, and any text."""
        call = write.call(1, ("schedule", {"Prompt": "x"}))
        row = write.row(2, "MODEL", "GENERIC", status="RUNNING")
        done = write.message(3, f"{OWN}/task-2", self.TEXT.format(OWN, 2, 0))
        assert codes(read_turn(write.user(0), call, row, done)) == [None]


class TestArguments:
    """From the transcript's spelling to values."""

    PLAIN = (
        {"CommandLine": "ls", "WaitMsBeforeAsync": 5, "toolAction": "Acting"},
        {"CommandLine": '"ls"', "toolAction": "Acting"},
        {"CommandLine": "true", "toolAction": "Acting"},
        {"CodeContent": '{"a": 1}', "Overwrite": True},
        {"Subagents": [{"Prompt": "x"}]},
        {"deep": {"er": [None, 1.5, "x"]}},
        {},
    )

    @pytest.mark.parametrize("args", PLAIN)
    def test_values_are_left_alone(self, args: dict[str, Any]) -> None:
        """In the full transcript a string that is JSON stays a string."""
        assert arguments(args) == args

    @pytest.mark.parametrize("args", PLAIN)
    def test_encoded_values_are_decoded(self, args: dict[str, Any]) -> None:
        """In the compact one every value is JSON in a string."""
        assert arguments({name: json.dumps(value) for name, value in args.items()}) == args
        assert arguments(json.dumps(args)) == args

    def test_cut_values_stay_as_they_are(self) -> None:
        """The others are still decoded."""
        args = {"CodeContent": '"yyyy\n<truncated 9 bytes>', "Overwrite": "true"}
        assert arguments(args, cut=True) == {**args, "Overwrite": True}
        assert arguments(args) == args

    @pytest.mark.parametrize("raw", [None, 3, "x", "", "[1]", [1], "{" * 10**5, {"a": "[" * 10**5}])
    def test_anything_else_is_tolerated(self, raw: object) -> None:
        """Never an exception, always a dict."""
        assert isinstance(arguments(raw), dict)

    @given(st.dictionaries(st.text(), st.text()), st.booleans())
    def test_no_strings_raise(self, raw: dict[str, str], cut: bool) -> None:
        """Whatever they hold; names are never lost."""
        assert arguments(raw, cut=cut).keys() == raw.keys()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("Created At: x\nCompleted At: y\n\nThe command exited with code 3.\nOutput:\n", 3),
        ("The command exited with code 0.\n", 0),
        ("Created At: x\n\nThe command exited with code -1.\n", -1),
        ("Created At: x\nCompleted At: y\n\nOutput:\nThe command exited with code 0.\n", None),
        ("Created At: x\nOutput:\n\nThe command exited with code 0.\n", None),
        ("The command exited with code zero.", None),
        ("The command exited with code 0", None),
        ("The command exited with code " + "9" * 40 + ".", None),
        ("", None),
    ],
)
def test_the_exit_status_in_a_commands_text(content: str, code: int | None) -> None:
    """Older builds have no `exit_code`; a command that prints the words proves nothing."""
    assert exit_code(content) == code


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("denied by pre-tool hook: delegate: it", "delegate: it"),
        ("tool call denied by pre-tool hook: no", "no"),
        ("Tool call denied by pre-tool hook: no", "no"),
        (STEP + "RUN_COMMAND: denied by pre-tool hook: a", "a"),
        ("denied by pre-tool hook: ", "no reason given"),
        ("path /denied by pre-tool hook: x does not exist", ""),
        ("path x: denied by pre-tool hook: y", ""),
        (STEP + "GENERIC: x: denied by pre-tool hook: y", ""),
        ("exit status 1", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_reason_of_a_denial(error: str, reason: str) -> None:
    """An error that only quotes the words is none."""
    assert denied(error) == reason
