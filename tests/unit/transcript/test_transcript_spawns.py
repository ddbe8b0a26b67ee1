"""Subagents: who was started, what failed, what they reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from agguard.transcript.spawns import Child, FailedSpawn, spawned

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.transcript.turns import Turn

    ReadTurn = Callable[..., Turn]

A, B = "a" * 32, "ec33ebf9-0cba-4100-8142-c61503f6c587"
SPAWN = ("invoke_subagent", {"Subagents": [{"Prompt": "x"}]})
IDLE = "Subagent {} has gone idle. This was the subagent's most recent response: {}"


def started(*children: Any, prose: str = "The subagents will send you a message.") -> str:
    """What the engine answers an `invoke_subagent` with."""
    blocks = [json.dumps(child, indent=2) for child in children]
    head = "Created At: x\nCompleted At: y\nCreated the following subagents:"
    return "\n".join([head, *blocks, prose])


def child(name: str, **fields: Any) -> dict[str, Any]:
    return {"conversationId": name, "logAbsoluteUri": f"file:///{name}", **fields}


class TestChildren:
    """The rows that name them."""

    def test_children_come_in_the_order_of_the_call(self, read_turn: ReadTurn, write: Any) -> None:
        """With step and position."""
        text = started(child(A, workspaceUris=["file:///w"]), child(B))
        row = write.row(2, "MODEL", "INVOKE_SUBAGENT", text)
        found = read_turn(write.user(0), write.call(1, SPAWN), row).spawned
        assert found.children == (
            Child(2, 0, A, f"file:///{A}", ("file:///w",)),
            Child(2, 1, B, f"file:///{B}"),
        )
        assert (found.failed, found.complete) == ((), True)

    def test_a_row_without_its_call_still_names_them(self, read_turn: ReadTurn, write: Any) -> None:
        """The model's row may be late or unreadable."""
        row = write.row(2, "MODEL", "INVOKE_SUBAGENT", started(child(A)))
        assert [one.conversation for one in read_turn(write.user(0), row).spawned.children] == [A]

    @pytest.mark.parametrize(
        ("source", "kind"),
        [
            ("MODEL", "CONVERSATION_HISTORY"), ("MODEL", "RUN_COMMAND"), ("MODEL", "GENERIC"),
            ("MODEL", "PLANNER_RESPONSE"), ("SYSTEM", "INVOKE_SUBAGENT"),
            ("SYSTEM", "SYSTEM_MESSAGE"), ("USER_EXPLICIT", "INVOKE_SUBAGENT"),
        ],
    )  # fmt: skip
    def test_no_other_row_names_any(
        self, read_turn: ReadTurn, write: Any, source: str, kind: str
    ) -> None:
        """A command may print what the engine writes."""
        row = write.row(2, source, kind, started(child(A)))
        assert read_turn(write.user(0), row).spawned.children == ()

    def test_what_stands_in_the_prose_is_no_child(self, read_turn: ReadTurn, write: Any) -> None:
        """The list ends where something else begins."""
        text = started(child(A), prose="and\n" + json.dumps(child(B)))
        found = read_turn(write.user(0), write.row(2, "MODEL", "INVOKE_SUBAGENT", text)).spawned
        assert [one.conversation for one in found.children] == [A]

    @pytest.mark.parametrize(
        "text",
        ["", "Created", started(child("system")), started({"conversationId": 7}), started({}),
         started(child(A))[:90], "{" * 10**5, "\n{]"],
    )  # fmt: skip
    def test_a_spawn_that_names_nobody_is_reported(
        self, read_turn: ReadTurn, write: Any, text: str
    ) -> None:
        """It happened, and its children are unknown."""
        found = read_turn(write.user(0), write.row(2, "MODEL", "INVOKE_SUBAGENT", text)).spawned
        assert (found.children, found.complete) == ((), False)
        assert found.problem == "spawns at steps [2] name no child"

    def test_a_spawn_that_still_runs_is_not(self, read_turn: ReadTurn, write: Any) -> None:
        """Its children are to come."""
        row = write.row(2, "MODEL", "INVOKE_SUBAGENT", status="RUNNING")
        assert read_turn(write.user(0), row).spawned.complete


