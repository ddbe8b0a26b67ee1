"""Antigravity's payloads are read tolerantly, and its answers written strictly."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.errors import PayloadError
from agguard.hosts import antigravity as host
from agguard.model.call import ToolCall
from agguard.model.verdict import Decision, Outcome, Reason

COMMON = {
    "conversationId": "c1",
    "workspacePaths": ["/w"],
    "transcriptPath": "/b/c1/.system_generated/logs/transcript.jsonl",
    "artifactDirectoryPath": "/b/c1",
    "modelName": "auto",
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def payload(**fields: object) -> bytes:
    return json.dumps({**COMMON, **fields}).encode()


def test_a_tool_call_is_read() -> None:
    """Every field that the host sends arrives under our name for it."""
    data = payload(toolCall={"name": "run_command", "args": {"CommandLine": "ls"}}, stepIdx=7.0)

    event = host.parse("PreToolUse", data)

    assert event.call == ToolCall("run_command", {"CommandLine": "ls"}, 7)
    assert (event.conversation, event.workspaces, event.artifact_dir) == ("c1", ("/w",), "/b/c1")
    assert event.transcript == COMMON["transcriptPath"]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + payload(),
        b"\n\t " + payload() + b"\r\n",
        json.dumps(COMMON, indent=4).encode(),
        payload(somethingNew={"a": [1]}, toolCall=None),
        payload(toolCall={"name": 7, "args": None}, stepIdx="three", fullyIdle=None),
        payload(workspacePaths="/w", error=None, executionNum=1e400),
        payload(toolCall={"name": "x", "args": {"k": "\udc80"}}),
    ],
    ids=["bom", "blanks", "pretty", "unknown-field", "wrong-types", "infinity", "surrogate"],
)
def test_odd_payloads_are_read_all_the_same(data: bytes) -> None:
    """What a version might send differently is no reason to fail."""
    assert host.parse("PreToolUse", data).conversation == "c1"


def test_invalid_utf8_does_not_end_a_hook() -> None:
    """A stray byte is replaced."""
    data = payload(toolCall={"name": "view_file", "args": {}}).replace(b"view_file", b"view\xff")
    event = host.parse("PreToolUse", data)
    assert event.call is not None
    assert event.call.name == "view\ufffd"


@pytest.mark.parametrize("data", [b"", b"  ", b"{", b"[]", b'"x"', b"null", b"[" * 100_000])
def test_what_is_no_object_is_refused(data: bytes) -> None:
    """Empty, truncated, other JSON and deep nesting: one error, with the reason."""
    with pytest.raises(PayloadError, match="standard input"):
        host.parse("PreToolUse", data)


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    """Any input is an event or a `PayloadError`."""
    try:
        host.parse("PreToolUse", data)
    except PayloadError:
        return


@given(st.dictionaries(st.sampled_from([*COMMON, "toolCall", "stepIdx", "error"]), json_values))
def test_no_object_is_refused(fields: dict[str, object]) -> None:
    """Any JSON object gives an event, and any event can be answered."""
    event = host.parse("PreToolUse", json.dumps(fields).encode())
    call = event.call or ToolCall("")
    host.command(call)
    host.spawns(call)


def test_the_prefix_of_some_builds_is_taken_off() -> None:
    """`default_api:run_command` is `run_command`."""
    data = payload(toolCall={"name": "default_api:run_command", "args": {"CommandLine": "ls"}})
    event = host.parse("PreToolUse", data)
    assert event.call is not None
    assert event.call.name == "run_command"


DENIED = Outcome(Decision.DENY, (Reason("g", "no", Decision.DENY),), overwrite={"a": 1})


@pytest.mark.parametrize(
    ("event", "outcome", "expected"),
    [
        ("PreToolUse", Outcome(), {"decision": "allow"}),
        ("PreToolUse", Outcome(Decision.ABSTAIN), {"decision": "allow"}),
        ("PreToolUse", DENIED, {"decision": "deny", "reason": "no"}),
        (
            "PreToolUse",
            Outcome(Decision.ASK, (Reason("g", "sure?", Decision.ASK),)),
            {"decision": "ask", "reason": "sure?"},
        ),
        (
            "PreToolUse",
            Outcome(overwrite={"CommandLine": "rtk ls"}),
            {"decision": "allow", "overwrite": {"CommandLine": "rtk ls"}},
        ),
        ("Stop", Outcome(), {}),
        ("Stop", DENIED, {"decision": "continue", "reason": "no"}),
        ("PostToolUse", DENIED, {}),
        ("PostInvocation", DENIED, {}),
        ("SomethingNew", DENIED, {}),
        ("PreInvocation", Outcome(), {}),
        ("PreInvocation", DENIED, {}),
        (
            "SessionStart",
            Outcome(messages=("a", "b")),
            {"injectSteps": [{"systemMessage": {"systemMessage": "a\n\nb"}}]},
        ),
    ],
)
def test_each_event_is_answered_with_its_own_fields(
    event: str, outcome: Outcome, expected: dict[str, object]
) -> None:
    """A field that the host does not know for an event would void the whole answer."""
    assert host.answer(event, outcome) == expected


CALLS = {
    "list": {
        "Subagents": [{"TypeName": "self", "Role": "r", "Prompt": "p", "Workspace": "branch"}]
    },
    "text": {"Subagents": json.dumps([{"TypeName": "self", "Prompt": "p"}])},
    "flat": {"TypeName": "self", "Role": "r", "Prompt": "p", "Workspace": "share"},
    "flat beside an empty list": {"Subagents": [], "TypeName": "self", "Prompt": "p"},
    "flat beside null": {"Subagents": None, "TypeName": "self", "Prompt": "p"},
    "flat beside an empty text": {"Subagents": "", "TypeName": "self", "Prompt": "p"},
    "flat beside an empty list as text": {"Subagents": "[]", "TypeName": "self", "Prompt": "p"},
    "no prompt": {"Subagents": [{"TypeName": "self"}]},
}


@pytest.mark.parametrize("args", CALLS.values(), ids=CALLS)
def test_subagents_are_found_in_every_spelling_and_get_their_prompts(
    args: dict[str, object],
) -> None:
    """What is not a prompt stays as it was."""
    call = ToolCall("invoke_subagent", args)
    (spawn,) = host.spawns(call)

    changed = host.with_prompts(call, ["new"])

    (again,) = host.spawns(call.replace(args={**args, **changed}))
    assert again == spawn.replace(prompt="new")
    kept = changed.get("Subagents", changed)
    before = args if "TypeName" in args else args["Subagents"]
    kept, before = (json.loads(x) if isinstance(x, str) else x for x in (kept, before))
    if isinstance(before, list):
        assert kept == [{**before[0], "Prompt": "new"}]
    else:
        assert kept == {"Prompt": "new"}

    changed = host.with_prompts(call, [spawn.prompt], ["flash"])
    (again,) = host.spawns(call.replace(args={**args, **changed}))
    assert again == spawn.replace(model="flash")


@pytest.mark.parametrize("found", [None, 7, "", "{", [1], [{}, "x"], {"a": 1}])
def test_what_is_no_list_of_subagents_is_none(found: object) -> None:
    """Garbage spawns nothing that we would have to know of."""
    assert host.spawns(ToolCall("invoke_subagent", {"Subagents": found})) == ()


def test_only_run_command_runs_a_command() -> None:
    """Other tools may have an argument of that name."""
    args = {"CommandLine": "ls", "Cwd": "/w"}
    found = host.command(ToolCall("run_command", args, 3))
    assert found is not None
    assert (found.text, found.cwd, found.step) == ("ls", "/w", 3)
    assert host.command(ToolCall("other", args)) is None
    assert host.command(ToolCall("run_command", {"CommandLine": None})) is None
