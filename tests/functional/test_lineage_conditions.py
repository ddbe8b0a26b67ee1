"""It is established who calls whatever the host does to the evidence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from fakes.family import (
    COORDINATOR,
    REPORT,
    Bound,
    bound,
    idle,
    spawn,
    tasks,
    token,
    unclaimed,
    verified,
    worker,
)

if TYPE_CHECKING:
    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

GIGABYTE = 1 << 30
ENGINE_CUT = 48_000
"""Characters of a message that the engine writes down (measured)."""


def payload(who: Conversation, command: str = "make") -> dict[str, Any]:
    """Make a call without a row for it: the transcript stays as it is."""
    call = {"name": "run_command", "args": {"CommandLine": command}}
    return {"toolCall": call, "stepIdx": 1, **who.common()}


def rows(who: Conversation) -> list[str]:
    with open(who.transcript, encoding="utf-8") as file:
        return file.readlines()


class TestALateTranscript:
    def test_is_waited_for(self, shared: Guarded) -> None:
        """The first hook of a child finds its record when it comes a moment after the hook."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        child = shared.child(parent, prompt)
        ready = child.transcript + ".ready"
        os.rename(child.transcript, ready)
        usual = shared.view(parent).seconds  # a hook that does not wait is over by then
        move = ["sh", "-c", 'sleep "$1"; mv "$2" "$3"', "sh", f"{usual + 0.1:.3f}"]
        with subprocess.Popen([*move, ready, child.transcript]):
            found = shared.fire("PreToolUse", payload(child))

        assert found.decision == "allow", found.reason
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=False)

    def test_that_never_comes_is_not_waited_for_again(self, shared: Guarded) -> None:
        """In the IDE none comes before the turn ends; only the first hook pays for that."""
        who = shared.stage.conversation()
        first = shared.fire("PreToolUse", payload(who)).seconds
        again = min(shared.fire("PreToolUse", payload(who)).seconds for _ in range(5))
        assert again < first


class TestALargeTranscript:
    def hollow(self, who: Conversation) -> None:
        """Put a gigabyte of nothing behind what is written so far."""
        with open(who.transcript, "r+b") as file:
            file.truncate(GIGABYTE)
            file.seek(0, os.SEEK_END)
            file.write(b"\n")

    def test_of_a_child_is_read_from_its_head(self, shared: Guarded) -> None:
        """A gigabyte makes no difference to how it began."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        child = shared.child(parent, prompt)
        self.hollow(child)
        child.says("Here I am.")
        assert shared.run(child, "make").decision == "allow"

    def test_of_a_parent_is_read_from_its_end(self, shared: Guarded) -> None:
        """The row that names the child is among the newest; so is the one that ends it."""
        parent = shared.primary()
        self.hollow(parent)
        spawn(shared, parent, {"Prompt": "same", **COORDINATOR}, {"Prompt": "same"})
        leader, follower = shared.child(parent, "same"), shared.child(parent, "same")
        parent.spawned(leader, follower)
        shared.view(follower)
        shared.view(leader)
        assert bound(shared, leader) == Bound("coordinator", parent.name, 1, read_only=False)
        idle(parent, leader)
        shared.view(parent)
        assert [(x.status, x.cause) for x in tasks(shared, leader)] == [("TERMINATED", "")]

    def test_prompt_of_a_megabyte_is_recognized(self, shared: Guarded) -> None:
        """By its token, which stands first, with one file or with both of them."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work. " + 'ä"\\' * 350_000})
        assert len(prompt.encode()) > 1 << 20
        child = shared.child(parent, prompt)
        full = child.transcript.replace("transcript.jsonl", "transcript_full.jsonl")
        shutil.copy(child.transcript, full)
        compact = json.loads(rows(child)[0])
        compact |= {"content": compact["content"][:4096], "truncated_fields": ["content"]}
        with open(child.transcript, "w", encoding="utf-8") as file:
            file.write(json.dumps(compact) + "\n")

        assert shared.run(child, "make").decision == "allow"
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=False)

    def test_prompt_that_was_cut_gets_the_least_that_waits(self, shared: Guarded) -> None:
        """Without a token its digest cannot be compared; any of the parent's work may be its."""
        parent = shared.primary()
        long = "Work. " * 20_000
        spawn(shared, parent, {"Prompt": long, **COORDINATOR}, {"Prompt": "Work."})
        cut = long[:ENGINE_CUT] + "\n<truncated 72000 bytes>\n\nNOTE: The output was truncated"
        child = shared.child(parent, cut)
        shared.view(child)
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=False)


