"""Input that is no payload: one valid answer each, and the reason says what arrived.

Every test runs the registered command in a real process; `Host.fire` asserts exit status 0 and
exactly one JSON document with the event's own fields.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fakes.guarded import Guarded

UNREADABLE = {
    "empty": (b"", "was empty"),
    "blank": (b" \r\n\t", "was empty"),
    "only a BOM": (b"\xef\xbb\xbf", "was empty"),
    "truncated": (b'{"conversationId": "c", "toolCall": {"name": "view_fi', "was not JSON"),
    "prose": (b"view_file /etc/hosts", "was not JSON"),
    "two documents": (b'{"toolCall": null}{"toolCall": null}', "was not JSON"),
    "zeros": (b"\0" * 64, "was not JSON"),
    "random bytes": (bytes(range(256)) * 3, "was not JSON"),
    "a list": (b'[{"toolCall": {"name": "view_file"}}]', "was a JSON list"),
    "null": (b"null", "was a JSON NoneType"),
    "a number": (b"7", "was a JSON int"),
    "deep nesting": (b'{"a":' * 100_000, "nested too deeply"),
}

EVENTS = ["SessionStart", "PreInvocation", "PostToolUse", "Stop"]


@pytest.mark.parametrize(("data", "expected"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_tool_call_that_cannot_be_read_is_denied_with_the_reason(
    shared: Guarded, data: bytes, expected: str
) -> None:
    """Nothing is allowed unjudged, and the reason says what arrived and what to run."""
    found = shared.fire("PreToolUse", data)

    assert found.decision == "deny"
    assert "standard input" in found.reason
    assert expected in found.reason
    assert "agguard doctor" in found.reason


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("data", [b"", b'{"conversationId": "c', b"[]"], ids=repr)
def test_other_events_that_cannot_be_read_pass(shared: Guarded, event: str, data: bytes) -> None:
    """A stop above all: sent back without being counted, it would be sent back for ever."""
    assert shared.fire(event, data).answer == {}


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 4000])
def test_numbers_that_json_does_not_have_void_no_answer(shared: Guarded, number: str) -> None:
    """What is handed back of a call is JSON for strict parsers, too, with the rest as it was."""
    one = {"TypeName": "self", "Role": "NaN", "Prompt": "Infinity", "Fork": "here"}
    primary = shared.primary()
    payload = json.dumps(primary.calls("invoke_subagent", {"Subagents": [one]}))
    found = shared.fire("PreToolUse", payload.replace('"here"', number).encode())

    assert found.decision == "allow"
    (given,) = json.loads(found.out, parse_constant=pytest.fail)["overwrite"]["Subagents"]
    assert given["Role"] == "NaN"
    assert given["Fork"] in (None, int(number) if number.isdigit() else None)
    assert "Infinity" in given["Prompt"]


def test_the_next_call_is_judged_as_if_nothing_had_been(shared: Guarded) -> None:
    """Bad input leaves nothing behind."""
    for data, _ in UNREADABLE.values():
        shared.fire("PreToolUse", data)

    assert shared.view(shared.primary()).answer == {"decision": "allow"}


def test_a_whole_payload_on_a_pipe_that_stays_open_is_answered(shared: Guarded) -> None:
    """Some callers never close the pipe (peers, row 77); the document tells its own end."""
    primary = shared.primary()

    assert shared.view(primary, closes=False).decision == "allow"
    assert shared.run(primary, "ls", closes=False).decision == "deny"


@pytest.mark.parametrize("data", [b"", b'{"conversationId": "c", "toolCall": {'], ids=repr)
def test_an_unfinished_payload_on_a_pipe_that_stays_open_is_answered_in_time(
    guarded: Guarded, data: bytes
) -> None:
    """The hook waits no longer than its deadline, and says what it got."""
    guarded.configure("[hooks]\ndeadline = 0.5\n")
    found = guarded.fire("PreToolUse", data, closes=False)

    assert found.decision == "deny"
    assert "standard input" in found.reason


def test_eight_mebibytes_are_read_to_the_end(shared: Guarded) -> None:
    """A large file in a payload is no reason to guess; the end of it counts."""
    worker = shared.worker()
    payload = worker.calls("write_to_file", {"CodeContent": "x" * (8 << 20), "TargetFile": ""})
    payload["toolCall"]["args"]["TargetFile"] = shared.paths.host.hooks

    assert shared.fire("PreToolUse", payload).decision == "deny"

    payload["toolCall"]["args"]["TargetFile"] = f"{shared.workspace}/big.txt"
    assert shared.fire("PreToolUse", payload).decision == "allow"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: b"\r\n " + raw + b"\r\n\r\n",
        lambda raw: json.dumps(json.loads(raw), indent=4).encode(),
        lambda raw: json.dumps(
            {**json.loads(raw), "ofTomorrow": {"a": [1]}, "agentName": None}
        ).encode(),
        lambda raw: raw.replace(b"app.py", b"app\xff.py"),
        lambda raw: raw.replace(b"view_file", b"default_api:view_file"),
        lambda raw: raw.replace(b"app.py", b"app\\ud800.py"),
    ],
    ids=["bom", "blanks", "pretty", "unknown fields", "invalid UTF-8", "prefix", "half a pair"],
)
def test_a_payload_that_is_only_odd_is_judged_by_what_it_says(
    shared: Guarded, spoil: object
) -> None:
    """Versions of the host differ; reading stays allowed and running stays denied."""
    primary = shared.primary()
    view = json.dumps(primary.calls("view_file", {"AbsolutePath": "/w/app.py"})).encode()
    run = json.dumps(primary.calls("run_command", {"CommandLine": "cat app.py"})).encode()

    assert shared.fire("PreToolUse", spoil(view)).decision == "allow"
    assert shared.fire("PreToolUse", spoil(run)).decision == "deny"


@pytest.mark.parametrize(
    "call",
    [
        None,
        {"name": None, "args": None},
        {"name": "", "args": {}},
        {"name": "view_file", "args": None},
        {"name": "run_command", "args": "ls"},
        {"name": ["view_file"], "args": {"AbsolutePath": "/w"}},
        {"args": {"AbsolutePath": "/w"}},
        "view_file",
    ],
    ids=repr,
)
def test_a_payload_without_a_call_that_can_be_read_is_denied(shared: Guarded, call: object) -> None:
    """Whatever cannot be known is never allowed to a primary."""
    primary = shared.primary()
    payload = {**primary.common(), "toolCall": call, "stepIdx": 1}

    assert shared.fire("PreToolUse", payload).decision == "deny"


def test_no_payload_without_a_conversation_gets_any_right(shared: Guarded) -> None:
    """Nobody can be found under an empty name, and the reason says so."""
    primary = shared.primary()
    payload = {**primary.calls("run_command", {"CommandLine": "ls"}), "conversationId": ""}
    found = shared.fire("PreToolUse", payload)

    assert found.decision == "deny"
    assert "names no conversation" in found.reason
