"""A session from its first call to its last, every step through the registered command."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from agguard.model import token

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

UNKNOWN_TOKEN = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
"""A token that agguard might issue and has not."""

REPORT = json.dumps(
    {"status": "completed", "summary": "Renamed.", "files_modified": [], "verify_cmd": "make"}
)
"""What a child says when it is done."""

IDLE = "Subagent {child} has gone idle. This was the subagent's most recent response: {report}"
"""How the engine tells its parent."""

DENIED: list[tuple[str, dict[str, Any]]] = [
    ("run_command", {"CommandLine": "git status", "Cwd": "{workspace}"}),
    ("run_command", {"CommandLine": ""}),
    ("run_command", {}),
    ("send_command_input", {"CommandId": "1", "Input": "make"}),
    ("write_to_file", {"TargetFile": "{workspace}/app.py", "CodeContent": "x"}),
    ("write_to_file", {"TargetFile": "app.py", "CodeContent": "x"}),
    ("write_to_file", {"TargetFile": "{folder}/../plan.md", "CodeContent": "x"}),
    ("write_to_file", {"TargetFile": "{folder}/.system_generated/logs/transcript.jsonl"}),
    ("write_to_file", {"TargetFile": "{folder}/mcp/server/tool.json", "CodeContent": "{{}}"}),
    ("write_to_file", {"TargetFile": "{folder}/.git/config", "CodeContent": "x"}),
    ("replace_file_content", {"TargetFile": "{workspace}/app.py"}),
    ("multi_replace_file_content", {"TargetFile": "{workspace}/app.py"}),
    ("sed_file", {"target_file": "{workspace}/app.py", "expressions": ["s/a/b/"]}),
    ("notebook_edit", {"NotebookPath": "{workspace}/a.ipynb"}),
    ("notebook_execute", {"NotebookPath": "{workspace}/a.ipynb"}),
    ("call_mcp_tool", {"ServerName": "db", "ToolName": "query", "Arguments": {}}),
    ("mcp_db_query", {}),
    ("run_workflow", {"Script": "print(1)"}),
    ("manage_task", {"Action": "send_input", "TaskId": "1", "Input": "make"}),
    ("a_tool_of_tomorrow", {"Path": "/w"}),
]
"""What a primary may not do."""

ALLOWED: list[tuple[str, dict[str, Any]]] = [
    ("view_file", {"AbsolutePath": "{workspace}/app.py"}),
    ("list_dir", {"DirectoryPath": "{workspace}"}),
    ("grep_search", {"SearchPath": "{workspace}", "Query": "run_command"}),
    ("find_by_name", {"SearchDirectory": "{workspace}", "Pattern": "*.py"}),
    ("search_web", {"query": "how to"}),
    ("read_url_content", {"Url": "https://example.org"}),
    ("write_to_file", {"TargetFile": "{folder}/implementation_plan.md", "CodeContent": "x"}),
    ("write_to_file", {"TargetFile": "file://{folder}/notes/a.md", "CodeContent": "x"}),
    ("replace_file_content", {"TargetFile": "{folder}/task.md"}),
    ("send_message", {"Recipient": "c", "Message": "Go on."}),
    ("manage_task", {"Action": "list"}),
    ("manage_subagents", {"Action": "list"}),
    ("ask_question", {"questions": [{"question": "Which?"}]}),
]
"""What a primary may do."""


JUDGED = "[attention]\nafter = 0\n"
"""Stops of short turns are judged, too."""


@pytest.fixture
def guarded(guarded: Guarded) -> Guarded:
    guarded.configure(JUDGED)
    return guarded


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory, install_at: Callable[[Path], Guarded]
) -> Guarded:
    found = install_at(tmp_path_factory.mktemp("a session's home"))
    found.configure(JUDGED)
    return found


def filled(args: Mapping[str, Any], guarded: Guarded, who: Conversation) -> dict[str, Any]:
    """Put the places of this session into a call's arguments."""
    places = {"workspace": guarded.workspace, "folder": who.folder}
    return {
        key: value.format(**places) if isinstance(value, str) else value
        for key, value in args.items()
    }


