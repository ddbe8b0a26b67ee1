"""Ways to more rights than one was given, each tried through the registered command."""

from __future__ import annotations

import json
import os
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from fakes.family import (
    COORDINATOR,
    REPORT,
    Bound,
    bound,
    coordinator,
    dump,
    metadata,
    spawn,
    statuses,
    token,
    unclaimed,
    worker,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

FINISH = "\n\nWhen you are done, call the finish tool with your result."
"""What the engine adds to the prompt of a workflow's agent (measured)."""


def line(secret: str) -> str:
    return f"[AGGUARD_TOKEN:{secret}]\n\n"


class TestForgedRecords:
    """Evidence counts only where its subject cannot write it."""

    @pytest.mark.parametrize("role", ["primary", "coordinator", "worker"])
    @pytest.mark.parametrize(
        "place",
        [
            "{0}/.system_generated/logs/transcript.jsonl",
            "{0}/.system_generated/logs/transcript_full.jsonl",
            "{0}/.system_generated/subagents/x.json",
            "{0}/.system_generated/tasks/task-3.log",
            "{0}/notes/../.system_generated/logs/transcript.jsonl",
            "{0}/.SYSTEM_GENERATED/logs/transcript.jsonl",
            "file://{0}/.system_generated/logs/transcript.jsonl",
            "file://localhost{0}/%2Esystem_generated/logs/transcript.jsonl",
            "{0}/link/logs/transcript.jsonl",
            "{1}/.system_generated/logs/transcript.jsonl",
            "{0}/mcp/server/tool.json",
        ],
    )
    def test_no_file_tool_writes_the_engines_records(
        self, shared: Guarded, role: str, place: str
    ) -> None:
        """Neither its own nor another's, in no spelling and by no link."""
        parent = shared.primary()
        makers: dict[str, Callable[[], Conversation]] = {
            "primary": lambda: parent,
            "coordinator": lambda: coordinator(shared, parent),
            "worker": lambda: worker(shared, parent),
        }
        who = makers[role]()
        os.symlink(os.path.join(who.folder, ".system_generated"), os.path.join(who.folder, "link"))
        target = place.format(who.folder, shared.primary().folder)

        found = shared.write(who, target)

        assert found.decision == "deny"

    def test_a_forged_opening_changes_nothing_for_who_is_known(self, shared: Guarded) -> None:
        """Should it have been written all the same: what is bound is not looked up again."""
        other = shared.primary()
        (prompt,) = spawn(shared, other, {"Prompt": "Lead.", **COORDINATOR})
        who = shared.primary()
        shared.view(who)
        os.unlink(who.transcript)
        who.step = -1
        who.message(other.name, prompt)

        assert "the primary agent" in shared.run(who, "make").reason
        assert bound(shared, who) == Bound("primary", "", 2, read_only=False)
        assert len(unclaimed(shared, other)) == 1

    def test_a_record_in_another_folder_is_none(self, shared: Guarded) -> None:
        """A folder of the same name in the workspace is not the engine's."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        who, forged = shared.stage.conversation(), shared.stage.conversation()
        forged.message(parent.name, prompt)
        payload = who.calls("run_command", {"CommandLine": "make"})
        payload["transcriptPath"] = forged.transcript

        assert "is not the transcript of this conversation" in (
            shared.fire("PreToolUse", payload).reason
        )
        assert bound(shared, who) is None

    def test_a_conversation_cannot_be_its_own_sender(self, shared: Guarded) -> None:
        """A parent is never the conversation itself."""
        who = shared.stage.conversation()
        who.message(who.name, "Work.")
        found = shared.run(who, "make")
        assert "names itself as the sender" in found.reason
        assert bound(shared, who) is None

    @pytest.mark.parametrize("name", ["../x", "a/b", ".", "..", "{}/../{}"])
    def test_an_id_that_is_a_path_leads_nowhere(self, shared: Guarded, name: str) -> None:
        """The conversation's name becomes the name of a file in other folders."""
        parent, who = shared.primary(), shared.primary()
        spawn(shared, parent, {"Prompt": "Work."})
        call = who.calls("run_command", {"CommandLine": "make"})
        call["conversationId"] = name.format(who.name, parent.name)
        assert shared.fire("PreToolUse", call).decision == "deny"


class TestTheOwnFailedSpawn:
    def failed(self, shared: Guarded, who: Conversation) -> str:
        """Have a spawn of a coordinator fail, and return its prompt."""
        (prompt,) = spawn(shared, who, {"Prompt": "Lead.", **COORDINATOR, "TypeName": "nope"})
        who.record(
            "MODEL",
            "INVOKE_SUBAGENT",
            status="ERROR",
            error='subagent "nope" not found',
            content="",
        )
        return prompt

    def test_is_not_ones_parents_item(self, shared: Guarded) -> None:
        """An unknown agent that issued it cannot claim it once a record appears."""
        who = shared.stage.conversation()
        call = {"TypeName": "nope", "Prompt": "Lead.", **COORDINATOR}
        start = {"name": "invoke_subagent", "args": {"Subagents": [call]}}
        payload = {"stepIdx": 2, "toolCall": start, **who.common()}
        (prompt,) = shared.fire("PreToolUse", payload).prompts
        who.user(prompt)

        assert "the primary agent" in shared.run(who, "make").reason
        assert bound(shared, who) == Bound("primary", "", 2, read_only=False)
        assert [item.child for item in unclaimed(shared, who)] == [""]

    def test_gives_nothing_to_a_child_that_comes_with_its_token(self, shared: Guarded) -> None:
        """At the parent's next event the item is FAILED, and what failed cannot be claimed."""
        parent = shared.primary()
        prompt = self.failed(shared, parent)
        shared.view(parent)
        child = shared.child(parent, prompt)

        assert "no open task" in shared.run(child, "make").reason
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=True)
        assert unclaimed(shared, parent) == []

    def test_does_not_fall_to_a_child_of_another_call(self, shared: Guarded) -> None:
        """A child whose token got lost is not matched to what failed."""
        parent = shared.primary()
        self.failed(shared, parent)
        shared.view(parent)
        child = shared.child(parent, "Lead.")

        shared.view(child)

        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=True)


