"""When a primary's stop is sent back, with which reason, and when it is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from agguard.model.call import Artifact, Stop
from agguard.model.effect import Effect
from agguard.model.session import Role, Session
from agguard_builtin.attention.guard import judge

DEAD = ("executor (step 4) failed (exit 1)",)
GOOD = "Summary of skills used: delegation."
BARE = "I am done."


def reason(
    session: Session | None = None, settings: dict[str, Any] | None = None, **stop: Any
) -> str:
    """Judge the stop of a primary that has worked for ten minutes; '' when it may stop."""
    own = {"refresh_tokens": 0, **(settings or {})}
    who = session or Session("c", Role.PRIMARY)
    facts = {"work": Effect.DELEGATE, "last_message": BARE, "seconds": 600.0, **stop}
    verdict = judge(Stop(**facts), who.replace(settings={"attention": own}))
    return verdict.reason if verdict else ""


@pytest.mark.parametrize(
    "work",
    [
        Effect.DELEGATE,
        Effect.WRITE,
        Effect.EXECUTE,
        Effect.READ | Effect.WRITE,
        Effect.NETWORK | Effect.EXECUTE,
    ],
)
def test_work_without_a_summary_comes_back(work: Effect) -> None:
    """It spawned, wrote or executed something."""
    assert "lacks the line 'Summary of skills used:'" in reason(work=work)


@pytest.mark.parametrize(
    "stop",
    [
        {"work": Effect(0)},
        {"work": Effect.READ},
        {"work": Effect.READ | Effect.MESSAGE | Effect.NETWORK},
        {"fully_idle": False},
        {"reason": "ERROR"},
        {"reason": "USER_CANCELED"},
        {"reason": "MAX_INVOCATIONS"},
        {"error": "boom"},
        {"seconds": 119.9},
        {"seconds": -3.0},
        {"running": ("executor (step 4)",)},
        {"running": ("executor (step 4)",), "dead": DEAD},
        {"last_message": None},
        {"last_message": None, "dead": DEAD},
        {"last_message": GOOD},
        {"last_message": "Not verified because there is no network."},
    ],
    ids=str,
)
def test_a_stop_without_anything_to_judge_passes(stop: dict[str, Any]) -> None:
    """Reading is no work, an abnormal end is not the agent's, children at work are waited for."""
    assert not reason(**stop)


@pytest.mark.parametrize("role", [Role.WORKER, Role.COORDINATOR, Role.UNKNOWN])
def test_only_a_primary_is_judged(role: Role) -> None:
    """Its children report to it."""
    assert not reason(Session("c", role))


def test_the_check_can_be_switched_off() -> None:
    """And each of its parts is a setting of its own."""
    assert not reason(settings={"mode": "off"})
    assert not reason(settings={"markers": []})


def test_short_turns_are_left_alone_unless_the_threshold_is_zero() -> None:
    """`after` counts from the user's message; 0 judges every turn."""
    assert reason(seconds=120.0)
    assert not reason(seconds=1.0)
    assert reason(seconds=1.0, settings={"after": 0})
    assert reason(seconds=-1.0, settings={"after": 0})
    assert not reason(seconds=300.0, settings={"after": 301})


def test_a_turn_whose_beginning_is_not_found_counts_as_long() -> None:
    """Then the transcript is longer than what a hook reads."""
    assert reason(seconds=None)


def test_dead_subagents_are_a_reason_of_their_own() -> None:
    """Redo the work or say that it is missing; a summary alone says nothing of it."""
    told = reason(dead=DEAD, last_message=GOOD)

    assert told.startswith("agguard: WORK_TIMED_OUT or failed: executor (step 4) failed (exit 1)")
    assert "lacks the line" not in told
    assert reason(dead=DEAD, last_message=f"{GOOD} Not verified because the executor failed.")
    assert not reason(dead=DEAD, last_message=f"{GOOD} Not done because the executor failed.")


@pytest.mark.parametrize(
    ("artifact", "said"),
    [
        (Artifact("task.md"), "'task.md' is missing"),
        (Artifact("task.md", 0, is_fresh=True), "'task.md' is empty"),
        (Artifact("task.md", 5), "'task.md' is older than this turn"),
        (Artifact("task.md", 5, is_fresh=True), ""),
    ],
)
def test_required_artifacts_are_there_not_empty_and_new(artifact: Artifact, said: str) -> None:
    """A file of an earlier turn proves nothing about this one (prior plugin, 6.4)."""
    told = reason(last_message=GOOD, artifacts=(artifact,))
    assert said in told
    assert bool(told) == bool(said)


def test_everything_that_is_missing_is_said_in_one_line() -> None:
    """The agent reads it first."""
    told = reason(dead=DEAD, artifacts=(Artifact("walkthrough.md"),))

    assert "\n" not in told
    assert told.count("agguard:") == 1
    assert told.index("WORK_TIMED_OUT") < told.index("lacks") < told.index("walkthrough")
