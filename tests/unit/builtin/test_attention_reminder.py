"""What a primary is reminded of, when, and who never is."""

from __future__ import annotations

from typing import Any

import pytest

from agguard.model.call import Invocation
from agguard.model.report.reading import Report
from agguard.model.session import Role, Session
from agguard_builtin.attention.guard import remind
from agguard_builtin.handoff.guard import remind as remind_of_reports


def text(number: int = 0, role: Role = Role.PRIMARY, every: int = 25, **more: Any) -> str:
    settings = {"attention": {"remind_every": every}}
    found = remind(Invocation(number=number, **more), Session("c", role, settings=settings))
    return found.text if found else ""


@pytest.mark.parametrize("number", [25, 50, 75])
def test_every_so_many_model_calls_come_two_lines(number: int) -> None:
    """The role, and what is open."""
    role, work = text(number, running=("executor (step 4)",)).splitlines()
    assert role.startswith("agguard reminder: you are the primary agent")
    assert work == "Open work: 1 of your subagents at work: executor (step 4)."
    assert text(number).splitlines()[1] == "Open work: none."


@pytest.mark.parametrize("number", [-25, -1, 0, 1, 2, 24, 26, 49, 51])
def test_in_between_there_is_silence(number: int) -> None:
    """A reminder costs context."""
    assert text(number) == ""


def test_a_rejection_is_followed_by_one() -> None:
    """The first model call after it."""
    assert len(text(3, rejected=True).splitlines()) == 2
    assert text(3) == ""


@pytest.mark.parametrize("role", [Role.WORKER, Role.COORDINATOR, Role.UNKNOWN])
def test_nobody_else_is_reminded(role: Role) -> None:
    """Never in subagents."""
    assert text(25, role) == ""
    assert text(3, role, rejected=True) == ""


def test_one_invocation_gets_one_reminder() -> None:
    """The host fires twice when it is registered twice; a session's start is no invocation."""
    assert text(25, repeated=True) == ""
    assert text(25, event="SessionStart") == ""


def test_the_interval_is_a_setting() -> None:
    """0 switches it off, after a rejection, too."""
    assert text(9, every=10) == ""
    assert text(10, every=10)
    assert text(25, every=0) == ""
    assert text(25, every=0, rejected=True) == ""


def test_dead_work_is_told_before_anything_else() -> None:
    """To whoever waits for it."""
    dead = ("executor (step 4) failed (killed)",)
    assert text(25, dead=dead).splitlines()[0].startswith("agguard: WORK_TIMED_OUT or failed: exec")
    assert text(1, Role.COORDINATOR, dead=dead)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"number": 7}, True),
        ({"number": 7, "dead_is_new": False}, False),
        ({"number": 0, "dead_is_new": False}, True),
        ({"number": 25, "dead_is_new": False}, True),
        ({"number": 7, "dead_is_new": False, "rejected": True}, True),
        ({"number": 7, "repeated": True}, False),
        ({"number": 25, "repeated": True}, False),
    ],
)
def test_dead_work_is_told_once_and_again_with_each_reminder(
    how: dict[str, Any], told: bool
) -> None:
    """What is said stays in the context, so with every model call it would fill that."""
    assert ("WORK_TIMED_OUT" in text(dead=("executor (step 4)",), **how)) is told


def reports(**more: Any) -> list[str]:
    old = Report("", "executor", {"status": "completed", "summary": "old"}, who="a (step 1)")
    new = Report("", "executor", {"status": "completed", "summary": "new"}, who="b (step 2)")
    found = remind_of_reports(
        Invocation(reports=(old, new.replace(is_new=True)), **more), Session("c", Role.PRIMARY)
    )
    return found.text.splitlines() if found else []


def test_a_finished_child_is_told_when_it_is_new_and_again_with_the_reminder() -> None:
    """So the facts survive when the context is compacted."""
    new = "agguard: b (step 2) reports completed (verified): new"
    old = "agguard: a (step 1) reports completed (verified): old"

    assert reports(number=1) == [new]
    assert reports(number=25) == [old, new]
    assert reports(number=1, rejected=True) == [old, new]
    assert reports(number=25, repeated=True) == [new]
