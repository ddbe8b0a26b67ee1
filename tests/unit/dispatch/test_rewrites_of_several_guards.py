"""Rewrites are chained, or only one guard may rewrite; what nobody judges is denied."""

from __future__ import annotations

import itertools
import sys
import types
from typing import TYPE_CHECKING

import pytest

from agguard.dispatch.ask import Asker
from agguard.dispatch.deadline import Clock
from agguard.dispatch.dispatcher import Dispatcher
from agguard.dispatch.implementation import Implementation
from agguard.hosts.port import host
from agguard.model.call import Command, ToolCall
from agguard.model.contribution import Rewrite
from agguard.model.session import Role, Session
from agguard.model.verdict import Decision, Outcome
from agguard.pipeline.tool import ToolPipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODULE = "guards_that_rewrite_commands"


def quiet(command: Command) -> Rewrite:
    return Rewrite(f"{command.text} -q", "less output")


def silent(command: Command) -> Rewrite:
    return Rewrite(f"{command.text} -s", "no output")


def hushed(command: Command) -> Rewrite:
    return Rewrite(f"{command.text} -q", "less output, too")


def content(command: Command) -> None:
    """Leave it."""


def idle(command: Command) -> Rewrite:
    return Rewrite(command.text)


def broken(command: Command) -> Rewrite:
    raise ValueError


def judge(call: ToolCall) -> None:
    """Have no opinion."""


@pytest.fixture(autouse=True)
def module() -> Iterator[None]:
    made = types.ModuleType(MODULE)
    for one in (quiet, silent, hushed, content, idle, broken, judge):
        setattr(made, one.__name__, one)
    sys.modules[MODULE] = made
    yield
    del sys.modules[MODULE]


def decided(*guards: Callable[[Command], object], rewrites: str) -> Outcome:
    rows = [Implementation("judge", "judge_tool", f"{MODULE}:judge", ("call",), in_process=True)]
    for one in guards:
        target = f"{MODULE}:{one.__name__}"
        rows.append(
            Implementation(one.__name__, "rewrite_command", target, ("command",), in_process=True)
        )
    settings = {"hooks": {"rewrites": rewrites}}
    dispatcher = Dispatcher.configured(Asker(rows, Clock(20.0), 10.0), settings)
    session = Session("c", Role.WORKER, settings=settings)
    call = ToolCall("run_command", {"CommandLine": "make"})
    return ToolPipeline(session, dispatcher, host("antigravity")).decide(call).outcome


@pytest.mark.parametrize(
    ("guards", "chained", "single"),
    [
        ((), "make", "make"),
        ((content, idle, broken), "make", "make"),
        ((quiet,), "make -q", "make -q"),
        ((content, quiet, broken), "make -q", "make -q"),
        ((quiet, hushed), "make -q -q", "make -q"),
        ((quiet, silent), "make -q -s", None),
        ((silent, content, quiet, hushed), "make -s -q -q", None),
    ],
)
def test_rewrites_are_chained_or_must_agree(
    guards: tuple[Callable[[Command], object], ...], chained: str, single: str | None
) -> None:
    """None stands for a conflict, which denies and names the guards."""
    assert decided(*guards, rewrites="chained").overwrite.get("CommandLine", "make") == chained

    found = decided(*guards, rewrites="single")
    if single is not None:
        assert found.overwrite.get("CommandLine", "make") == single
        assert found.decision == Decision.ALLOW
        return
    assert found.decision == Decision.DENY
    assert not found.overwrite
    assert "quiet" in found.reason
    assert "silent" in found.reason
    assert "hooks.rewrites" in found.reason


def test_where_one_may_rewrite_the_order_of_the_guards_does_not_matter() -> None:
    """Not for the command either, which it does where rewrites are chained."""
    for guards in ((quiet, silent, content), (quiet, hushed, content)):
        outcomes = [decided(*one, rewrites="single") for one in itertools.permutations(guards)]
        assert len({(one.decision, str(one.overwrite), one.reason) for one in outcomes}) == 1


def test_what_nobody_is_there_to_judge_is_denied() -> None:
    """Whatever has taken the guards away: their absence is not consent."""
    dispatcher = Dispatcher.configured(Asker([], Clock(20.0), 10.0), {})
    pipeline = ToolPipeline(Session("c", Role.WORKER), dispatcher, host("antigravity"))

    found = pipeline.decide(ToolCall("view_file", {})).outcome

    assert found.decision == Decision.DENY
    assert "agguard doctor" in found.reason
