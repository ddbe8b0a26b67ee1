"""What becomes of work: started, waiting, ended, silent, late; told by hooks or by records."""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from fakes.family import (
    COORDINATOR,
    REPORT,
    Bound,
    bound,
    coordinator,
    dump,
    events,
    idle,
    spawn,
    state,
    statuses,
    tasks,
    unclaimed,
    verified,
    worker,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

SUMMARY = "Summary of skills used: delegation. Not verified because nothing was built."


@pytest.fixture
def sound(shared: Guarded) -> Iterator[Guarded]:
    """The shared home; afterwards events and tables agree."""
    yield shared
    assert verified(shared) == []


def age(guarded: Guarded, seconds: float, *who: Conversation) -> None:
    """Make the work of conversations older than it is."""
    link = sqlite3.connect(guarded.ledger)
    for one in who:
        link.execute(
            "UPDATE work_items SET updated_at = updated_at - ?"
            " WHERE (issuer = ? OR child = ?) AND ended_seq = 0",
            (seconds, one.name, one.name),
        )
    link.commit()
    link.close()


def message(guarded: Guarded, parent: Conversation, child: Conversation, text: str) -> None:
    """Have the host deliver a message, with a row on both sides and no hook."""
    parent.calls("send_message", {"Recipient": child.name, "Message": text})
    parent.result("GENERIC", f'Message sent to "{child.name}".')
    child.message(parent.name, text)


def delay_of_messages(who: Conversation, seconds: float) -> None:
    """Move the times of what was sent to a conversation."""
    with open(who.transcript, encoding="utf-8") as file:
        text = file.read()

    def moved(found: re.Match[str]) -> str:
        sent = datetime.fromisoformat(found[1]) + timedelta(seconds=seconds)
        return f"timestamp={sent:%Y-%m-%dT%H:%M:%SZ}"

    with open(who.transcript, "w", encoding="utf-8") as file:
        file.write(re.sub(r"timestamp=(\S+)", moved, text))


def manage(parent: Conversation, **args: Any) -> None:
    """Record that an agent has ended subagents; the engine raises no hook for it."""
    parent.calls("manage_subagents", args)
    parent.result("GENERIC", "Successfully killed 1 subagent(s) and their descendants.")


def waits(guarded: Guarded, who: Conversation) -> None:
    """Fire a stop of an agent that waits for others."""
    guarded.fire("Stop", {**who.stop(), "fullyIdle": False})


class TestALife:
    def test_goes_from_issued_to_terminated(self, sound: Guarded) -> None:
        """And the turn of the parent with it, from open to closed."""
        parent = sound.primary()
        sound.view(parent)
        assert state(sound, parent) == "OPEN"

        (prompt,) = spawn(sound, parent, {"Prompt": "Work."})
        assert [item.status for item in unclaimed(sound, parent)] == ["ISSUED"]
        assert state(sound, parent) == "HANDOFF_PENDING"

        child = sound.child(parent, prompt)
        parent.spawned(child)
        sound.run(child, "make")
        assert statuses(sound, child) == ["ACTIVE"]
        assert state(sound, parent) == "EXECUTION_ACTIVE"

        sound.stop(child, REPORT)
        assert statuses(sound, child) == ["TERMINATED"]
        assert state(sound, parent) == "REVIEWING"

        assert sound.stop(parent, SUMMARY).answer == {}
        assert state(sound, parent) == "CLOSED"

    def test_waits_and_goes_on(self, sound: Guarded) -> None:
        """A stop that is not fully idle is a pause; the next event ends it."""
        leader = coordinator(sound)
        child = worker(sound, leader)
        waits(sound, leader)
        assert statuses(sound, leader) == ["WAITING"]
        assert statuses(sound, child) == ["ACTIVE"]
        sound.stop(child, REPORT)
        assert statuses(sound, leader) == ["WAITING"]
        sound.view(leader)
        assert statuses(sound, leader) == ["ACTIVE"]
        waits(sound, leader)
        sound.stop(leader, REPORT)
        assert statuses(sound, leader) == ["TERMINATED"]

    @pytest.mark.parametrize(
        ("ending", "status"),
        [
            ({}, "TERMINATED"),
            ({"terminationReason": "TERMINAL_STEP_TYPE"}, "TERMINATED"),
            ({"terminationReason": "INJECTED_RESPONSE"}, "TERMINATED"),
            ({"terminationReason": "model_stop"}, "TERMINATED"),
            ({"terminationReason": ""}, "TERMINATED"),
            ({"error": "model overloaded"}, "FAILED"),
            ({"terminationReason": "ERROR"}, "FAILED"),
            ({"terminationReason": "USER_CANCELED"}, "FAILED"),
            ({"terminationReason": "MAX_INVOCATIONS"}, "FAILED"),
            ({"terminationReason": "A_REASON_OF_TOMORROW"}, "FAILED"),
        ],
        ids=str,
    )
    def test_ends_as_the_stop_says(
        self, sound: Guarded, ending: dict[str, str], status: str
    ) -> None:
        """An error, a limit, a canceled run: none of them is a success."""
        parent = sound.primary()
        child = worker(sound, parent)
        sound.fire("Stop", {**child.stop(), **ending})
        assert statuses(sound, child) == [status]
        expected = "REVIEWING" if status == "TERMINATED" else "RECOVERY_REQUIRED"
        assert state(sound, parent) == expected

    def test_of_a_turn_goes_on_with_a_new_message(self, sound: Guarded) -> None:
        """What is open stays open, and the new turn has its own number."""
        parent = sound.primary()
        child = worker(sound, parent)
        sound.stop(parent, "I wait.")
        assert state(sound, parent) == "EXECUTION_ACTIVE"
        parent.user("And also this.")
        sound.fire("PreInvocation", {"invocationNum": 0, **parent.common()})
        assert state(sound, parent) == "EXECUTION_ACTIVE"
        sound.stop(child, REPORT)
        assert sound.stop(parent, SUMMARY).answer == {}
        parent.user("Thanks. One more.")
        sound.fire("PreInvocation", {"invocationNum": 0, **parent.common()})
        assert state(sound, parent) == "OPEN"
        turns = {event.turn for event in events(sound, parent)}
        assert len(turns) == 3

    def test_of_a_denied_call_is_no_failure(self, sound: Guarded) -> None:
        """A denial moves nothing."""
        parent = sound.primary()
        worker(sound, parent)
        assert sound.run(parent, "make").decision == "deny"
        assert state(sound, parent) == "EXECUTION_ACTIVE"


class TestASignOfLife:
    @pytest.mark.parametrize(
        ("event", "fields"),
        [
            ("PreToolUse", {"toolCall": {"name": "list_dir", "args": {"DirectoryPath": "/"}}}),
            ("PreToolUse", {"toolCall": {"name": "invoke_subagent", "args": {}}}),
            ("PostToolUse", {"toolCall": {"name": "list_dir", "args": {}}, "error": ""}),
            ("PostToolUse", {"toolCall": None, "error": "x"}),
            ("PreInvocation", {"invocationNum": 3}),
            ("SessionStart", {}),
            ("Stop", {"fullyIdle": False}),
        ],
        ids=str,
    )
    def test_is_every_hook_of_a_child(
        self, sound: Guarded, event: str, fields: dict[str, Any]
    ) -> None:
        """Whatever the event is, and whatever comes of it."""
        child = worker(sound, sound.primary())
        age(sound, 5000, child)
        (before,) = tasks(sound, child)
        sound.fire(event, {"stepIdx": 9, **child.stop(), **fields})
        (after,) = tasks(sound, child)
        assert after.updated_at > before.updated_at + 4000

    def test_is_not_a_hook_of_somebody_else(self, sound: Guarded) -> None:
        """A parent that asks does not keep its child alive."""
        parent = sound.primary()
        child = worker(sound, parent)
        age(sound, 5000, child)
        (before,) = tasks(sound, child)
        sound.view(parent)
        assert tasks(sound, child) == [before]


DAY = 86_400


class TestSilence:
    def test_is_noticed_by_any_hook_of_anybody(self, sound: Guarded) -> None:
        """The sweep is global: a stranger's hook ends what has been silent for a day."""
        parent, stranger = sound.primary(), sound.primary()
        child, other = worker(sound, parent), worker(sound, parent)
        age(sound, DAY + 60, child)
        age(sound, DAY - 60, other)
        sound.view(stranger)
        assert statuses(sound, child) == ["TIMED_OUT"]
        assert statuses(sound, other) == ["ACTIVE"]

    def test_lasts_as_long_as_is_configured(self, guarded: Guarded) -> None:
        """`[ledger] work_timeout`, in seconds."""
        guarded.configure("[ledger]\nwork_timeout = 60\n")
        parent = guarded.primary()
        child, other = worker(guarded, parent), worker(guarded, parent)
        age(guarded, 61, child)
        age(guarded, 30, other)
        guarded.view(parent)
        assert statuses(guarded, child) == ["TIMED_OUT"]
        assert statuses(guarded, other) == ["ACTIVE"]

    def test_of_a_child_that_never_came_ends_its_item_too(self, sound: Guarded) -> None:
        """Its token is worth nothing then."""
        parent = sound.primary()
        (prompt,) = spawn(sound, parent, {"Prompt": "Work."})
        age(sound, DAY + 60, parent)
        sound.view(parent)
        assert unclaimed(sound, parent) == []
        child = sound.child(parent, prompt)
        assert "no open task" in sound.run(child, "make").reason

    def test_of_all_work_releases_the_primary(self, sound: Guarded) -> None:
        """Its next hook says what died and what to do, and the turn is to recover."""
        parent = sound.primary()
        child = worker(sound, parent)
        age(sound, DAY + 60, child)

        told = sound.fire("PreInvocation", {"invocationNum": 5, **parent.common()})

        (step,) = told.answer["injectSteps"]
        text = step["systemMessage"]["systemMessage"]
        assert "WORK_TIMED_OUT" in text
        assert "executor (step 2) fell silent" in text
        assert "invoke_subagent" in text
        assert state(sound, parent) == "RECOVERY_REQUIRED"
        assert [e.type for e in events(sound, parent)][-2:] == ["WORK_SWEPT", "WORK_TIMED_OUT"]

    def test_is_told_once_and_a_later_one_anew(self, sound: Guarded) -> None:
        """Not with every model call, and not twice where the host fires twice."""
        parent = sound.primary()
        first, second = worker(sound, parent), worker(sound, parent)

        def told(number: int) -> bool:
            call = {"invocationNum": number, "initialNumSteps": 9 + number, **parent.common()}
            return "WORK_TIMED_OUT" in str(sound.fire("PreInvocation", call).answer)

        age(sound, DAY + 60, first)
        assert [told(5), told(5), told(6)] == [True, False, False]
        sound.view(parent)
        assert told(7) is False
        age(sound, DAY + 60, second)
        assert [told(8), told(8), told(9)] == [True, False, False]
        assert told(0) is True

    def test_of_all_work_is_told_at_the_stop_as_well(self, guarded: Guarded) -> None:
        """To a primary that has not dealt with it; then it may stop."""
        guarded.configure("[attention]\nafter = 0\n")
        parent = guarded.primary()
        age(guarded, DAY + 60, worker(guarded, parent))
        stop = guarded.stop(parent, "Summary of skills used: delegation.")
        assert stop.decision == "continue"
        assert "WORK_TIMED_OUT" in stop.reason
        again = worker(guarded, parent)
        guarded.stop(again, REPORT)
        assert guarded.stop(parent, SUMMARY).answer == {}
        assert state(guarded, parent) == "CLOSED"

    def test_is_dealt_with_by_handing_the_task_out_again(self, sound: Guarded) -> None:
        """Then nothing is left to say about it."""
        parent = sound.primary()
        age(sound, DAY + 60, worker(sound, parent))
        sound.view(parent)
        again = worker(sound, parent)
        told = sound.fire("PreInvocation", {"invocationNum": 7, **parent.common()})
        assert told.answer == {}
        assert state(sound, parent) == "EXECUTION_ACTIVE"
        sound.stop(again, REPORT)
        assert sound.stop(parent, SUMMARY).answer == {}

    def test_of_some_work_leaves_the_primary_waiting_for_the_rest(self, sound: Guarded) -> None:
        """One dead child is no recovery yet."""
        parent = sound.primary()
        dead, alive = worker(sound, parent), worker(sound, parent)
        age(sound, DAY + 60, dead)
        sound.view(parent)
        assert state(sound, parent) == "EXECUTION_ACTIVE"
        sound.stop(alive, REPORT)
        assert state(sound, parent) == "RECOVERY_REQUIRED"

    def test_of_a_worker_releases_its_coordinator(self, sound: Guarded) -> None:
        """Coordinators wait for their children just like primaries."""
        leader = coordinator(sound)
        age(sound, DAY + 60, worker(sound, leader))
        told = sound.fire("PreInvocation", {"invocationNum": 5, **leader.common()})
        assert "WORK_TIMED_OUT" in str(told.answer)
        assert state(sound, leader) == "RECOVERY_REQUIRED"


class TestWhatComesLate:
    def late(self, guarded: Guarded) -> tuple[Conversation, Conversation]:
        """Return a primary and its worker, which fell silent and was given up."""
        parent = guarded.primary()
        child = worker(guarded, parent)
        age(guarded, DAY + 60, child)
        guarded.view(parent)
        return parent, child

    def test_a_stop_changes_no_row_and_says_so(self, sound: Guarded) -> None:
        """No success is written, no event is emitted, and the decision names it."""
        _, child = self.late(sound)
        child.says("I am done after all.")
        before = dump(sound)

        assert sound.stop(child).answer == {}

        assert dump(sound) == before
        assert "late: this work had ended before" in sound.entries(child.name)[-1].reasons

    def test_a_report_changes_nothing_either(self, sound: Guarded) -> None:
        """The parent's row of a child that went idle finds the work ended."""
        parent, child = self.late(sound)
        idle(parent, child)
        sound.view(parent)
        assert statuses(sound, child) == ["TIMED_OUT"]
        assert state(sound, parent) == "RECOVERY_REQUIRED"

    def test_a_call_that_writes_is_denied(self, sound: Guarded) -> None:
        """Reading and reporting is left; it starts nobody."""
        parent, child = self.late(sound)
        assert "no open task" in sound.run(child, "make").reason
        assert sound.write(child, f"{sound.workspace}/a.py").decision == "deny"
        assert sound.view(child).decision == "allow"
        report = {"Recipient": parent.name, "Message": "I am done after all."}
        assert sound.call(child, "send_message", report).decision == "allow"
        assert statuses(sound, child) == ["TIMED_OUT"]

    def test_a_coordinator_starts_nobody(self, sound: Guarded) -> None:
        """Without an open task it has nothing to delegate."""
        leader = coordinator(sound)
        age(sound, DAY + 60, leader)
        assert "no open task" in sound.spawn(leader, {"Prompt": "p"}).reason

    def test_a_second_stop_changes_nothing(self, sound: Guarded) -> None:
        """Also of a child that had ended well."""
        child = worker(sound, sound.primary())
        sound.stop(child, REPORT)
        before = dump(sound)
        sound.stop(child, REPORT)
        assert dump(sound) == before


class TestTheParentsRecord:
    """The engine tells a child's end by a row of the parent's transcript."""

    def test_ends_the_work_of_a_child_that_went_idle(self, sound: Guarded) -> None:
        """At the parent's next event."""
        parent = sound.primary()
        child = worker(sound, parent)
        idle(parent, child)
        assert statuses(sound, child) == ["ACTIVE"]
        sound.view(parent)
        assert statuses(sound, child) == ["TERMINATED"]
        assert state(sound, parent) == "REVIEWING"

    def test_ends_the_work_of_a_child_that_never_fired_a_hook(self, sound: Guarded) -> None:
        """It answered without a tool; its place in the row says which work was its."""
        parent = sound.primary()
        spawn(sound, parent, {"Prompt": "a"}, {"Prompt": "b", **COORDINATOR})
        first, second = sound.stage.conversation(), sound.stage.conversation()
        parent.spawned(first, second)
        idle(parent, second)
        sound.view(parent)
        assert statuses(sound, second) == ["TERMINATED"]
        assert bound(sound, second) == Bound("coordinator", parent.name, 1, read_only=False)
        assert [item.position for item in unclaimed(sound, parent)] == [0]

    def test_comes_second_to_the_childs_own_stop(self, sound: Guarded) -> None:
        """Whichever is seen first ends it, and the other one changes nothing."""
        parent = sound.primary()
        child = worker(sound, parent)
        sound.fire("Stop", {**child.stop(), "terminationReason": "ERROR"})
        idle(parent, child)
        sound.view(parent)
        assert statuses(sound, child) == ["FAILED"]

    @pytest.mark.parametrize("sender", ["child", "other"])
    def test_is_not_what_a_child_says_in_its_words(self, sound: Guarded, sender: str) -> None:
        """Only the system's own message counts."""
        parent = sound.primary()
        child, other = worker(sound, parent), worker(sound, parent)
        words = f"Subagent {child.name} has gone idle. This was the subagent's most recent "
        parent.message({"child": child, "other": other}[sender].name, f"{words}response: x")
        sound.view(parent)
        assert statuses(sound, child) == ["ACTIVE"]

    def test_of_another_parent_ends_nothing(self, sound: Guarded) -> None:
        """A row counts for the work that its own conversation has issued."""
        child, stranger = worker(sound, sound.primary()), sound.primary()
        worker(sound, stranger)
        idle(stranger, child)
        sound.view(stranger)
        assert statuses(sound, child) == ["ACTIVE"]

    @pytest.mark.parametrize("how", ["engine", "unparsed", "canceled", "hook"])
    def test_settles_a_spawn_that_failed(self, sound: Guarded, how: str) -> None:
        """At the parent's next event, with the host's own words."""
        parent = sound.primary()
        (prompt,) = spawn(sound, parent, {"Prompt": "Work."})
        call = {"name": "invoke_subagent", "args": {}}
        if how == "hook":
            payload = {"toolCall": call, "stepIdx": parent.step + 1, **parent.common()}
            sound.fire("PostToolUse", {**payload, "error": "no such subagent"})
        elif how == "unparsed":
            parent.record("SYSTEM", "ERROR_MESSAGE", error="no such subagent", content="")
        elif how == "canceled":
            parent.record("MODEL", "INVOKE_SUBAGENT", status="CANCELED", content="")
        else:
            error = "no such subagent"
            parent.record("MODEL", "INVOKE_SUBAGENT", status="ERROR", error=error, content="")
        sound.view(parent)

        assert unclaimed(sound, parent) == []
        assert state(sound, parent) == "RECOVERY_REQUIRED"
        failed = events(sound, parent)[-1]
        assert (failed.type, failed.to_status) == ("HANDOFF_FAILED", "FAILED")
        assert failed.detail == ("CANCELED" if how == "canceled" else "no such subagent")
        assert sound.run(sound.child(parent, prompt), "make").decision == "deny"

    def test_settles_the_second_of_two_calls_of_one_answer(self, sound: Guarded) -> None:
        """It could not be parsed, so it has no row of its own, and the first one has."""
        parent = sound.primary()
        entry = {"TypeName": "self", "Role": "executor", "Prompt": "p"}
        made = [("view_file", {"AbsolutePath": "/x"}), ("invoke_subagent", {"Subagents": [entry]})]
        calls = [{"name": name, "args": args} for name, args in made]
        parent.record("MODEL", "PLANNER_RESPONSE", tool_calls=calls)
        payload = {"toolCall": calls[1], "stepIdx": parent.step + 2, **parent.common()}
        assert sound.fire("PreToolUse", payload).decision == "allow"
        parent.result("VIEW_FILE", "x")
        parent.record("SYSTEM", "ERROR_MESSAGE", error="denied by the user", content="")
        sound.view(parent)
        assert unclaimed(sound, parent) == []
        assert events(sound, parent)[-1].detail == "denied by the user"

    def test_of_a_spawn_that_failed_leaves_who_has_started(self, sound: Guarded) -> None:
        """The engine may have started some before it came to the one that failed (measured)."""
        parent = sound.primary()
        prompts = spawn(sound, parent, {"Prompt": "a"}, {"Prompt": "b"})
        child = sound.child(parent, prompts[0])
        assert sound.run(child, "make").decision == "allow"
        parent.record("MODEL", "INVOKE_SUBAGENT", status="ERROR", error="no b", content="")
        sound.view(parent)
        assert statuses(sound, child) == ["ACTIVE"]
        assert unclaimed(sound, parent) == []
        assert state(sound, parent) == "EXECUTION_ACTIVE"

    def test_of_a_second_spawn_that_failed_is_not_forgotten(self, sound: Guarded) -> None:
        """The first one's success does not hide it."""
        parent = sound.primary()
        child = worker(sound, parent)
        spawn(sound, parent, {"Prompt": "b"})
        parent.record("MODEL", "INVOKE_SUBAGENT", status="ERROR", error="no b", content="")
        sound.stop(child, REPORT)
        told = sound.fire("PreInvocation", {"invocationNum": 5, **parent.common()})
        assert "failed (no b)" in str(told.answer)
        assert state(sound, parent) == "RECOVERY_REQUIRED"


class TestAKill:
    def test_is_learnt_from_the_hook(self, sound: Guarded) -> None:
        """Where the host raises one after the call."""
        parent = sound.primary()
        child, other = worker(sound, parent), worker(sound, parent)
        args = {"Action": "kill", "ConversationIds": [child.name]}
        call = {"toolCall": {"name": "manage_subagents", "args": args}, "stepIdx": 30, "error": ""}
        sound.fire("PostToolUse", {**call, **parent.common()})
        assert statuses(sound, child) == ["FAILED"]
        assert statuses(sound, other) == ["ACTIVE"]

    def test_is_learnt_from_the_record(self, sound: Guarded) -> None:
        """At the parent's next event; with everything that the child had started."""
        parent = sound.primary()
        leader, other = coordinator(sound, parent), worker(sound, parent)
        grandchild = worker(sound, leader)
        spawn(sound, leader, {"Prompt": "not started yet"})
        manage(parent, Action="kill", ConversationIds=[leader.name])
        sound.view(parent)
        assert statuses(sound, leader) == ["FAILED"]
        assert statuses(sound, grandchild) == ["FAILED"]
        assert statuses(sound, other) == ["ACTIVE"]
        assert unclaimed(sound, leader) == []
        assert tasks(sound, leader)[0].cause == "killed"

    def test_of_all_ends_all(self, sound: Guarded) -> None:
        """Also who has not fired a hook yet."""
        parent = sound.primary()
        child = worker(sound, parent)
        spawn(sound, parent, {"Prompt": "b"})
        silent = sound.stage.conversation()
        parent.spawned(silent)
        manage(parent, Action="kill_all")
        sound.view(parent)
        assert statuses(sound, child) == ["FAILED"]
        assert statuses(sound, silent) == ["FAILED"]
        assert state(sound, parent) == "RECOVERY_REQUIRED"

    def test_that_failed_ends_nobody(self, sound: Guarded) -> None:
        """Nor does one that was denied, or a list."""
        parent = sound.primary()
        child = worker(sound, parent)
        args = {"Action": "kill", "ConversationIds": [child.name]}
        parent.calls("manage_subagents", args)
        parent.record("SYSTEM", "ERROR_MESSAGE", error="denied", content="")
        parent.calls("manage_subagents", {"Action": "list"})
        parent.result("GENERIC", "You have 1 active subagent(s)")
        sound.view(parent)
        assert statuses(sound, child) == ["ACTIVE"]

    def test_of_somebody_elses_child_ends_nothing(self, sound: Guarded) -> None:
        """Who did not issue the work cannot end it."""
        child, stranger = worker(sound, sound.primary()), sound.primary()
        worker(sound, stranger)
        manage(stranger, Action="kill", ConversationIds=[child.name])
        sound.view(stranger)
        assert statuses(sound, child) == ["ACTIVE"]

    def test_does_not_end_a_later_task(self, sound: Guarded) -> None:
        """An old row stays in the record while a new item is open."""
        parent = sound.primary()
        spawn(sound, parent, {"Prompt": "keeps the record open"})
        first = worker(sound, parent)
        manage(parent, Action="kill_all")
        sound.view(parent)
        second = worker(sound, parent)
        sound.view(parent)
        assert statuses(sound, first) == ["FAILED"]
        assert statuses(sound, second) == ["ACTIVE"]


class TestASecondTask:
    """A child that is done is used again by a message of its parent."""

    def done(self, guarded: Guarded) -> tuple[Conversation, Conversation]:
        parent = guarded.primary()
        child = worker(guarded, parent)
        guarded.stop(child, REPORT)
        return parent, child

    def test_is_opened_by_the_parents_hook(self, sound: Guarded) -> None:
        """A further item with the same rights, before the child has fired a hook."""
        parent, child = self.done(sound)
        text = {"Recipient": child.name, "Message": "Now the tests."}
        assert sound.call(parent, "send_message", text).decision == "allow"
        assert statuses(sound, child) == ["TERMINATED", "ISSUED"]
        assert state(sound, parent) == "EXECUTION_ACTIVE"
        child.message(parent.name, "Now the tests.")

        assert sound.run(child, "make").decision == "allow"
        assert "remaining_depth=0" in sound.spawn(child, {"Prompt": "p"}).reason
        assert statuses(sound, child) == ["TERMINATED", "ACTIVE"]
        sound.stop(child, REPORT)
        assert statuses(sound, child) == ["TERMINATED", "TERMINATED"]

    def test_is_found_in_the_childs_own_record(self, sound: Guarded) -> None:
        """Where the host raises no hook for the message."""
        parent, child = self.done(sound)
        message(sound, parent, child, "Now the tests.")
        assert sound.run(child, "make").decision == "allow"
        assert statuses(sound, child) == ["TERMINATED", "ACTIVE"]
        assert len({item.token for item in tasks(sound, child)}) == 2
        idle(parent, child)
        sound.view(parent)
        assert statuses(sound, child) == ["TERMINATED", "TERMINATED"]
        assert sound.run(child, "make").decision == "deny"

    def test_is_the_same_whether_the_hook_or_the_record_tells_it(self, sound: Guarded) -> None:
        """Both count in the parent's steps, so what was told twice is one task."""
        parent, child = self.done(sound)
        args = {"Recipient": child.name, "Message": "Now the tests."}
        sound.call(parent, "send_message", args)
        parent.result("GENERIC", "Message sent.")
        child.message(parent.name, "Now the tests.")
        sound.run(child, "make")
        sound.stop(child, REPORT)
        assert sound.run(child, "make").decision == "deny"
        assert statuses(sound, child) == ["TERMINATED", "TERMINATED"]

    def test_that_began_before_the_first_was_known_to_be_over(self, sound: Guarded) -> None:
        """The row that ends the first task was written before the message, and is read late."""
        parent = sound.primary()
        child = worker(sound, parent)
        idle(parent, child)
        message(sound, parent, child, "Now the tests.")
        assert sound.run(child, "make").decision == "allow"
        sound.view(parent)
        assert sound.run(child, "make").decision == "allow"
        assert statuses(sound, child) == ["TERMINATED", "ACTIVE"]
        sound.view(parent)
        assert statuses(sound, child) == ["TERMINATED", "ACTIVE"]
        idle(parent, child)
        sound.view(parent)
        assert statuses(sound, child) == ["TERMINATED", "TERMINATED"]

    def test_is_not_opened_for_a_child_that_works(self, sound: Guarded) -> None:
        """It keeps the task that it has."""
        parent = sound.primary()
        child = worker(sound, parent)
        message(sound, parent, child, "Hurry up.")
        sound.run(child, "make")
        args = {"Recipient": child.name, "Message": "Hurry up!"}
        sound.call(parent, "send_message", args)
        assert statuses(sound, child) == ["ACTIVE"]

    def test_is_not_opened_by_an_old_message(self, sound: Guarded) -> None:
        """What was said while it worked does not bring a late child back."""
        parent = sound.primary()
        child = worker(sound, parent)
        message(sound, parent, child, "Hurry up.")
        sound.run(child, "make")
        age(sound, DAY + 60, child)
        delay_of_messages(child, -3600)
        assert "no open task" in sound.run(child, "make").reason
        assert statuses(sound, child) == ["TIMED_OUT"]

    def test_is_not_opened_by_anybody_but_the_parent(self, sound: Guarded) -> None:
        """Not by a sibling, a stranger, the user or the system, by hook or by record."""
        parent, child = self.done(sound)
        sibling, stranger = worker(sound, parent), sound.primary()
        for sender in (sibling, stranger):
            args = {"Recipient": child.name, "Message": "More."}
            sound.call(sender, "send_message", args)
            child.message(sender.name, "More.")
        child.message("system", "More.")
        child.message(f"{parent.name}/task-3", "More.")
        child.user("More.")
        assert "no open task" in sound.run(child, "make").reason
        assert statuses(sound, child) == ["TERMINATED"]

    def test_has_the_rights_of_the_first(self, sound: Guarded) -> None:
        """A reader stays a reader; a coordinator may delegate again."""
        parent = sound.primary()
        (prompt,) = spawn(sound, parent, {"Prompt": "Look.", "Model": "flash_lite"})
        reader = sound.child(parent, prompt)
        sound.view(reader)
        leader = coordinator(sound, parent)
        for child in (reader, leader):
            sound.stop(child, REPORT)
            message(sound, parent, child, "Once more.")
        assert "read-only" in sound.run(reader, "make").reason
        assert sound.spawn(leader, {"Prompt": "p"}).decision == "allow"
        assert bound(sound, leader) == Bound("coordinator", parent.name, 1, read_only=False)

    def test_of_a_child_that_was_given_up_is_a_new_beginning(self, sound: Guarded) -> None:
        """A message that comes after the end is a task like any other."""
        parent = sound.primary()
        child = worker(sound, parent)
        age(sound, DAY + 60, child)
        sound.view(parent)
        message(sound, parent, child, "Are you there? Go on.")
        assert sound.run(child, "make").decision == "allow"
        assert statuses(sound, child) == ["TIMED_OUT", "ACTIVE"]


class TestWithoutATask:
    def test_a_child_reads_and_reports_and_changes_nothing(self, sound: Guarded) -> None:
        """After its work has ended well."""
        parent = sound.primary()
        child = worker(sound, parent)
        sound.stop(child, REPORT)
        assert sound.view(child).decision == "allow"
        report = {"Recipient": parent.name, "Message": "One more thing."}
        assert sound.call(child, "send_message", report).decision == "allow"
        for found in (sound.run(child, "make"), sound.write(child, f"{sound.workspace}/a.py")):
            assert found.decision == "deny"
            assert "no open task" in found.reason


class TestRetention:
    def test_forgets_ended_work_after_two_days(self, guarded: Guarded) -> None:
        """Swept by whoever comes by; what is open stays."""
        parent = guarded.primary()
        done, open_ = worker(guarded, parent), worker(guarded, parent)
        guarded.stop(done, REPORT)
        guarded.stop(open_, REPORT)
        again = worker(guarded, parent)
        link = sqlite3.connect(guarded.ledger)
        for trigger in ("work_items_end_once",):
            link.execute(f"DROP TRIGGER {trigger}")
        link.execute("UPDATE work_items SET updated_at = updated_at - 180000 WHERE ended_seq > 0")
        link.execute("DELETE FROM marks")
        link.commit()
        link.close()

        guarded.view(parent)

        assert statuses(guarded, done) == []
        assert statuses(guarded, again) == ["ACTIVE"]

    def test_keeps_decisions_as_long_as_is_configured(self, guarded: Guarded) -> None:
        """`[ledger] keep_decisions`, in days."""
        guarded.configure("[ledger]\nkeep_decisions = 3\n")
        who = guarded.primary()
        for _ in range(3):
            guarded.view(who)
        link = sqlite3.connect(guarded.ledger)
        link.execute("UPDATE decisions SET at = at - 4 * 86400 WHERE seq = 1")
        link.execute("UPDATE decisions SET at = at - 2 * 86400 WHERE seq = 2")
        link.execute("DELETE FROM marks")
        link.commit()
        link.close()
        guarded.view(who)
        assert [entry.seq for entry in guarded.entries()] == [2, 3, 4]