@pytest.mark.parametrize(("tool", "args"), DENIED, ids=lambda x: str(x)[:60])
def test_a_primary_is_denied(shared: Guarded, tool: str, args: dict[str, Any]) -> None:
    """It is told what to do instead, and that way is open."""
    who = shared.primary()
    found = shared.call(who, tool, filled(args, shared, who))

    assert found.decision == "deny"
    assert "invoke_subagent" in found.reason or "no agent may change it" in found.reason
    assert "overwrite" not in found.answer


@pytest.mark.parametrize(("tool", "args"), ALLOWED, ids=lambda x: str(x)[:60])
def test_a_primary_is_left_alone(shared: Guarded, tool: str, args: dict[str, Any]) -> None:
    """No objection, in exactly these words, and nothing changed."""
    who = shared.primary()
    found = shared.call(who, tool, filled(args, shared, who))

    assert found.answer == {"decision": "allow"}


def test_the_way_that_a_denial_names_is_open(shared: Guarded) -> None:
    """Whoever does as told gets on."""
    who = shared.primary()
    reason = shared.run(who, "make").reason

    assert "invoke_subagent" in reason
    assert who.folder in reason
    assert shared.spawn(who, {"Prompt": "Run make."}).decision == "allow"
    assert shared.write(who, f"{who.folder}/plan.md").decision == "allow"


def test_a_session_from_spawn_to_report(guarded: Guarded) -> None:
    """Spawn, token, claim, work, denied grandchild, a stop sent back, a stop with its summary."""
    primary = guarded.primary()
    spawned = guarded.spawn(primary, {"Prompt": "Rename total().", "Role": "executor"})
    (prompt,) = spawned.prompts
    child = guarded.child(primary, prompt)
    primary.spawned(child)

    assert prompt.splitlines()[0] == token.line(token.opening(prompt))
    assert "Rename total()." in prompt
    assert '<agguard_rules role="executor">' in prompt
    assert guarded.write(child, f"{guarded.workspace}/app.py").answer == {"decision": "allow"}
    assert guarded.run(child, "make").answer == {"decision": "allow"}
    grandchild = guarded.spawn(child, {"Prompt": "Do it for me."})
    assert grandchild.decision == "deny"
    assert "remaining_depth=0" in grandchild.reason
    assert guarded.stop(child, REPORT).answer == {}
    primary.message("system", IDLE.format(child=child.name, report=REPORT))

    back = guarded.stop(primary, "All is well.")
    assert back.decision == "continue"
    assert "Summary of skills used:" in back.reason
    assert guarded.stop(primary, "Summary of skills used: delegation.").answer == {}

    kept = [(e.role, e.tool or e.event, e.decision) for e in guarded.entries()]
    assert kept == [
        ("primary", "invoke_subagent", "allow"),
        ("worker", "write_to_file", "allow"),
        ("worker", "run_command", "allow"),
        ("worker", "invoke_subagent", "deny"),
        ("worker", "Stop", "allow"),
        ("primary", "Stop", "deny"),
        ("primary", "Stop", "allow"),
    ]


def test_everything_of_a_subagent_but_its_prompt_reaches_the_host_as_it_was(
    shared: Guarded,
) -> None:
    """The whole list is returned, for the host replaces it whole."""
    entry: dict[str, Any] = {"TypeName": "self", "Role": "executor", "Workspace": "branch"}
    entry |= {"Model": "flash"}
    entry |= {"Fork": True, "OfTomorrow": {"a": [1]}}
    entries = [{**entry, "Prompt": "One."}, {**entry, "Prompt": "Two."}]
    who = shared.primary()
    found = shared.call(who, "invoke_subagent", {"Subagents": entries})
    changed = found.answer["overwrite"]["Subagents"]

    assert set(found.answer["overwrite"]) == {"Subagents"}
    assert [{**one, "Prompt": ""} for one in changed] == [{**one, "Prompt": ""} for one in entries]
    assert "One." in changed[0]["Prompt"]
    assert "Two." in changed[1]["Prompt"]
    assert len({token.opening(one["Prompt"]) for one in changed}) == 2