class TestWorkflows:
    """Agents of `run_workflow` are main agents: their records open like a primary's."""

    SCRIPT = 'await agent("WF: " + "do it", {"type": "string"})'

    def start(self, shared: Guarded, who: Conversation) -> int:
        """Have an agent run a workflow; return the step of the call."""
        payload = who.calls("run_workflow", {"Script": self.SCRIPT})
        found = shared.fire("PreToolUse", payload)
        assert found.decision == "allow", found.reason
        text = f"Tool is running as a background task with task id: {who.name}/task-{who.step + 1}"
        who.record("MODEL", "GENERIC", status="RUNNING", content=text)
        return who.step

    def agent(self, shared: Guarded, starter: Conversation, step: int) -> Conversation:
        """Begin a workflow's agent as the engine does: first the log names it."""
        found = shared.stage.conversation()
        folder = os.path.join(starter.folder, ".system_generated", "tasks")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"task-{step}.log"), "a", encoding="utf-8") as file:
            file.write(f"- [agent:self] R: running ({found.name})\n")
        found.user("WF: do it" + FINISH)
        return found

    def test_a_primary_and_a_worker_start_none(self, shared: Guarded) -> None:
        """It executes, so it is not the primary's; it delegates, so it is not a worker's."""
        parent = shared.primary()
        child = worker(shared, parent)
        args = {"Script": self.SCRIPT}
        assert shared.call(parent, "run_workflow", args).decision == "deny"
        assert "remaining_depth=0" in shared.call(child, "run_workflow", args).reason

    def test_an_agent_of_a_coordinators_workflow_is_its_worker(self, shared: Guarded) -> None:
        """Its prompt may be computed, so it is known by the log, not by the script."""
        leader = coordinator(shared)
        agent = self.agent(shared, leader, self.start(shared, leader))

        assert "remaining_depth=0" in shared.spawn(agent, {"Prompt": "p"}).reason
        assert shared.run(agent, "make").decision == "deny"
        assert shared.view(agent).decision == "allow"
        assert bound(shared, agent) == Bound("worker", leader.name, 0, read_only=True)

    def test_an_agent_without_a_log_is_no_primary_either(self, shared: Guarded) -> None:
        """Nobody knows whose it is; it starts nobody, and nothing is stored."""
        agent = shared.primary("Do it." + FINISH)
        assert "remaining_depth=0" in shared.spawn(agent, {"Prompt": "p"}).reason
        assert shared.run(agent, "make").decision == "deny"
        assert bound(shared, agent) is None

    def test_a_log_of_a_command_names_nobody(self, shared: Guarded) -> None:
        """A worker's command prints whatever it likes into its own log."""
        leader = coordinator(shared)
        shared.run(leader, "echo")
        leader.result("RUN_COMMAND", "The command exited with code 0.")
        victim = shared.primary()
        folder = os.path.join(leader.folder, ".system_generated", "tasks")
        os.makedirs(folder)
        with open(os.path.join(folder, f"task-{leader.step}.log"), "w") as file:
            file.write(f"- [agent:self] R: running ({victim.name})\n")

        shared.view(victim)

        assert bound(shared, victim) == Bound("primary", "", 2, read_only=False)

    def test_a_conversation_older_than_the_workflow_is_not_its_agent(self, shared: Guarded) -> None:
        """A script that logs the names of the user's other conversations does not get them."""
        victim, leader = shared.stage.conversation(), coordinator(shared)
        before = (datetime.now(UTC) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        victim.record("USER_EXPLICIT", "USER_INPUT", content="Hello.", created_at=before)
        step = self.start(shared, leader)
        folder = os.path.join(leader.folder, ".system_generated", "tasks")
        os.makedirs(folder)
        with open(os.path.join(folder, f"task-{step}.log"), "w") as file:
            file.write(f"- [agent:self] R: running ({victim.name})\n")

        shared.view(victim)

        assert bound(shared, victim) == Bound("primary", "", 2, read_only=False)


INSIDE = {"ANTIGRAVITY_AGENT": "1"}


def inside(guarded: Guarded, who: Conversation) -> dict[str, str]:
    """Return the environment of a command that an agent runs (contract, the table)."""
    return {**guarded.host.environ, **INSIDE, "ANTIGRAVITY_TRAJECTORY_ID": who.name}


class TestAnAgentsShell:
    @pytest.mark.parametrize("named", [True, False])
    def test_an_agent_cli_started_from_it_is_a_worker_without_rights(
        self, shared: Guarded, named: bool
    ) -> None:
        """Its conversation opens like a primary's; its hooks run in the marked environment."""
        starter = worker(shared, shared.primary())
        nested = shared.primary("Do what I may not.")
        environ = inside(shared, starter)
        if not named:
            del environ["ANTIGRAVITY_TRAJECTORY_ID"]

        start = shared.spawn(nested, {"Prompt": "p", **COORDINATOR}, environ=environ)
        run = shared.run(nested, "make", environ=environ)
        write = shared.write(nested, f"{shared.workspace}/x", environ=environ)

        assert "remaining_depth=0" in start.reason
        assert "started from an agent's shell" in run.reason
        assert write.decision == "deny"
        assert shared.view(nested, environ=environ).decision == "allow"
        assert bound(shared, nested) is None
        assert unclaimed(shared, nested) == []

    def payloads(self, shared: Guarded) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return what a worker might make the launcher say, in the name of others."""
        primary, leader = shared.primary(), coordinator(shared)
        sibling = worker(shared, leader)
        spawn(shared, primary, {"Prompt": "Work."})
        new_child, new_primary = shared.child(primary, "Work."), shared.primary()
        entry = {"TypeName": "DeepCoder", "Role": "DeepCoder", "Prompt": "Lead."}
        start = {"name": "invoke_subagent", "args": {"Subagents": [entry]}}
        message = {"name": "send_message", "args": {"Recipient": sibling.name, "Message": "More."}}
        ends = {"Action": "kill", "ConversationIds": [sibling.name]}
        kill = {"name": "manage_subagents", "args": ends}
        call = {"stepIdx": 77, "error": ""}
        parent = {"parentConversationId": primary.name}
        return {
            "spawn of a primary": ("PreToolUse", {**call, "toolCall": start, **primary.common()}),
            "spawn of a new one": (
                "PreToolUse",
                {**call, "toolCall": start, **new_primary.common()},
            ),
            "message": ("PreToolUse", {**call, "toolCall": message, **leader.common()}),
            "kill": ("PostToolUse", {**call, "toolCall": kill, **leader.common()}),
            "failure": (
                "PostToolUse",
                {**call, "toolCall": start, "error": "x", **primary.common()},
            ),
            "stop of a sibling": ("Stop", sibling.stop()),
            "stop of a coordinator": ("Stop", {**leader.stop(), "fullyIdle": False}),
            "stop of a primary": ("Stop", primary.stop()),
            "claim": ("PreInvocation", {"invocationNum": 0, **new_child.common()}),
            "adoption": ("PreInvocation", {"invocationNum": 0, **new_primary.common(), **parent}),
            "nobody": ("SessionStart", {**shared.stage.conversation().common()}),
        }

    def test_nothing_that_is_said_from_there_changes_anything(self, shared: Guarded) -> None:
        """Forged stdin to the launcher: every table but the audit log stays as it was."""
        attacker = worker(shared, shared.primary())
        forged = self.payloads(shared)
        before = dump(shared)

        for event, payload in forged.values():
            shared.fire(event, payload, environ=inside(shared, attacker))

        assert dump(shared) == before

    def test_what_is_said_from_there_is_recorded(self, shared: Guarded) -> None:
        """As inert: it counts for nothing, and says that it came from a shell."""
        attacker = worker(shared, shared.primary())
        event, payload = self.payloads(shared)["spawn of a primary"]
        shared.fire(event, payload, environ=inside(shared, attacker))

        entry = shared.entries(payload["conversationId"])[-1]

        assert (entry.inert, entry.decision, entry.role) == (True, "deny", "worker")
        assert f"from the shell of agent '{attacker.name}'" in entry.reasons

    def test_whom_it_named_goes_on_as_before(self, shared: Guarded) -> None:
        """A child still claims its work, a new primary is one, a sibling works."""
        attacker = worker(shared, shared.primary())
        sibling, parent = worker(shared, shared.primary()), shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        child, fresh = shared.child(parent, prompt), shared.primary()
        for who in (sibling, child, fresh):
            shared.fire("Stop", who.stop(), environ=inside(shared, attacker))
            shared.view(who, environ=inside(shared, attacker))

        assert shared.run(sibling, "make").decision == "allow"
        assert shared.run(child, "make").decision == "allow"
        shared.view(fresh)
        assert bound(shared, fresh) == Bound("primary", "", 2, read_only=False)

    def test_a_forged_message_of_ones_parent_opens_no_task(self, shared: Guarded) -> None:
        """A worker that is done cannot give itself another task by its parent's hook."""
        parent = shared.primary()
        child = worker(shared, parent)
        shared.stop(child, REPORT)
        call = {"name": "send_message", "args": {"Recipient": child.name, "Message": "More."}}
        payload = {"stepIdx": 99, "toolCall": call, **parent.common()}
        shared.fire("PreToolUse", payload, environ=inside(shared, child))

        assert statuses(shared, child) == ["TERMINATED"]
        assert "no open task" in shared.run(child, "make").reason


class TestTwoIdenticalPrompts:
    """On hosts that drop `overwrite` they cannot be told apart, so each gets the least right."""

    @pytest.mark.parametrize("first", [0, 1])
    @pytest.mark.parametrize(
        "other",
        [COORDINATOR, {"Model": "pro"}],
        ids=["more depth", "more than reading"],
    )
    def test_with_different_rights_give_the_least(
        self, shared: Guarded, other: dict[str, str], first: int
    ) -> None:
        """Also to the one that comes last, when only the greater right is left."""
        parent = shared.primary()
        less = {} if "Role" in other else {"Model": "flash_lite"}
        entries = [{"Prompt": "Do it.", **less}, {"Prompt": "Do it.", **other}]
        spawn(shared, parent, *entries[first:], *entries[:first])
        one, two = shared.child(parent, "Do it."), shared.child(parent, "Do it.")
        shared.view(one)
        shared.view(two)

        least = Bound("worker", parent.name, 0, read_only="Model" in less)
        assert bound(shared, one) == least
        assert bound(shared, two) == least
        assert unclaimed(shared, parent) == []

    def test_of_different_calls_give_the_least(self, shared: Guarded) -> None:
        """A prompt that was used for a reader makes a reader of whoever brings it."""
        parent = shared.primary()
        spawn(shared, parent, {"Prompt": "Do it.", **COORDINATOR})
        spawn(shared, parent, {"Prompt": "Do it.", "Model": "flash_lite"})
        children = [shared.child(parent, "Do it.") for _ in range(2)]
        for child in children:
            shared.view(child)
            assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=True)

    def test_of_different_parents_are_not_mixed_up(self, shared: Guarded) -> None:
        """The sender is the issuer."""
        one, two = shared.primary(), shared.primary()
        spawn(shared, one, {"Prompt": "Do it.", **COORDINATOR})
        spawn(shared, two, {"Prompt": "Do it.", "Model": "flash_lite"})
        child = shared.child(two, "Do it.")
        shared.view(child)
        assert bound(shared, child) == Bound("worker", two.name, 0, read_only=True)


