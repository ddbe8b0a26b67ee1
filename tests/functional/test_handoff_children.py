"""Reports of children that have hooks of their own, through the registered command.

The engine of the SDK fires no Stop for subagents and no hook for `send_message` (contract, the
table), so these are recorded payloads and real processes; what it does do is in tests/engine.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from agguard.ledger.store import Ledger

if TYPE_CHECKING:
    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

GOOD: dict[str, Any] = {
    "status": "completed",
    "summary": "Renamed it.",
    "files_modified": ["app.py"],
    "verify_cmd": "pytest -q",
}


class Family:
    """A primary and the worker that it started."""

    def __init__(self, guarded: Guarded) -> None:
        self.guarded = guarded
        self.parent = guarded.primary()
        entry = {"Prompt": "Rename it.", "Role": "executor"}
        prompt = guarded.spawn(self.parent, entry).prompts[0]
        self.child = guarded.child(self.parent, prompt)
        self.parent.spawned(self.child)

    def edits(self) -> None:
        target = f"{self.guarded.workspace}/app.py"
        assert self.guarded.write(self.child, target).decision == "allow"
        self.child.result("CODE_ACTION", "Created file.")

    def runs(self, command: str, code: int = 0) -> None:
        assert self.guarded.run(self.child, command).decision == "allow"
        self.child.result("RUN_COMMAND", f"The command exited with code {code}.")

    def works(self) -> None:
        self.edits()
        self.runs("pytest -q")

    def reports(self, report: object) -> Any:
        text = report if isinstance(report, str) else json.dumps(report)
        return self.guarded.stop(self.child, text)

    def sends(self, report: object, to: Conversation | None = None) -> Any:
        text = report if isinstance(report, str) else json.dumps(report)
        args = {"Recipient": (to or self.parent).name, "Message": text}
        return self.guarded.call(self.child, "send_message", args)

    def reminder(self, who: Conversation | None = None, number: int = 1) -> str:
        payload = {"invocationNum": number, "initialNumSteps": (who or self.parent).step + 1}
        answer = self.guarded.fire(
            "PreInvocation", {**payload, **(who or self.parent).common()}
        ).answer
        steps = answer.get("injectSteps", ())
        return "\n".join(step["systemMessage"]["systemMessage"] for step in steps)

    def kept(self) -> list[tuple[str, str, str]]:
        """Way, standing and status of every report that the ledger has."""
        with_ledger = Ledger.open(self.guarded.ledger, wait=5.0, now=0.0)
        try:
            rows = with_ledger.deliveries(self.parent.name)
            return [(row.way, row.standing, row.status) for row in rows]
        finally:
            with_ledger.close()

    def task(self) -> tuple[str, str]:
        """Status and cause of the child's newest task."""
        with_ledger = Ledger.open(self.guarded.ledger, wait=5.0, now=0.0)
        try:
            item = with_ledger.latest(self.child.name)
            assert item is not None
            return item.status, item.cause
        finally:
            with_ledger.close()


@pytest.fixture
def family(guarded: Guarded) -> Family:
    return Family(guarded)


def test_a_report_that_is_borne_out_is_accepted_and_stored(family: Family) -> None:
    """The task ends well, and its parent is told in one line."""
    family.works()
    assert family.reports(GOOD).decision == ""

    assert family.kept() == [("stop", "valid", "completed")]
    assert family.task() == ("TERMINATED", "")
    line = family.reminder()
    assert line == (
        "agguard: executor (step 2) reports completed (verified): Renamed it. [files: app.py]"
    )
    assert family.reminder() == ""


def test_prose_goes_back_with_what_would_pass_and_then_fails_the_task(family: Family) -> None:
    """At most three times; then the parent deals with it."""
    family.works()
    answers = [family.reports("Sure thing! All done.") for _ in range(4)]

    assert [answer.decision for answer in answers] == ["continue"] * 3 + [""]
    assert "$ is not JSON" in answers[0].reason
    assert '{"status": "completed", "summary": "Sure thing! All done."' in answers[0].reason
    assert family.kept() == [("stop", "invalid", "")]
    assert family.task() == ("FAILED", "payload violation: $ is not JSON")
    told = family.reminder()
    assert "payload violation" in told
    assert "executor (step 2) sent no valid report ($ is not JSON)" in told


def test_a_corrected_report_passes(family: Family) -> None:
    """What was sent back is not held against it."""
    family.works()
    assert family.reports(f"```json\n{json.dumps(GOOD)}\n```").decision == "continue"
    assert family.reports(GOOD).decision == ""
    assert family.task() == ("TERMINATED", "")


CLAIMS = {
    "a command that was never run": (
        {**GOOD, "verify_cmd": "make test"},
        "is not among the commands",
    ),
    "a command that failed": ({**GOOD, "verify_cmd": "ruff check"}, "ended with exit status 1"),
    "a command before the last edit": (
        {**GOOD, "verify_cmd": "mypy ."},
        "was not run after its last",
    ),
    "a file that was not written": ({**GOOD, "files_modified": ["other.py"]}, "names 'other.py'"),
}