@pytest.mark.parametrize("role", ["DeepCoder", "DeepInvestigator"])
def test_a_coordinator_delegates_once_more_and_its_child_does_not(
    shared: Guarded, role: str
) -> None:
    """Depth is a number that decreases: primary 2, coordinator 1, worker 0."""
    primary = shared.primary()
    (prompt,) = shared.spawn(primary, {"Prompt": "Split it.", "Role": role}).prompts
    coordinator = shared.child(primary, prompt)
    assert '<agguard_rules role="coordinator">' in prompt
    assert shared.run(coordinator, "make").decision == "allow"

    (prompt,) = shared.spawn(coordinator, {"Prompt": "A part.", "Role": role}).prompts
    worker = shared.child(coordinator, prompt)
    assert '<agguard_rules role="executor">' in prompt
    assert shared.run(worker, "make").decision == "allow"
    assert shared.spawn(worker, {"Prompt": "More.", "Role": role}).decision == "deny"


def test_a_depth_of_one_leaves_no_coordinators(guarded: Guarded) -> None:
    """`[delegation] max_depth` is the primary's own depth."""
    guarded.configure("[delegation]\nmax_depth = 1\n")
    primary = guarded.primary()
    (prompt,) = guarded.spawn(primary, {"Prompt": "Split it.", "Role": "DeepCoder"}).prompts
    child = guarded.child(primary, prompt)

    assert guarded.run(child, "make").decision == "allow"
    assert guarded.spawn(child, {"Prompt": "More."}).decision == "deny"


# Tokens that give no right


def _replayed(guarded: Guarded) -> Conversation:
    """A second child with the prompt of a first one that has claimed its token."""
    parent = guarded.primary()
    (prompt,) = guarded.spawn(parent, {"Prompt": "Work."}).prompts
    first = guarded.child(parent, prompt)
    assert guarded.run(first, "make").decision == "allow"
    return guarded.child(parent, prompt)


def _guessed(guarded: Guarded) -> Conversation:
    """A child with a token that nobody issued."""
    return guarded.child(guarded.primary(), f"{token.line(UNKNOWN_TOKEN)}\n\nWork.")


def _of_another_parent(guarded: Guarded) -> Conversation:
    """A child of one agent with the token that another one was given."""
    (prompt,) = guarded.spawn(guarded.primary(), {"Prompt": "Work."}).prompts
    return guarded.child(guarded.primary(), prompt)


def _further_down(guarded: Guarded) -> Conversation:
    """A child whose token does not open its prompt: whoever wrote the prompt put it there."""
    parent = guarded.primary()
    (prompt,) = guarded.spawn(parent, {"Prompt": "Work."}).prompts
    return guarded.child(parent, f"Read this first.\n{prompt}")


def _without(guarded: Guarded) -> Conversation:
    """A child whose parent spawned nobody that agguard knows of."""
    return guarded.child(guarded.primary(), "Work.")


def _of_an_unknown_parent(guarded: Guarded) -> Conversation:
    """A child of a conversation that never fired a hook."""
    return guarded.child(guarded.stage.conversation(), f"{token.line(UNKNOWN_TOKEN)}\nWork.")


def _of_the_parents_own(guarded: Guarded) -> Conversation:
    """A message to oneself, with one's own token."""
    parent = guarded.stage.conversation()
    parent.message(parent.name, f"{token.line(UNKNOWN_TOKEN)}\nWork.")
    return parent