class TestTokens:
    """A token that is pasted, guessed, replayed or foreign gives no right."""

    def test_a_second_one_with_more_depth_does_not_raise_a_child(self, shared: Guarded) -> None:
        """A reused child whose parent sends it a coordinator's token stays what it is."""
        parent = shared.primary()
        child = worker(shared, parent)
        shared.stop(child, REPORT)
        (prompt,) = spawn(shared, parent, {"Prompt": "Lead.", **COORDINATOR})
        message = {"Recipient": child.name, "Message": prompt}
        assert shared.call(parent, "send_message", message).decision == "allow"
        child.message(parent.name, prompt)

        assert shared.run(child, "make").decision == "allow"  # its second task, the same rights
        assert "remaining_depth=0" in shared.spawn(child, {"Prompt": "p"}).reason
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=False)
        # Who it was issued for can still claim it.
        leader = shared.child(parent, prompt)
        shared.view(leader)
        assert bound(shared, leader) == Bound("coordinator", parent.name, 1, read_only=False)

    @pytest.mark.parametrize("place", ["first", "later"])
    def test_a_pasted_one_makes_no_child_of_a_primary(self, shared: Guarded, place: str) -> None:
        """In a user's message it is text, in the first or in a later one."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        child = shared.child(parent, prompt)
        parent.spawned(child)
        who = shared.primary(prompt if place == "first" else "Hello.")
        if place == "later":
            who.user(prompt)

        found = shared.run(who, "make")

        assert "the primary agent" in found.reason
        assert bound(shared, who) == Bound("primary", "", 2, read_only=False)
        assert shared.run(child, "make").decision == "allow"

    def test_one_pasted_before_its_child_started_binds_nobody(self, shared: Guarded) -> None:
        """Until the parent's record tells who the child is, the user's words are no evidence."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        who = shared.primary(prompt)
        assert "is judged like the primary" in shared.run(who, "make").reason
        child = shared.child(parent, prompt)
        assert shared.run(child, "make").decision == "allow"
        assert "the primary agent" in shared.run(who, "make").reason
        assert bound(shared, who) == Bound("primary", "", 2, read_only=False)

    def test_a_guessed_one_gives_nothing(self, shared: Guarded) -> None:
        """Agguard did not issue it."""
        parent = shared.primary()
        child = shared.child(parent, line(str(uuid.uuid4())) + "Work.")
        assert shared.run(child, "make").decision == "deny"
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=True)

    def test_a_replayed_one_gives_nothing(self, shared: Guarded) -> None:
        """It is claimed once, by exactly one conversation."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Lead.", **COORDINATOR})
        first, second = shared.child(parent, prompt), shared.child(parent, prompt)
        shared.view(first)
        assert shared.run(second, "make").decision == "deny"
        assert bound(shared, first) == Bound("coordinator", parent.name, 1, read_only=False)
        assert bound(shared, second) == Bound("worker", parent.name, 0, read_only=True)

    def test_a_foreign_one_gives_nothing(self, shared: Guarded) -> None:
        """The sender, where there is one, is the issuer."""
        parent, other = shared.primary(), shared.primary()
        (prompt,) = spawn(shared, other, {"Prompt": "Lead.", **COORDINATOR})
        child = shared.child(parent, prompt)
        assert shared.run(child, "make").decision == "deny"
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=True)
        assert len(unclaimed(shared, other)) == 1

    def test_one_further_down_counts_for_nothing(self, shared: Guarded) -> None:
        """Only a prompt's beginning is agguard's; the rest is whoever wrote it."""
        parent = shared.primary()
        more, own = spawn(shared, parent, {"Prompt": "Lead.", **COORDINATOR}, {"Prompt": "Work."})
        child = shared.child(parent, f"{own}\n{line(token(more))}")
        shared.view(child)
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=False)
        assert len(unclaimed(shared, parent)) == 1

    def test_the_issuer_cannot_take_its_own(self, shared: Guarded) -> None:
        """A primary that sends itself its child's prompt stays a primary."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        parent.user(prompt)
        parent.message(parent.name, prompt)
        assert "the primary agent" in shared.run(parent, "make").reason
        assert len(unclaimed(shared, parent)) == 1

    def test_a_spelling_that_is_not_the_tokens_gives_nothing(self, shared: Guarded) -> None:
        """Upper case, spaces, a number in the front: none of them is it."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        secret = token(prompt)
        for text in (line(secret.upper()), line(f" {secret}"), f"1. {line(secret)}"):
            child = shared.child(parent, text + "Work.")
            assert shared.run(child, "make").decision == "deny"
        assert len(unclaimed(shared, parent)) == 1


class TestStayingUnknown:
    def test_does_not_help_to_a_later_item(self, shared: Guarded) -> None:
        """A conversation that was there before an item was issued cannot claim it."""
        parent = shared.primary()
        lurker = shared.stage.conversation()
        call = {"toolCall": {"name": "view_file", "args": {"AbsolutePath": "/x"}}, "stepIdx": 1}
        shared.fire("PreToolUse", {**call, **lurker.common()})
        (prompt,) = spawn(shared, parent, {"Prompt": "Lead.", **COORDINATOR})
        lurker.message(parent.name, prompt)

        assert shared.run(lurker, "make").decision == "deny"
        assert bound(shared, lurker) == Bound("worker", parent.name, 0, read_only=True)
        assert len(unclaimed(shared, parent)) == 1

    def test_does_not_help_to_execution(self, shared: Guarded) -> None:
        """However often it asks."""
        who = shared.stage.conversation()
        run = {"toolCall": {"name": "run_command", "args": {"CommandLine": "make"}}}
        for step in range(3):
            found = shared.fire("PreToolUse", {**run, "stepIdx": step, **who.common()})
            assert found.decision == "deny"

    def test_does_not_help_to_coordinators(self, shared: Guarded) -> None:
        """What an unknown agent starts are workers, and they start nobody."""
        who = shared.stage.conversation()
        entry = {"TypeName": "DeepCoder", "Role": "DeepCoder", "Prompt": "Lead."}
        start = {"name": "invoke_subagent", "args": {"Subagents": [entry]}}
        found = shared.fire("PreToolUse", {"stepIdx": 1, "toolCall": start, **who.common()})
        child = shared.child(who, found.prompts[0])
        assert "remaining_depth=0" in shared.spawn(child, {"Prompt": "p"}).reason

    def test_does_not_hide_from_the_parents_record(self, shared: Guarded) -> None:
        """A child without a record of its own is found in its parent's."""
        parent = shared.primary()
        spawn(shared, parent, {"Prompt": "Look.", "Model": "flash_lite"})
        child = shared.stage.conversation()
        metadata(parent, child, step=parent.step + 1)
        start = {"name": "invoke_subagent", "args": {"Subagents": [{"Prompt": "p"}]}}
        found = shared.fire("PreToolUse", {"stepIdx": 1, "toolCall": start, **child.common()})
        assert "remaining_depth=0" in found.reason


def test_the_issuers_token_is_a_random_uuid(shared: Guarded) -> None:
    """Version 4, and never the same twice."""
    parent = shared.primary()
    prompts = spawn(shared, parent, *[{"Prompt": "p"}] * 20)
    found = [uuid.UUID(token(prompt)) for prompt in prompts]
    assert {one.version for one in found} == {4}
    assert len(set(found)) == 20
    assert all(json.dumps(str(one)) == f'"{one}"' for one in found)
