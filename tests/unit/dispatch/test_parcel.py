"""What guards are given arrives whole in another process, and as a copy."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.dispatch.parcel import pack, unpack
from agguard.model.call import Command, Failures, Invocation, Record, Spawn, Stop, ToolCall
from agguard.model.effect import WORK, Effect
from agguard.model.report.reading import Report
from agguard.model.session import Role, Session
from agguard.model.verdict import Decision, Fault, Outcome, Reason

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
arguments = st.dictionaries(st.text(), json_values, max_size=4)

SESSION = Session("c", Role.COORDINATOR, workspaces=("/a", "/b"), settings={"rtk": {"path": ""}})
CALL = ToolCall("run_command", {"CommandLine": "ls", "Env": [1, None]}, spawns=(Spawn(0), Spawn(1)))
OUTCOME = Outcome(
    Decision.DENY,
    (Reason("a", "no", Decision.DENY), Reason("b", "")),
    Effect.NETWORK | Effect.WRITE,
    {"CommandLine": "rtk ls"},
    ("one", "two"),
    (Fault("p", "judge_tool", "died", "x"),),
)
OFFERED = {
    "session": SESSION,
    "call": CALL,
    "effect": WORK,
    "command": Command("ls", "/tmp", 3),
    "spawn": Spawn(0, role=Role.WORKER, prompt="p"),
    "stop": Stop(
        work=WORK, reports=(Report("{}", "executor", {"status": "completed"}),), running=("x",)
    ),
    "invocation": Invocation(failures=Failures(2, "make", 1)),
    "record": Record("PreToolUse", SESSION, CALL, OUTCOME),
}


@pytest.mark.parametrize("value", OFFERED.values(), ids=list(OFFERED))
def test_what_hooks_offer_comes_out_as_it_went_in(value: object) -> None:
    """Equal, and of the same types all the way down."""
    copy = unpack(pack(value))
    assert copy == value
    assert repr(copy) == repr(value)


@given(arguments, st.text())
def test_any_arguments_of_a_call_come_out_as_they_went_in(args: dict[str, Any], name: str) -> None:
    """Lone surrogates and large numbers included."""
    copy = unpack(pack(ToolCall(name, args)))
    assert copy == ToolCall(name, args)
    assert repr(copy) == repr(ToolCall(name, args))


def test_a_copy_shares_nothing_that_can_change() -> None:
    """What one guard does to it no other guard sees."""
    copy = unpack(pack(CALL))
    copy.args["Env"].append("changed")
    assert CALL.args["Env"] == [1, None]


@pytest.mark.parametrize("value", [object(), {"a": object()}, (1, print)], ids=repr)
def test_what_is_no_data_is_refused(value: object) -> None:
    """Nothing is sent in part."""
    with pytest.raises(ValueError, match="unmarshallable"):
        pack(value)


def test_the_table_offers_what_the_hooks_offer() -> None:
    """Every parameter of every hook specification stands in the table above."""
    specs = ast.parse((Path(__file__).parents[3] / "src/agguard/hookspecs.py").read_text())
    taken = {
        argument.arg
        for function in ast.walk(specs)
        if isinstance(function, ast.FunctionDef)
        for argument in function.args.args
    }
    assert set(OFFERED) == taken
