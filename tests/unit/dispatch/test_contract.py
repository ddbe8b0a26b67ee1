"""What hooks may return, and how it travels between processes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.dispatch.contract import checked, decode, encode
from agguard.errors import PluginError
from agguard.hookspecs import HOOKS
from agguard.model.contribution import Addition, Reminder, Rewrite
from agguard.model.effect import Effect
from agguard.model.verdict import Decision, StopVerdict, Verdict

GOOD = [
    ("classify_tool", Effect.NETWORK | Effect.WRITE),
    ("judge_tool", Verdict.deny("no")),
    ("judge_tool", Verdict(Decision.ABSTAIN)),
    ("rewrite_command", Rewrite("rtk ls", "small")),
    ("augment_prompt", Addition("a", "b")),
    ("judge_stop", StopVerdict.go_on("more")),
    ("remind", Reminder("hello")),
]

BAD = [
    ("classify_tool", 4),
    ("classify_tool", "read"),
    ("classify_tool", Effect(1 << 20)),
    ("classify_tool", Effect(-1)),
    ("judge_tool", "deny"),
    ("judge_tool", Verdict("deny", "no")),
    ("judge_tool", Verdict(Decision.DENY, 7)),
    ("judge_tool", StopVerdict.go_on("x")),
    ("judge_tool", True),
    ("rewrite_command", "rtk ls"),
    ("rewrite_command", Rewrite(None)),
    ("augment_prompt", Addition(before=b"x")),
    ("judge_stop", {"again": True}),
    ("remind", Reminder(["x"])),
    ("observe", "something"),
]


@pytest.mark.parametrize(("hook", "value"), GOOD)
def test_answers_of_the_contract_survive_the_wire(hook: str, value: object) -> None:
    """What a hook may return is the same after a trip between processes."""
    assert checked(hook, value) is value
    assert decode(hook, json.loads(json.dumps(encode(value)))) == value


@pytest.mark.parametrize(("hook", "value"), BAD)
def test_anything_else_is_refused_by_name(hook: str, value: object) -> None:
    """The message names the hook, and the type that came."""
    with pytest.raises(PluginError, match=hook):
        checked(hook, value)


@pytest.mark.parametrize("hook", HOOKS)
def test_no_opinion_is_none(hook: str) -> None:
    """Every hook may return None."""
    assert checked(hook, None) is None


@given(st.sampled_from(HOOKS), st.lists(st.none() | st.booleans() | st.integers() | st.text()))
def test_decoding_never_raises_anything_but_a_plugin_error(hook: str, fields: list[object]) -> None:
    """Garbage from a guard's process is a fault of that guard."""
    try:
        decode(hook, fields)
    except PluginError:
        return