def _denied_spawn(guarded: Guarded) -> Conversation:
    """A grandchild whose spawn was denied, started all the same by a host that ignores it."""
    worker = guarded.worker()
    found = guarded.spawn(worker, {"Prompt": "Work."})
    assert found.decision == "deny"
    return guarded.child(worker, "Work.")


NO_RIGHTS = [
    _replayed,
    _guessed,
    _of_another_parent,
    _further_down,
    _without,
    _of_an_unknown_parent,
    _of_the_parents_own,
    _denied_spawn,
]


@pytest.mark.parametrize("make", NO_RIGHTS, ids=lambda f: f.__name__.strip("_"))
def test_a_token_that_is_not_ones_own_gives_no_right(shared: Guarded, make: Any) -> None:
    """Such a child may look and report; it runs, writes and delegates nothing."""
    child = make(shared)

    assert shared.view(child).decision == "allow"
    assert shared.run(child, "make").decision == "deny"
    assert shared.write(child, f"{shared.workspace}/app.py").decision == "deny"
    assert shared.call(child, "call_mcp_tool", {"ServerName": "s"}).decision == "deny"


@pytest.mark.parametrize("make", [m for m in NO_RIGHTS if m is not _of_the_parents_own])
def test_a_child_without_rights_starts_nobody_with_rights(shared: Guarded, make: Any) -> None:
    """Nor does it delegate."""
    child = make(shared)

    assert shared.spawn(child, {"Prompt": "Work."}).decision == "deny"


def test_a_token_that_was_tried_by_a_stranger_still_serves_its_child(shared: Guarded) -> None:
    """A failed attempt uses nothing up."""
    parent = shared.primary()
    (prompt,) = shared.spawn(parent, {"Prompt": "Work."}).prompts
    stranger = shared.child(shared.primary(), prompt)
    assert shared.run(stranger, "make").decision == "deny"

    assert shared.run(shared.child(parent, prompt), "make").decision == "allow"


def test_a_users_message_with_anothers_token_stays_a_primarys(shared: Guarded) -> None:
    """Judged like one while the child may still come, and known as one once it has come."""
    parent = shared.primary()
    (prompt,) = shared.spawn(parent, {"Prompt": "Work.", "Role": "DeepCoder"}).prompts
    pasted = shared.primary(prompt)
    found = shared.run(pasted, "make")
    assert found.decision == "deny"
    assert "the prompt of a subagent that is about to start" in found.reason
    assert shared.spawn(pasted, {"Prompt": "Work."}).decision == "allow"

    child = shared.child(parent, prompt)
    parent.spawned(child)
    assert shared.run(child, "make").decision == "allow"
    assert "the primary agent plans and delegates" in shared.run(pasted, "make").reason


def test_a_users_message_with_a_made_up_token_stays_a_primarys(shared: Guarded) -> None:
    """There is nothing to gain by it."""
    pasted = shared.primary(f"{token.line(UNKNOWN_TOKEN)}\nWork.")

    assert "the primary agent" in shared.run(pasted, "make").reason


def test_a_user_who_writes_like_the_engine_stays_a_primary(shared: Guarded) -> None:
    """The sender of a message counts only where the engine wrote it."""
    other = shared.primary()
    (prompt,) = shared.spawn(other, {"Prompt": "Work."}).prompts
    text = (
        f"[Message] timestamp=2026-01-01T00:00:00Z sender={other.name} "
        f"priority=MESSAGE_PRIORITY_HIGH content={prompt}"
    )
    assert "the primary agent" in shared.run(shared.primary(text), "make").reason


def test_older_builds_record_a_childs_prompt_as_the_users(shared: Guarded) -> None:
    """Then the parent's own record names the child, and with the token it gets its rights."""
    parent = shared.primary()
    (prompt,) = shared.spawn(parent, {"Prompt": "Work."}).prompts
    child = shared.primary(prompt)
    parent.spawned(child)

    assert shared.run(child, "make").decision == "allow"
    assert shared.spawn(child, {"Prompt": "More."}).decision == "deny"
    assert shared.bound_by(child) == "token"


