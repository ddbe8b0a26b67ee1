"""What the ledger keeps of a decision: short, storable, and about what the call was about."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.model.call import Spawn, ToolCall
from agguard.model.event import Event
from agguard.model.session import Role, Session
from agguard.model.verdict import Decision, Fault, Outcome, Reason
from agguard.pipeline.keeping import LONGEST, entry, items
from agguard.pipeline.lineage import digest

SESSION = Session("c", Role.PRIMARY)


@pytest.mark.parametrize(
    ("call", "subject"),
    [
        (ToolCall("run_command", {"CommandLine": "make", "Cwd": "/w"}), "make"),
        (ToolCall("write_to_file", {"TargetFile": "/w/a", "CodeContent": "secret"}), "/w/a"),
        (ToolCall("sed_file", {"target_file": "/w/a"}), "/w/a"),
        (ToolCall("view_file", {"AbsolutePath": "/w/a"}), "/w/a"),
        (ToolCall("search_web", {"query": "q"}), "q"),
        (ToolCall("read_url_content", {"Url": "https://x.example"}), "https://x.example"),
        (ToolCall("manage_task", {"Action": "kill", "TaskId": "1"}), "kill"),
        (ToolCall("call_mcp_tool", {"ServerName": "s", "ToolName": "t"}), "s/t"),
        (ToolCall("invoke_subagent", {"Subagents": []}), ""),
        (ToolCall("run_command", {"CommandLine": None}), ""),
        (None, ""),
    ],
)
def test_the_subject_is_what_the_call_is_about(call: ToolCall | None, subject: str) -> None:
    """Its most telling argument; never a file's content."""
    found = entry(Event("PreToolUse", "c", call=call), SESSION, Outcome(), 1.0)
    assert found.subject == subject


def test_an_error_of_the_tool_is_the_subject() -> None:
    """After a call, what went wrong is what it is about."""
    call = ToolCall("run_command", {"CommandLine": "make"})
    event = Event("PostToolUse", "c", call=call, error="exit status 2")
    assert entry(event, SESSION, Outcome(), 1.0).subject == "exit status 2"


@given(st.text(), st.text(), st.text(min_size=LONGEST - 3, max_size=LONGEST * 2))
def test_every_text_can_be_stored(name: str, command: str, reason: str) -> None:
    """SQLite takes no half of a surrogate pair, and nothing grows without end."""
    outcome = Outcome(
        Decision.DENY,
        (Reason("guard", reason, Decision.DENY),),
        faults=(Fault("guard", "judge_tool", "exception", reason),),
    )
    event = Event("PreToolUse", "c", call=ToolCall(name, {"CommandLine": command}))
    found = entry(event, SESSION, outcome, 1.0)
    for text in (found.tool, found.subject, found.reasons, found.faults):
        text.encode()
    ((guard, word, kept),) = json.loads(found.reasons)
    assert (guard, word) == ("guard", "deny")
    assert len(kept) <= LONGEST
    assert len(found.subject) <= LONGEST


def test_half_a_surrogate_pair_is_replaced() -> None:
    """As in a path that is no UTF-8."""
    event = Event("PreToolUse", "c", call=ToolCall("x", {"CommandLine": "a\ud800b"}))
    assert entry(event, SESSION, Outcome(), 1.0).subject == "a?b"


def test_a_spawn_is_known_again_by_the_prompt_that_its_parent_wrote() -> None:
    """Not by the augmented one: hosts that drop overwrites deliver the former."""
    spawns = [
        Spawn(0, "self", "r", "[token] One. [rules]", token="t0", step=4),
        Spawn(1, "self", "r", "[token] Two. [rules]", token="t1", step=4, read_only=True),
    ]
    one, two = items(SESSION, spawns, ["One.", " Two.\n"], 5.0)
    assert (one.id, two.id) == (f"c:4:0:{one.digest[:8]}", f"c:4:1:{two.digest[:8]}")
    assert (one.digest, two.digest) == (digest("One."), digest("Two."))
    assert (one.token, two.token, two.read_only) == ("t0", "t1", True)
    assert one.issuer == "c"


@given(st.text(), st.text(alphabet=" \n\t", max_size=3))
def test_blanks_around_a_prompt_do_not_change_its_digest(prompt: str, blanks: str) -> None:
    """Hosts trim."""
    assert digest(blanks + prompt + blanks) == digest(prompt)
