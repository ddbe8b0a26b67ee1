"""A stop is never sent back for ever, and nobody's stop is judged whose role is unknown."""

from __future__ import annotations

import pytest

from agguard.dispatch.ask import Asker
from agguard.dispatch.deadline import Clock
from agguard.dispatch.dispatcher import Dispatcher
from agguard.dispatch.implementation import Implementation
from agguard.model.call import Stop
from agguard.model.effect import Effect
from agguard.model.session import Role, Session
from agguard.model.verdict import Decision, Outcome
from agguard.pipeline.hook import failed
from agguard.pipeline.stop import decide

ATTENTION = Implementation(
    "builtin",
    "judge_stop",
    "agguard_builtin.plugin:attention",
    ("stop", "session"),
    in_process=True,
)
UNMET = Stop(reason="NO_TOOL_CALL", work=Effect.WRITE, last_message="Done.")


def decided(stop: Stop, role: Role = Role.PRIMARY, **attention: object) -> Outcome:
    dispatcher = Dispatcher(Asker([ATTENTION], Clock(20), 10), (), 1000)
    return decide(stop, Session("c", role, settings={"attention": attention}), dispatcher)


@pytest.mark.parametrize(
    ("rejections", "limit", "expected"),
    [
        (0, 3, Decision.DENY),
        (2, 3, Decision.DENY),
        (3, 3, Decision.ALLOW),
        (4, 3, Decision.ALLOW),
        (0, 0, Decision.ALLOW),
        (0, 1, Decision.DENY),
        (1, 1, Decision.ALLOW),
    ],
)
def test_a_turn_is_sent_back_at_most_so_often(
    rejections: int, limit: int, expected: Decision
) -> None:
    """`[attention] max_rejections` in a row; then it is let go, and the reason is kept."""
    outcome = decided(UNMET.replace(rejections=rejections), max_rejections=limit)
    assert outcome.decision == expected
    if expected == Decision.ALLOW:
        assert "yielded after" in outcome.reason
        assert "Summary of skills used:" in " ".join(reason.text for reason in outcome.reasons)


def test_a_stop_that_is_in_order_is_no_rejection() -> None:
    """Nothing is said about it."""
    assert decided(UNMET.replace(last_message="Summary of skills used: none")) == Outcome()


@pytest.mark.parametrize("why", ["", "its transcript is missing"])
def test_an_unknown_agents_stop_passes_and_says_so(why: str) -> None:
    """No guard is asked; what is missing stands in the ledger."""
    dispatcher = Dispatcher(Asker([ATTENTION], Clock(20), 10), (), 1000)
    outcome = decide(UNMET, Session("c", Role.UNKNOWN, bound_by=why), dispatcher)
    assert outcome.decision == Decision.ALLOW
    assert "not judged" in outcome.reason
    assert why in outcome.reason
    assert dispatcher.answers == []


def test_what_could_not_be_learned_is_kept() -> None:
    """A transcript that is behind lets the agent stop, and the ledger says why."""
    outcome = decided(UNMET.replace(last_message=None, problem="the file is too large"))
    assert outcome.decision == Decision.ALLOW
    assert outcome.reason == "the file is too large"


@pytest.mark.parametrize(
    ("event", "decision"),
    [
        ("PreToolUse", Decision.DENY),
        ("Stop", Decision.ALLOW),
        ("PreInvocation", Decision.ALLOW),
        ("SessionStart", Decision.ALLOW),
        ("PostToolUse", Decision.ALLOW),
        ("OfTomorrow", Decision.ALLOW),
    ],
)
def test_when_agguard_itself_fails_only_tool_calls_are_held(event: str, decision: Decision) -> None:
    """A stop that is sent back by a broken agguard could never end."""
    outcome = failed(RuntimeError("boom"), event)
    assert outcome.decision == decision
    assert "RuntimeError: boom" in outcome.reason
    assert "agguard doctor" in outcome.reason
