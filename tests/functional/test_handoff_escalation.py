"""What follows on failures: of a whole task, and of one command after another."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

TASK = "Rename the function total in app.py to sum_up, and run the tests."
AGAIN = "Try once more to rename function total to sum_up in app.py; the tests must run."
FAILED = {
    "status": "failed",
    "summary": "The tests fail.",
    "files_modified": [],
    "verify_cmd": "",
    "failure_kind": "test",
    "failing_command": "pytest",
    "exit_code": 1,
    "diagnostic": "ImportError: sum_up",
}


def spawned(guarded: Guarded, parent: Conversation, task: str, model: str = "") -> Any:
    entry = {"TypeName": "self", "Role": "executor", "Prompt": task}
    return guarded.spawn(parent, {**entry, "Model": model} if model else entry)


def started(guarded: Guarded, parent: Conversation, task: str, model: str = "") -> Conversation:
    answer = spawned(guarded, parent, task, model)
    child = guarded.child(parent, answer.prompts[0])
    parent.spawned(child)
    guarded.view(child)
    child.result("VIEW_FILE", "x")
    return child


@pytest.fixture
def failed(guarded: Guarded) -> Conversation:
    """A primary whose flash child has reported a failure."""
    parent = guarded.primary()
    child = started(guarded, parent, TASK, "flash")
    assert guarded.stop(child, json.dumps(FAILED)).decision == ""
    return parent


def test_the_same_task_on_the_same_tier_is_advised_against(
    guarded: Guarded, failed: Conversation
) -> None:
    """By default the spawn goes on, with the advice in its reason and in the ledger."""
    answer = spawned(guarded, failed, AGAIN, "flash")
    assert answer.decision == "allow"
    assert "this task failed before (executor (step 2): The tests fail.)" in answer.reason
    assert "Model 'pro'" in answer.reason


def test_a_demand_denies_it_until_the_primary_escalates(
    guarded: Guarded, failed: Conversation
) -> None:
    """On the same or a lower tier, or on one that nobody knows."""
    guarded.configure('[escalation]\nmode = "enforce"\n')
    assert [
        spawned(guarded, failed, AGAIN, one).decision for one in ("flash", "flash_lite", "")
    ] == ["deny"] * 3
    assert spawned(guarded, failed, "Write the changelog of version two.", "flash").reason == ""
    assert spawned(guarded, failed, AGAIN, "pro").reason == ""
    assert spawned(guarded, failed, AGAIN, "flash").decision == "allow"


def test_the_primary_is_reminded_to_escalate(guarded: Guarded, failed: Conversation) -> None:
    """Where the host calls a hook before the model."""
    payload = {"invocationNum": 3, "initialNumSteps": 9, **failed.common()}
    (step,) = guarded.fire("PreInvocation", payload).answer["injectSteps"]
    text = step["systemMessage"]["systemMessage"]
    assert "executor (step 2) has failed" in text
    assert "escalate it with Model 'pro'" in text
    assert guarded.fire("PreInvocation", {**payload, "initialNumSteps": 12}).answer == {}


def test_a_switched_off_escalation_says_nothing(guarded: Guarded, failed: Conversation) -> None:
    """The failure itself is still told."""
    guarded.configure('[escalation]\nmode = "off"\n')
    assert spawned(guarded, failed, AGAIN, "flash").reason == ""


class Worker:
    """A worker whose commands end as it is told."""

    def __init__(self, guarded: Guarded) -> None:
        self.guarded = guarded
        self.who = started(guarded, guarded.primary(), TASK)

    def runs(self, *codes: int) -> None:
        for code in codes:
            assert self.guarded.run(self.who, "pytest -q").decision == "allow"
            self.who.result("RUN_COMMAND", f"The command exited with code {code}.\nOutput: x")

    def fails_by_hook(self) -> None:
        """PostToolUse says that a command failed, and the transcript does not say how it ended."""
        payload = self.who.calls("run_command", {"CommandLine": "make", "Cwd": "/w"})
        self.guarded.fire("PreToolUse", payload)
        self.guarded.fire("PostToolUse", {**payload, "error": "exit status 2"})
        self.who.result("RUN_COMMAND", "Output: x")

    def edits(self) -> Any:
        return self.guarded.write(self.who, f"{self.guarded.workspace}/app.py")

    def told(self) -> str:
        payload = {"invocationNum": 1, "initialNumSteps": self.who.step + 1, **self.who.common()}
        steps = self.guarded.fire("PreInvocation", payload).answer.get("injectSteps", ())
        return "\n".join(step["systemMessage"]["systemMessage"] for step in steps)


@pytest.fixture
def worker(guarded: Guarded) -> Worker:
    return Worker(guarded)


def test_a_worker_is_told_to_halt_after_three_failures_in_a_row(worker: Worker) -> None:
    """Once for each failure from then on, with its report to fill in."""
    worker.runs(1, 1)
    assert worker.told() == ""
    worker.runs(2)
    told = worker.told()
    assert "3 of your commands failed in a row, the last one 'pytest -q' (exit status 2)" in told
    assert '"failing_command": "pytest -q", "exit_code": 2' in told
    worker.who.says("I see.")
    assert worker.told() == ""
    worker.runs(1)
    assert "4 of your commands" in worker.told()


def test_a_success_begins_anew(worker: Worker) -> None:
    """Only failures in a row count."""
    worker.runs(1, 1, 0, 1, 1)
    assert worker.told() == ""


def test_what_the_host_says_after_a_tool_counts(worker: Worker) -> None:
    """Some hosts fill PostToolUse's error."""
    worker.runs(1, 1)
    worker.fails_by_hook()
    assert "3 of your commands failed" in worker.told()


def test_a_demand_refuses_further_edits(worker: Worker) -> None:
    """The worker may run and report; a success gives it its edits back."""
    worker.guarded.configure('[escalation]\nmode = "enforce"\n')
    worker.runs(1, 1)
    assert worker.edits().decision == "allow"
    worker.who.result("CODE_ACTION", "Created file.")
    worker.runs(1)
    refused = worker.edits()
    assert refused.decision == "deny"
    assert "halt, and report" in refused.reason
    worker.who.result("ERROR_MESSAGE", refused.reason)
    worker.runs(0)
    assert worker.edits().decision == "allow"


def test_the_default_model_is_set_only_if_the_user_asks(guarded: Guarded) -> None:
    """And never in the place of one that the primary has named."""
    parent = guarded.primary()
    (bare,) = spawned(guarded, parent, "One.").answer["overwrite"]["Subagents"]
    assert "Model" not in bare

    guarded.configure('[tiers]\ndefault = "flash"\n')
    (one,) = spawned(guarded, parent, "Two.").answer["overwrite"]["Subagents"]
    (other,) = spawned(guarded, parent, "Three.", "pro").answer["overwrite"]["Subagents"]
    assert (one["Model"], other["Model"]) == ("flash", "pro")


def test_a_tier_that_only_reads_is_read_only_also_by_default(guarded: Guarded) -> None:
    """Even where the host drops the overwrite: the right stands with the task."""
    guarded.configure('[tiers]\ndefault = "flash_lite"\n')
    child = started(guarded, guarded.primary(), "Look around.")
    answer = guarded.write(child, f"{guarded.workspace}/app.py")
    assert answer.decision == "deny"
    assert "read-only" in answer.reason
    report = '{"status": "completed", "summary": "There are two files."}'
    assert guarded.stop(child, report).decision == ""