@pytest.mark.parametrize(("report", "said"), CLAIMS.values(), ids=CLAIMS)
def test_a_claim_that_is_not_borne_out_is_kept_as_unverified(
    family: Family, report: dict[str, Any], said: str
) -> None:
    """The child may stop; the parent is told which claim it is."""
    family.runs("mypy .")
    family.works()
    family.runs("ruff check", code=1)
    assert family.reports(report).decision == ""

    assert family.kept() == [("stop", "unverified", "completed")]
    assert family.task() == ("TERMINATED", "")
    told = family.reminder()
    assert "NOT VERIFIED" in told
    assert said in told


def test_a_parent_that_is_not_reminded_hears_of_it_when_it_stops(family: Family) -> None:
    """Once: afterwards it has been told."""
    family.works()
    family.reports({**GOOD, "verify_cmd": "make test"})
    summary = "Summary of skills used: delegation."

    first = family.guarded.stop(family.parent, summary)
    assert first.decision == "continue"
    assert "'make test' is not among the commands that it ran" in first.reason
    assert family.guarded.stop(family.parent, summary).decision == ""


def test_a_failed_report_fails_the_task(family: Family) -> None:
    """Its kind and summary are the cause."""
    failed = {
        "failure_kind": "test",
        "failing_command": "pytest",
        "exit_code": 1,
        "diagnostic": "d",
    }
    assert family.reports({**GOOD, "status": "failed", **failed}).decision == ""
    assert family.kept() == [("stop", "valid", "failed")]
    assert family.task() == ("FAILED", "reported test: Renamed it.")


def test_a_blocked_report_hands_on_its_question(family: Family) -> None:
    """Nothing has failed."""
    assert family.reports({**GOOD, "status": "blocked", "question": "Which one?"}).decision == ""
    assert family.task() == ("TERMINATED", "")
    assert family.reminder() == "agguard: executor (step 2) is blocked and asks: Which one?"


def test_a_report_by_message_counts_and_the_last_words_are_free(family: Family) -> None:
    """A child reports by `send_message` or by its last message."""
    family.works()
    assert family.sends(GOOD).decision == "allow"
    family.child.result("GENERIC", "Message sent.")
    assert family.kept() == []
    assert family.reports("I have sent my report.").decision == ""

    assert family.kept() == [("message", "valid", "completed")]
    assert family.task() == ("TERMINATED", "")


def test_a_message_that_is_no_report_is_denied_at_most_three_times(family: Family) -> None:
    """Then it passes, for a guard must not hold an agent for ever."""
    answers = [family.sends("Sure thing!") for _ in range(4)]
    assert [one.decision for one in answers] == ["deny"] * 3 + ["allow"]
    assert "a report is one JSON object" in answers[0].reason


def test_what_follows_a_report_by_message_counts_as_well(family: Family) -> None:
    """An edit after the report is an edit after the proof."""
    family.works()
    family.sends(GOOD)
    family.child.result("GENERIC", "Message sent.")
    family.edits()
    family.reports("I have sent my report.")
    assert family.kept() == [("message", "unverified", "completed")]


def test_messages_to_others_are_not_reports(family: Family) -> None:
    """Nor are a parent's messages to its child."""
    stranger = family.guarded.primary()
    assert family.sends("Hello!", to=stranger).decision == "allow"
    args = {"Recipient": family.child.name, "Message": "Hurry up."}
    assert family.guarded.call(family.parent, "send_message", args).decision == "allow"
    assert family.kept() == []


@pytest.mark.parametrize(("mode", "kept"), [("advise", 1), ("off", 0)])
def test_milder_modes_hold_nobody(family: Family, mode: str, kept: int) -> None:
    """`advise` records and tells, `off` does neither."""
    family.guarded.configure(f'[handoff]\nmode = "{mode}"\n')
    assert family.sends("Sure thing!").decision == "allow"
    assert family.reports("All done.").decision == ""
    assert family.task() == ("TERMINATED", "")
    assert len(family.kept()) == kept
    assert ("no valid report" in family.reminder()) == bool(kept)


def test_a_late_report_changes_nothing(family: Family) -> None:
    """A child that was killed writes no success any more."""
    family.works()
    args = {"Action": "kill", "ConversationIds": [family.child.name]}
    family.guarded.call(family.parent, "manage_subagents", args)
    call = {"toolCall": {"name": "manage_subagents", "args": args}, "stepIdx": family.parent.step}
    family.guarded.fire("PostToolUse", {**call, "error": "", **family.parent.common()})
    assert family.task() == ("FAILED", "killed")

    assert family.reports(GOOD).decision == ""
    assert family.kept() == []
    assert family.task() == ("FAILED", "killed")


def test_secrets_do_not_reach_the_ledger(family: Family) -> None:
    """Reports are redacted like everything that is kept."""
    family.reports({**GOOD, "summary": "Used password=hunter2secret123 for it."})
    assert family.kept() != []
    for path in (family.guarded.ledger, f"{family.guarded.ledger}-wal"):
        with open(path, "rb") as file:
            assert b"hunter2secret123" not in file.read()