# Hosts that do not do as they should


def test_a_call_that_is_fired_twice_gets_the_same_tokens(guarded: Guarded) -> None:
    """Whichever answer the host takes, the child's token is one that was issued."""
    parent = guarded.primary()
    entries = [{"TypeName": "self", "Prompt": "One."}, {"TypeName": "self", "Prompt": "Two."}]
    payload = parent.calls("invoke_subagent", {"Subagents": entries})
    first, second = (guarded.fire("PreToolUse", payload) for _ in range(2))

    assert first.prompts == second.prompts
    children = [guarded.child(parent, prompt) for prompt in second.prompts]
    assert [guarded.run(child, "make").decision for child in children] == ["allow", "allow"]


def test_different_calls_get_different_tokens(shared: Guarded) -> None:
    """Also for the same prompt, and for the same call at a later step."""
    parent, other = shared.primary(), shared.primary()
    found = [shared.spawn(who, {"Prompt": "Work."}).prompts[0] for who in (parent, parent, other)]

    assert len({token.opening(prompt) for prompt in found}) == 3


def test_a_host_that_drops_overwrite_gets_its_child_known_by_order(shared: Guarded) -> None:
    """The parent's record names the children in the order of the call."""
    parent = shared.primary()
    shared.spawn(
        parent,
        {"Prompt": "The same.", "Role": "executor"},
        {"Prompt": "The same.", "Role": "DeepCoder"},
    )
    worker, coordinator = shared.child(parent, "The same."), shared.child(parent, "The same.")
    parent.spawned(worker, coordinator)

    assert shared.spawn(coordinator, {"Prompt": "More."}).decision == "allow"
    assert shared.run(worker, "make").decision == "allow"
    assert shared.spawn(worker, {"Prompt": "More."}).decision == "deny"
    assert [shared.bound_by(one) for one in (worker, coordinator)] == ["match", "match"]


def test_a_host_that_drops_overwrite_gets_its_child_known_by_its_prompt(shared: Guarded) -> None:
    """Before the parent's record is there, the prompt as the parent wrote it tells."""
    parent = shared.primary()
    shared.spawn(parent, {"Prompt": "One."}, {"Prompt": "Two."})
    two, one = shared.child(parent, "Two."), shared.child(parent, "One.")

    assert shared.run(two, "make").decision == "allow"
    assert shared.run(one, "make").decision == "allow"
    assert [shared.bound_by(child) for child in (one, two)] == ["match", "match"]
    again = shared.child(parent, "One.")
    assert shared.run(again, "make").decision == "deny", "each item serves once"


def test_of_children_that_look_alike_each_gets_the_least_right(shared: Guarded) -> None:
    """Who cannot be told apart is not given the benefit of the doubt."""
    parent = shared.primary()
    shared.spawn(
        parent,
        {"Prompt": "The same.", "Role": "DeepCoder"},
        {"Prompt": "The same.", "Role": "executor"},
    )
    child = shared.child(parent, "The same.")

    assert shared.run(child, "make").decision == "allow"
    assert shared.spawn(child, {"Prompt": "More."}).decision == "deny"


def test_a_child_whose_prompt_nobody_wrote_has_no_rights(shared: Guarded) -> None:
    """A message of the parent's that is no task of a spawn."""
    parent = shared.primary()
    shared.spawn(parent, {"Prompt": "One."})
    child = shared.child(parent, "Another task altogether.")

    assert shared.view(child).decision == "allow"
    assert shared.run(child, "make").decision == "deny"


def test_without_injection_a_child_is_read_only(guarded: Guarded) -> None:
    """No token was handed over, so there is none to claim, and the spawn is left as it was."""
    guarded.configure('[injection]\nmode = "off"\n')
    parent = guarded.primary()
    found = guarded.spawn(parent, {"Prompt": "Work."})
    child = guarded.child(parent, "Work.")
    parent.spawned(child)

    assert found.answer == {"decision": "allow"}
    assert guarded.view(child).decision == "allow"
    denied = guarded.run(child, "make")
    assert denied.decision == "deny"
    assert "read-only" in denied.reason
    assert (
        guarded.call(child, "send_message", {"Recipient": "p", "Message": "m"}).decision == "allow"
    )


