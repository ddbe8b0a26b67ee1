"""No guard hides another's verdict: third parties in a child, ours in the hook's process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agguard.dispatch import combine
from agguard.dispatch.ask import Asker
from agguard.dispatch.deadline import Clock
from agguard.dispatch.implementation import Answer, Implementation
from agguard.model.verdict import Decision, Verdict

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

KINDS = {
    "raises": "exception",
    "raises_unprintable": "exception",
    "exits": "exit",
    "interrupts_itself": "exit",
    "recurses": "exception",
    "loops": "deadline",
    "returns_garbage": "garbage",
}
"""Guards that fail without ending their process, and the kind of fault that each becomes."""

DEADLY = {
    "leaves": "died",
    "is_killed": "died",
    "crashes": "died",
    "loops_and_swallows": "deadline",
}
"""Guards that end their process, or that no exception stops."""


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    yield
    sys.modules.pop("guards_that_misbehave", None)


def ask(
    *names: str, in_process: bool = False, limit: float = 0.4, time: float = 20
) -> list[Answer]:
    ones = [
        Implementation(
            name, "judge_tool", f"guards_that_misbehave:{name}", (), "record", in_process
        )
        for name in names
    ]
    asker = Asker(ones, Clock(time), limit)
    try:
        return asker.ask("judge_tool", {})
    finally:
        asker.close()


@pytest.mark.parametrize(("name", "kind"), [*KINDS.items(), *DEADLY.items()])
def test_a_third_partys_fault_hides_no_deny(name: str, kind: str) -> None:
    """Whatever a guard does, those before and after it are heard, and it gets the fault."""
    answers = ask("denies", name, "allows", "denies")

    assert [bool(a.fault) for a in answers] == [False, True, False, False]
    assert answers[1].fault is not None
    assert (answers[1].fault.plugin, answers[1].fault.kind) == (f"{name}.{name}", kind)
    assert combine.strictest(combine.reasons(answers)) == Decision.DENY


def test_a_guard_has_its_share_of_the_time_to_the_end() -> None:
    """Half of the hook's time, where it is the only one: also when it has used most of that."""
    (answer,) = ask("is_slow", limit=20, time=4)

    assert answer.fault is None


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_our_own_fault_hides_no_deny(name: str, kind: str) -> None:
    """In the hook's own process, too, a fault is data and the others are asked."""
    answers = ask("denies", name, "denies", in_process=True)

    assert [a.fault.kind if a.fault else None for a in answers] == [None, kind, None]


@pytest.mark.parametrize("in_process", [True, False])
def test_a_missing_module_is_a_fault_of_that_plugin(in_process: bool) -> None:
    """A plugin that cannot be imported is named, and the others are asked."""
    ones = [
        Implementation("gone", "judge_tool", "no_such_module_at_all:f", (), "record", in_process),
        Implementation(
            "sound", "judge_tool", "guards_that_misbehave:denies", (), "record", in_process
        ),
    ]
    asker = Asker(ones, Clock(10), 1)
    first, second = asker.ask("judge_tool", {})
    asker.close()

    assert first.fault is not None
    assert (first.fault.plugin, first.fault.kind) == ("gone.f", "import")
    assert second.value == Verdict.deny("a sound guard objects")


def test_a_guard_reads_an_empty_input() -> None:
    """Standard input is not the guards' to consume."""
    (answer,) = ask("reads_input")
    assert answer.value == Verdict.allow("''")


def test_no_guard_is_asked_once_the_hooks_time_is_up() -> None:
    """All that are left get a fault, at once."""
    one = Implementation("late", "judge_tool", "guards_that_misbehave:allows", ())
    asker = Asker([one], Clock(0), 1)
    (answer,) = asker.ask("judge_tool", {})
    asker.close()

    assert answer.fault is not None
    assert answer.fault.kind == "deadline"
