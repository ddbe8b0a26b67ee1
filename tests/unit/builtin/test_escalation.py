"""What follows on a failure: the same task goes up, and a worker that keeps failing halts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.ledger.records import Delivery, Entry, WorkItem
from agguard.model.call import Failed, Failures, Invocation, Spawn, ToolCall
from agguard.model.effect import Effect
from agguard.model.report.reading import Report, read
from agguard.model.session import Role, Session
from agguard.model.verdict import Decision
from agguard.pipeline.failures import counted
from agguard.pipeline.setbacks import recognized
from agguard.pipeline.words import is_same, words
from agguard.transcript.calls import Call, Result
from agguard_builtin.escalation.guard import judge, remind

TASK = "Rename the function total in app.py to sum_up, and run the tests."
AGAIN = "Please rename function total to sum_up in app.py. The tests must pass when you run them."
OTHER = "Write the changelog entry for version two and check its spelling."


def session(mode: str = "advise", role: Role = Role.PRIMARY, **more: Any) -> Session:
    return Session("c", role, settings={"escalation": {"mode": mode, **more}})


def spawning(model: str, former: str | None) -> ToolCall:
    failed = None if former is None else Failed("executor (step 2)", former, "2 tests fail")
    return ToolCall("invoke_subagent", spawns=(Spawn(0, model=model, failed=failed),))


@pytest.mark.parametrize(
    ("former", "model"),
    [
        ("flash", "flash"),
        ("flash", "flash_lite"),
        ("flash", "inherit"),
        ("flash", ""),
        ("", ""),
        ("", "flash"),
        ("inherit", "flash_lite"),
        ("flash_lite", "flash_lite"),
        ("flash_lite", "Flash-Lite"),
        ("Flash", " FLASH "),
        ("pro", "flash"),
        ("pro", "flash_lite"),
        ("pro", "inherit"),
        ("Pro", ""),
    ],
)
def test_a_failed_task_is_not_given_to_the_same_or_a_lower_tier(former: str, model: str) -> None:
    """`advise` says so, `enforce` denies; the way that is open is in the reason."""
    advice = judge(spawning(model, former), Effect.DELEGATE, session())
    denial = judge(spawning(model, former), Effect.DELEGATE, session("enforce"))

    assert advice is not None
    assert denial is not None
    assert (advice.decision, denial.decision) == (Decision.ALLOW, Decision.DENY)
    assert "Model 'pro'" in denial.reason
    assert "2 tests fail" in denial.reason
    assert judge(spawning(model, former), Effect.DELEGATE, session("off")) is None


@pytest.mark.parametrize(
    ("former", "model"),
    [
        (None, "flash"),
        (None, ""),
        ("flash", "pro"),
        ("", "pro"),
        ("flash_lite", "flash"),
        ("pro", "pro"),
        ("Pro", "PRO"),
        ("Flash-Lite", "flash"),
    ],
)
def test_other_tasks_and_higher_tiers_are_left_alone(former: str | None, model: str) -> None:
    """Above `pro` there is nothing, so a task that failed there may be tried there again."""
    assert judge(spawning(model, former), Effect.DELEGATE, session("enforce")) is None


def item(name: str, prompt: str, step: int, **more: Any) -> WorkItem:
    fixed = ("", "boss", step, 0, "d", Role.WORKER, 0, False)
    return WorkItem(name, *fixed, child=name, agent_role="executor", words=words(prompt), **more)


def report(name: str, status: str) -> Delivery:
    return Delivery(
        name, "boss", name, 1.0, "stop", "valid", status, "tests fail", "[]", "{}", name
    )


def repeats(prompt: str, given: list[WorkItem], reports: list[Delivery]) -> Failed | None:
    (found,) = recognized([Spawn(0, prompt=prompt, step=9)], given, reports)
    return found.failed


def test_a_failed_task_is_recognized_in_other_words() -> None:
    """Who ran it, on which tier, and what it said."""
    given = [item("a", TASK, 2, model="flash")]
    failed = Failed("executor (step 2)", "flash", "tests fail")

    assert repeats(TASK, given, [report("a", "failed")]) == failed
    assert repeats(AGAIN, given, [report("a", "failed")]) == failed
    assert repeats(OTHER, given, [report("a", "failed")]) is None
    assert repeats(TASK, given, [report("a", "completed")]) is None
    assert repeats(TASK, given, [report("a", "blocked")]) is None
    assert repeats(TASK, given, []) is None


def test_the_newest_attempt_counts() -> None:
    """One that is under way or went well has dealt with the failure before it."""
    given = [item("a", TASK, 2), item("b", AGAIN, 4, model="pro")]
    failed = report("a", "failed")

    assert repeats(TASK, given, [failed]) is None
    assert repeats(TASK, given, [failed, report("b", "completed")]) is None
    found = repeats(TASK, given, [failed, report("b", "failed")])
    assert found is not None
    assert found.model == "pro"


def test_a_call_that_fires_twice_does_not_repeat_itself() -> None:
    """Items of the very step are this call's own."""
    given = [item("a", TASK, 9)]
    assert repeats(TASK, given, [report("a", "failed")]) is None