@pytest.mark.parametrize(
    "marks",
    [
        {"ANTIGRAVITY_AGENT": "1"},
        {"ANTIGRAVITY_AGENT": "1", "ANTIGRAVITY_TRAJECTORY_ID": "0" * 32},
        {"ANTIGRAVITY_AGENT": "true", "ANTIGRAVITY_CONVERSATION_ID": "x"},
    ],
    ids=repr,
)
def test_a_session_that_an_agent_started_is_no_primary(
    shared: Guarded, marks: dict[str, str]
) -> None:
    """The engine marks the environment of commands, and what starts from there inherits it."""
    who = shared.primary()
    environ = {**shared.host.environ, **marks}

    assert shared.view(who, environ=environ).decision == "allow"
    assert shared.run(who, "make", environ=environ).decision == "deny"
    assert shared.spawn(who, {"Prompt": "Work."}, environ=environ).decision == "deny"
    assert shared.bound_by(who) == "", "whatever an agent's shell says changes nothing"


def test_a_session_without_the_mark_is_the_users(shared: Guarded) -> None:
    """The other variables of the engine mean nothing by themselves."""
    who = shared.primary()
    environ = {**shared.host.environ, "ANTIGRAVITY_TRAJECTORY_ID": "0" * 32}
    environ |= {"ANTIGRAVITY_AGENT": ""}

    assert shared.spawn(who, {"Prompt": "Work."}, environ=environ).decision == "allow"


# Stops


def test_a_stop_without_a_summary_is_sent_back_three_times_and_then_yielded(
    guarded: Guarded,
) -> None:
    """The fourth passes, and the ledger says that it was let go."""
    primary = guarded.primary()
    guarded.work(primary)
    found = [guarded.stop(primary, f"Done, {number}.").decision for number in range(4)]

    assert found == ["continue", "continue", "continue", ""]
    assert "yielded after 3 rejections" in guarded.entries()[-1].reasons


def test_a_new_message_of_the_user_counts_anew(guarded: Guarded) -> None:
    """A turn begins with the user; work of the turn before is not asked about again."""
    primary = guarded.primary()
    guarded.work(primary)
    assert guarded.stop(primary, "Done.").decision == "continue"

    primary.user("Thanks. What is the time?")
    assert guarded.stop(primary, "Late.").answer == {}

    primary.user("Do more.")
    guarded.work(primary)
    found = [guarded.stop(primary, "Done.").decision for _ in range(4)]
    assert found == ["continue", "continue", "continue", ""]


def test_the_hosts_own_count_is_a_limit_too(guarded: Guarded) -> None:
    """A ledger that was lost cannot make a loop without end."""
    primary = guarded.primary()
    guarded.work(primary)
    primary.says("Done.")

    assert guarded.fire("Stop", {**primary.stop(), "executionNum": 2}).decision == "continue"
    assert guarded.fire("Stop", {**primary.stop(), "executionNum": 3}).answer == {}


@pytest.mark.parametrize(
    "answer", ["It is a compiler.", "Summary: none", "", "I would run make, if I could."]
)
def test_a_plain_question_and_answer_is_never_sent_back(shared: Guarded, answer: str) -> None:
    """Reading, searching and being denied are no work to account for."""
    primary = shared.primary("What is make?")
    shared.view(primary)
    shared.call(primary, "search_web", {"query": "make"})
    shared.call(primary, "manage_task", {"Action": "list"})
    shared.run(primary, "make")
    shared.write(primary, f"{shared.workspace}/app.py")

    assert shared.stop(primary, answer).answer == {}