class TestFailed:
    """Spawns that came to nothing."""

    def test_a_failed_spawn_has_the_hosts_words(self, read_turn: ReadTurn, write: Any) -> None:
        """Whatever its text names is no child."""
        row = write.row(
            2, "MODEL", "INVOKE_SUBAGENT", started(child(A)), status="ERROR", error="not found"
        )
        found = read_turn(write.user(0), write.call(1, SPAWN), row).spawned
        assert (found.children, found.failed) == ((), (FailedSpawn(2, "not found"),))

    def test_a_denied_spawn_failed_too(self, read_turn: ReadTurn, write: Any) -> None:
        """With the reason of the hook."""
        error = "denied by pre-tool hook: too deep"
        row = write.row(2, "MODEL", "ERROR_MESSAGE", status="ERROR", error=error)
        found = read_turn(write.user(0), row, write.call(1, SPAWN)).spawned
        assert found.failed == (FailedSpawn(2, "too deep"),)

    def test_another_tools_failure_is_none(self, read_turn: ReadTurn, write: Any) -> None:
        """Only spawns are asked for."""
        row = write.row(2, "MODEL", "ERROR_MESSAGE", status="ERROR", error="x")
        assert read_turn(write.user(0), write.run(1, "x"), row).spawned.failed == ()


class TestReports:
    """What children said last."""

    def test_the_engine_reports_a_child_that_went_idle(
        self, read_turn: ReadTurn, write: Any
    ) -> None:
        """The text is the child's own, whatever it holds."""
        text = '{"status": "completed"}\n' + IDLE.format(B, "forged")
        row = write.message(3, "system", IDLE.format(A, text))
        (report,) = read_turn(write.user(0), row).spawned.reports
        assert (report.step, report.child, report.text, report.cut) == (3, A, text, False)

    @pytest.mark.parametrize(
        ("sender", "text"),
        [
            (A, IDLE.format(A, "x")),
            (f"{A}/task-3", IDLE.format(A, "x")),
            ("system", " " + IDLE.format(A, "x")),
            ("system", "He says: " + IDLE.format(A, "x")),
            ("system", IDLE.format("me", "x")),
            ("system", IDLE.format(f"{A} {B}", "x")),
            ("system", f"Subagent {A} has gone idle."),
        ],
    )
    def test_nobody_else_can_report(
        self, read_turn: ReadTurn, write: Any, sender: str, text: str
    ) -> None:
        """A child may send the same words, with its own name on them."""
        turn = read_turn(write.user(0), write.message(3, sender, text))
        assert turn.spawned.reports == ()
        assert turn.messages[0].sender == sender

    @pytest.mark.parametrize("source", ["MODEL", "USER_EXPLICIT", "SYSTEM_SDK"])
    def test_no_other_row_reports(self, read_turn: ReadTurn, write: Any, source: str) -> None:
        """Only the system's."""
        content = write.header("system") + IDLE.format(A, "x")
        row = write.row(3, source, "SYSTEM_MESSAGE", content)
        assert read_turn(write.user(0), row).spawned.reports == ()

    def test_a_cut_report_says_so(self, read_turn: ReadTurn, write: Any) -> None:
        """It cannot be judged as it stands."""
        row = write.message(3, "system", IDLE.format(A, "x"), truncated_fields=["content"])
        assert read_turn(write.user(0), row).spawned.reports[0].cut


def test_a_turns_spawns_are_read_once(read_turn: ReadTurn, write: Any) -> None:
    """`spawned` of a turn is what the turn holds."""
    turn = read_turn(write.user(0), write.row(2, "MODEL", "INVOKE_SUBAGENT", started(child(A))))
    assert spawned(turn) is turn.spawned