class TestTwoFires:
    """Where agguard is registered twice, the host asks twice about one call (contract, 1.4)."""

    def test_of_one_call_issue_one_item(self, shared: Guarded) -> None:
        """The second is answered with the same tokens."""
        parent = shared.primary()
        entries = [{"Prompt": "a", "Role": "executor"}, {"Prompt": "b", "Role": "executor"}]
        call = parent.calls("invoke_subagent", {"Subagents": entries})
        first = shared.fire("PreToolUse", call)
        second = shared.fire("PreToolUse", call)

        assert second.answer == first.answer
        assert [x.token for x in unclaimed(shared, parent)] == [token(x) for x in first.prompts]

    def test_with_the_arguments_as_changed_by_the_first(self, shared: Guarded) -> None:
        """One of the executors hands the second hook what the first has written."""
        parent = shared.primary()
        entries = [{"Prompt": "a", "Role": "executor"}, {"Prompt": "b", "Role": "executor"}]
        call = parent.calls("invoke_subagent", {"Subagents": entries})
        first = shared.fire("PreToolUse", call)
        changed = {"name": "invoke_subagent", "args": first.answer["overwrite"]}
        second = shared.fire("PreToolUse", {**call, "toolCall": changed})

        assert second.decision == "allow"
        assert second.prompts in ([], first.prompts)
        assert [x.token for x in unclaimed(shared, parent)] == [token(x) for x in first.prompts]
        child = shared.child(parent, first.prompts[1])
        assert shared.run(child, "make").decision == "allow"

    def test_at_a_step_that_the_host_counts_anew(self, shared: Guarded) -> None:
        """After a compaction another call may have the number of an old one."""
        parent = shared.primary()
        call = parent.calls("invoke_subagent", {"Subagents": [{"Prompt": "old"}]})
        (old,) = shared.fire("PreToolUse", call).prompts
        first = shared.child(parent, old)
        assert shared.run(first, "make").decision == "allow"
        other = {"name": "invoke_subagent", "args": {"Subagents": [{"Prompt": "new"}]}}
        (new,) = shared.fire("PreToolUse", {**call, "toolCall": other}).prompts

        assert token(new) != token(old)
        assert shared.run(shared.child(parent, new), "make").decision == "allow"

    def test_of_a_childs_first_hook_claim_once(self, shared: Guarded) -> None:
        """The same conversation presents its token again and keeps its work."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        child = shared.child(parent, prompt)
        call = child.calls("run_command", {"CommandLine": "make"})
        assert [shared.fire("PreToolUse", call).decision for _ in "ab"] == ["allow"] * 2
        assert len(tasks(shared, child)) == 1


@pytest.mark.parametrize("overwrites", [True, False], ids=["token", "no token"])
def test_many_children_start_at_once(shared: Guarded, overwrites: bool) -> None:
    """Each process claims its own work, and none waits for ever or gets another's."""
    parent = shared.primary()
    count = 12
    entries = [{"Prompt": f"Task {n}.", **(COORDINATOR if n % 2 else {})} for n in range(count)]
    prompts = spawn(shared, parent, *entries)
    given = prompts if overwrites else [entry["Prompt"] for entry in entries]
    children = [shared.child(parent, prompt) for prompt in given]
    calls = [payload(child) for child in children]

    with ThreadPoolExecutor(count) as pool:
        found = list(pool.map(lambda call: shared.fire("PreToolUse", call), calls))

    assert [one.decision for one in found] == ["allow"] * count
    for number, child in enumerate(children):
        (item,) = tasks(shared, child)
        assert (item.position, item.issuer) == (number, parent.name)
        assert bound(shared, child) == (
            Bound("coordinator", parent.name, 1, read_only=False)
            if number % 2
            else Bound("worker", parent.name, 0, read_only=False)
        )
    assert verified(shared) == []


def test_one_token_and_many_processes(shared: Guarded) -> None:
    """Of many conversations that bring one token at once, one gets it."""
    parent = shared.primary()
    (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
    children = [shared.child(parent, prompt) for _ in range(8)]
    calls = [payload(child) for child in children]

    with ThreadPoolExecutor(len(calls)) as pool:
        found = list(pool.map(lambda call: shared.fire("PreToolUse", call), calls))

    assert sorted(one.decision for one in found) == ["allow", *["deny"] * 7]


class TestARewrittenTranscript:
    def compact(self, who: Conversation) -> None:
        """Have the host throw the beginning away."""
        kept = rows(who)[-1:]
        with open(who.transcript, "w", encoding="utf-8") as file:
            file.writelines(kept)

    def test_leaves_a_worker_its_rights(self, shared: Guarded) -> None:
        """They are in the ledger, and nothing is read again."""
        parent = shared.primary()
        child = worker(shared, parent)
        child.says("Long talk.")
        self.compact(child)
        assert shared.run(child, "make").decision == "allow"
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=False)

    def test_leaves_a_parent_its_children(self, shared: Guarded) -> None:
        """What it issued is in the ledger, and a report that comes later is still understood."""
        parent = shared.primary()
        child = worker(shared, parent)
        parent.says("Long talk.")
        self.compact(parent)
        assert shared.run(child, "make").decision == "allow"
        idle(parent, child)
        shared.view(parent)
        assert [item.status for item in tasks(shared, child)] == ["TERMINATED"]

    def test_of_a_child_that_was_never_seen_tells_nothing(self, shared: Guarded) -> None:
        """Its beginning is gone, and so is the evidence; it is unknown."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        child = shared.child(parent, prompt)
        child.says("Long talk.")
        self.compact(child)
        assert "cannot establish" in shared.run(child, "make").reason


class TestTheIde:
    """Transcripts are written when the turn ends (contract, section 5)."""

    def test_a_primary_is_one_from_its_first_stop_on(self, shared: Guarded) -> None:
        """Until then it is unknown, and judged the same."""
        who = shared.stage.conversation()
        assert "judged like the primary" in shared.fire("PreToolUse", payload(who)).reason
        who.user("Hello.")
        who.says("Done.")
        assert shared.fire("Stop", who.stop()).answer == {}
        assert bound(shared, who) == Bound("primary", "", 2, read_only=False)
        assert "the primary agent" in shared.run(who, "make").reason

    def test_a_child_with_its_record_at_the_end_is_found_by_its_sender(
        self, shared: Guarded
    ) -> None:
        """Without any record of subagents: at its stop, and from then on."""
        parent = shared.primary()
        (prompt,) = spawn(shared, parent, {"Prompt": "Work."})
        child = shared.stage.conversation()
        assert "cannot establish" in shared.fire("PreToolUse", payload(child)).reason
        child.message(parent.name, prompt)
        child.says(REPORT)
        shared.fire("Stop", child.stop())
        assert bound(shared, child) == Bound("worker", parent.name, 0, read_only=False)
        assert [item.status for item in tasks(shared, child)] == ["TERMINATED"]