@pytest.mark.parametrize(
    "work",
    [
        ("write_to_file", {"TargetFile": "{folder}/plan.md", "CodeContent": "x"}),
        ("define_subagent", {"name": "n", "system_prompt": "p"}),
        ("schedule", {"Prompt": "p", "DurationSeconds": 300}),
    ],
    ids=lambda x: x[0],
)
def test_work_has_to_be_accounted_for(shared: Guarded, work: tuple[str, dict[str, Any]]) -> None:
    """It wrote, or it set somebody to work."""
    primary = shared.primary()
    shared.call(primary, work[0], filled(work[1], shared, primary))

    assert shared.stop(primary, "Done.").decision == "continue"
    assert shared.stop(primary, "**Summary of skills used:** none").answer == {}


@pytest.mark.parametrize(
    "ending",
    [
        {"terminationReason": "ERROR", "error": "quota"},
        {"terminationReason": "ERROR"},
        {"error": "the model is gone"},
        {"terminationReason": "USER_CANCELED"},
        {"terminationReason": "MAX_INVOCATIONS"},
        {"terminationReason": "TERMINAL_STEP_TYPE"},
        {"fullyIdle": False},
    ],
    ids=repr,
)
def test_an_end_that_the_agent_did_not_choose_is_not_sent_back(
    shared: Guarded, ending: dict[str, Any]
) -> None:
    """It could not satisfy anybody."""
    primary = shared.primary()
    shared.work(primary)
    primary.says("Done.")

    assert shared.fire("Stop", {**primary.stop(), **ending}).answer == {}


def test_a_child_is_not_asked_for_the_primarys_summary(shared: Guarded) -> None:
    """Its report goes to its parent."""
    worker = shared.worker()
    shared.run(worker, "make")

    assert shared.stop(worker, REPORT).answer == {}


def test_attention_can_be_switched_off(guarded: Guarded) -> None:
    """`[attention] mode = "off"`, and `max_rejections` says how often."""
    guarded.configure('[attention]\nmode = "off"\nafter = 0\n')
    primary = guarded.primary()
    guarded.work(primary)
    assert guarded.stop(primary, "Done.").answer == {}

    guarded.configure("[attention]\nmax_rejections = 1\nafter = 0\n")
    assert [guarded.stop(primary, "Done.").decision for _ in range(2)] == ["continue", ""]


def test_observing_records_and_enforces_nothing(guarded: Guarded) -> None:
    """The profile `observe` lets all pass; what would have been denied is in the ledger."""
    guarded.configure('profile = "observe"\n[attention]\nafter = 0\n')
    primary = guarded.primary()

    assert guarded.run(primary, "make").decision == "allow"
    guarded.work(primary)
    assert guarded.stop(primary, "Done.").answer == {}
    reasons = [json.loads(entry.reasons) for entry in guarded.entries()]
    assert ["builtin.delegation", "deny"] in [reason[:2] for one in reasons for reason in one]
    assert ["builtin.attention", "deny"] in [reason[:2] for one in reasons for reason in one]


@pytest.mark.parametrize("event", ["SessionStart", "PreInvocation", "PostToolUse"])
def test_the_other_events_are_silent(shared: Guarded, event: str) -> None:
    """The built-in guards remind nobody yet, and nothing else may be said there."""
    primary = shared.primary()
    payload = {**primary.common(), "invocationNum": 0, "toolCall": None, "error": ""}

    assert shared.fire(event, payload).answer == {}


def test_sessions_side_by_side_do_not_meet(guarded: Guarded) -> None:
    """Each has its own roles, turns and counts."""
    one, two = guarded.primary(), guarded.primary()
    guarded.work(one)

    assert guarded.stop(two, "Hello.").answer == {}
    assert guarded.stop(one, "Done.").decision == "continue"
    assert {entry.conversation for entry in guarded.entries(one.name)} == {one.name}
    assert os.path.dirname(one.folder) == os.path.dirname(two.folder)