@given(prompt=st.text(max_size=300), more=st.text(max_size=50))
def test_words_are_short_and_say_nothing(prompt: str, more: str) -> None:
    """Hexadecimal digits, at most a thousand; a task is the same as itself."""
    found = words(prompt)
    assert len(found) <= 1000
    assert set(found) <= set("0123456789abcdef")
    assert is_same(found, found) == bool(found)
    assert is_same(found, words(more)) == is_same(words(more), found)


def run(step: int, code: int | None, **result: Any) -> Call:
    status = result.pop("status", "DONE")
    found = Result(step, "RUN_COMMAND", status, code, **result)
    return Call("run_command", {"CommandLine": f"make {step}"}, step, found)


def told(*steps: int) -> dict[int, Entry]:
    return {step: Entry(0.0, "c", "PostToolUse", step, tool="run_command") for step in steps}


@pytest.mark.parametrize(
    ("runs", "errors", "count"),
    [
        ([], (), 0),
        ([run(1, 0)], (), 0),
        ([run(1, 1)], (), 1),
        ([run(1, 1), run(3, 2), run(5, 127)], (), 3),
        ([run(1, 1), run(3, 0), run(5, 1)], (), 1),
        ([run(1, 1), run(3, 1), run(5, 0)], (), 0),
        ([run(1, 1), run(3, None), run(5, 1)], (), 1),
        ([run(1, 1), run(3, None), run(5, 1)], (3,), 3),
        ([run(1, 1), run(3, None, status="RUNNING"), run(5, 1)], (), 2),
        ([run(1, 1), run(3, None, denied="no"), run(5, 1)], (), 2),
        ([run(1, 1), Call("run_command", {}, 3), run(5, 1)], (), 2),
        ([run(5, 1), run(1, 0), run(3, 1)], (), 2),
    ],
    ids=str,
)
def test_failures_are_counted_back_to_the_last_success(
    runs: list[Call], errors: tuple[int, ...], count: int
) -> None:
    """An unknown end breaks the row, unless PostToolUse named an error; what runs still waits."""
    assert counted(runs, told(*errors), 0).count == count


def test_the_newest_failure_is_named_and_is_fresh_until_the_model_answers() -> None:
    """So that a worker is reminded once of each."""
    runs = [run(1, 1), run(3, 2)]
    assert counted(runs, {}, 2) == Failures(2, "make 3", 2, is_fresh=True)
    assert counted(runs, {}, 4) == Failures(2, "make 3", 2, is_fresh=False)


THREE = Failures(3, "make test", 2, is_fresh=True)


def test_a_worker_that_keeps_failing_is_told_to_halt_with_its_report_to_fill_in() -> None:
    """The skeleton is a valid report of the failure."""
    found = remind(Invocation(failures=THREE), session(role=Role.WORKER))

    assert found is not None
    assert found.text.startswith("agguard: 3 of your commands failed in a row, the last one 'make")
    skeleton = found.text[found.text.index("{") :]
    assert read(skeleton, "executor").status == "failed"
    assert json.loads(skeleton)["failing_command"] == "make test"
    assert json.loads(skeleton)["exit_code"] == 2


@pytest.mark.parametrize(
    ("failures", "who", "more"),
    [
        (THREE.replace(count=2), Role.WORKER, {}),
        (THREE.replace(is_fresh=False), Role.WORKER, {}),
        (THREE, Role.PRIMARY, {}),
        (THREE, Role.UNKNOWN, {}),
        (THREE, Role.WORKER, {"halt_after": 4}),
    ],
)
def test_nobody_else_is_told_to_halt(failures: Failures, who: Role, more: dict[str, int]) -> None:
    """Below the limit, told before, or no subagent."""
    assert remind(Invocation(failures=failures), session(role=who, **more)) is None


def test_enforce_refuses_further_edits_and_nothing_else() -> None:
    """The worker may still look, run and report."""
    edit = ToolCall("write_to_file", {"TargetFile": "/w/a.py"}, failures=THREE)
    worker = session("enforce", Role.WORKER)

    found = judge(edit, Effect.WRITE, worker)
    assert found is not None
    assert found.decision == Decision.DENY
    assert judge(edit, Effect.READ, worker) is None
    assert judge(edit, Effect.EXECUTE, worker) is None
    assert judge(edit, Effect.WRITE, session("advise", Role.WORKER)) is None
    assert judge(edit.replace(failures=Failures()), Effect.WRITE, worker) is None


def test_a_parent_is_reminded_to_escalate_what_failed_once() -> None:
    """When the report is new."""
    failed = Report("", "executor", {"status": "failed"}, who="executor (step 2)", is_new=True)
    found = remind(Invocation(reports=(failed,)), session())

    assert found is not None
    assert "escalate it with Model 'pro'" in found.text
    assert remind(Invocation(reports=(failed.replace(is_new=False),)), session()) is None
    assert remind(Invocation(reports=(failed,)), session("off")) is None
    assert remind(Invocation(reports=(failed,), repeated=True), session()) is None
