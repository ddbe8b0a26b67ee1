"""Stops and reminders of a primary, through the registered command."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from agguard.config.settings import SETTINGS

if TYPE_CHECKING:
    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

SUMMARY = "Summary of skills used: planning."
(AFTER,) = [one.default for one in SETTINGS if one.key == "attention.after"]


def age(who: Conversation, seconds: float) -> None:
    """Make everything that a conversation recorded so much older."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))
    with open(who.transcript, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    with open(who.transcript, "w", encoding="utf-8") as file:
        file.writelines(json.dumps({**row, "created_at": stamp}) + "\n" for row in rows)


def worked(guarded: Guarded, seconds: float = 600.0) -> Conversation:
    """A primary that wrote its plan, some time ago."""
    who = guarded.primary()
    plan = os.path.join(who.folder, "implementation_plan.md")
    assert guarded.write(who, plan).decision == "allow"
    who.result("CODE_ACTION", "Created file.")
    age(who, seconds)
    return who


def notes(guarded: Guarded, who: Conversation) -> list[str]:
    """What the ledger says about each stop, oldest first."""
    return [one.reasons for one in guarded.entries(who.name) if one.event == "Stop"]


def test_a_long_turn_without_a_summary_goes_back_until_agguard_yields(guarded: Guarded) -> None:
    """Three times in a row; then it is recorded that agguard gave way."""
    who = worked(guarded)
    answers = [guarded.stop(who, f"I am done ({turn}).") for turn in range(4)]

    assert [one.decision for one in answers] == ["continue"] * 3 + [""]
    first, rules = answers[0].reason.split("\n\n", 1)
    assert first.startswith("agguard: your last message lacks the line 'Summary of skills used:'")
    assert rules.startswith("Your rules, once more:")
    assert "You plan, decide and delegate" in rules
    assert "yielded after 3 rejections in this turn" in notes(guarded, who)[-1]


def test_a_new_turn_is_counted_anew(guarded: Guarded) -> None:
    """Rejections are of a conversation and a turn."""
    who = worked(guarded)
    for _ in range(4):
        guarded.stop(who, "I am done.")
    who.user("And now the other one.")
    guarded.write(who, os.path.join(who.folder, "task.md"))
    who.result("CODE_ACTION", "Created file.")
    age(who, 600)
    assert guarded.stop(who, "Done.").decision == "continue"
    assert guarded.stop(who, SUMMARY).decision == ""


def test_a_short_turn_is_left_alone(guarded: Guarded) -> None:
    """By default what took less than two minutes is not checked."""
    guarded.configure(f"[attention]\nafter = {AFTER}\n")
    assert guarded.stop(worked(guarded, 100), "Done.").decision == ""
    assert guarded.stop(worked(guarded, 130), "Done.").decision == "continue"


def test_the_threshold_can_be_taken_away(guarded: Guarded) -> None:
    """With 0 every turn is checked."""
    guarded.configure("[attention]\nafter = 0\n")
    assert guarded.stop(worked(guarded, 0), "Done.").decision == "continue"


def test_questions_and_reading_are_never_sent_back(guarded: Guarded) -> None:
    """However long they take."""
    guarded.configure("[attention]\nafter = 0\n")
    who = guarded.primary("What is four and four?")
    assert guarded.stop(who, "Eight.").decision == ""
    who.user("And what does app.py do?")
    guarded.view(who)
    who.result("VIEW_FILE", "x = 1")
    age(who, 6000)
    assert guarded.stop(who, "Nothing much.").decision == ""


def test_a_question_after_a_compaction_is_not_sent_back(guarded: Guarded) -> None:
    """The host rewrote the transcript, and the work of earlier turns has higher steps than it."""
    guarded.configure("")
    who = guarded.primary()
    for _ in range(3):
        guarded.view(who)
    guarded.work(who)
    assert guarded.stop(who, "Summary of skills used: none.").answer == {}
    os.unlink(who.transcript)
    who.step = -1
    time.sleep(2.1)  # the host stamps whole seconds

    who.record("SYSTEM", "CHECKPOINT", content="What was said before.")
    who.user("What is 2 + 2?")
    assert guarded.stop(who, "4.").answer == {}

    who.user("Write it down.")
    guarded.work(who)
    assert guarded.stop(who, "Done.").decision == "continue"


def test_an_honest_admission_is_accepted(guarded: Guarded) -> None:
    """A rubric that no honest answer can meet makes liars (peers, row 80)."""
    said = "The plan stands. Not verified because the user has not approved it yet."
    assert guarded.stop(worked(guarded), said).decision == ""


def test_work_without_a_transcript_passes_and_the_ledger_says_so(guarded: Guarded) -> None:
    """What cannot be seen is not judged."""
    who = worked(guarded)
    os.unlink(who.transcript)
    assert guarded.fire("Stop", who.stop()).decision == ""
    assert "no transcript at" in notes(guarded, who)[-1]


def test_a_message_that_is_late_is_waited_for(guarded: Guarded) -> None:
    """The host writes it while the hook already runs (peers, row 82)."""
    import threading

    who = worked(guarded)
    timer = threading.Timer(0.2, who.says, [SUMMARY])
    timer.start()
    answer = guarded.fire("Stop", who.stop())
    timer.join()
    assert answer.decision == ""


@pytest.mark.parametrize(
    "ending",
    [{"fullyIdle": False}, {"terminationReason": "USER_CANCELED"}, {"error": "boom"}],
    ids=str,
)
def test_an_end_that_is_not_the_agents_is_not_judged(
    guarded: Guarded, ending: dict[str, Any]
) -> None:
    """It could not do better."""
    who = worked(guarded)
    who.says("Done.")
    assert guarded.fire("Stop", {**who.stop(), **ending}).decision == ""


def test_required_artifacts_belong_to_this_turn(guarded: Guarded) -> None:
    """There, not empty, and written since the user's message."""
    guarded.configure('[attention]\nartifacts = ["walkthrough.md"]\n')
    who = worked(guarded)
    path = os.path.join(who.folder, "walkthrough.md")

    assert "'walkthrough.md' is missing" in guarded.stop(who, SUMMARY).reason
    with open(path, "w", encoding="utf-8"):
        pass
    assert "'walkthrough.md' is empty" in guarded.stop(who, SUMMARY).reason
    with open(path, "w", encoding="utf-8") as file:
        file.write("# What was done")
    old = time.time() - 6000
    os.utime(path, (old, old))
    assert "'walkthrough.md' is older than this turn" in guarded.stop(who, SUMMARY).reason
    os.utime(path)
    assert guarded.stop(who, SUMMARY).decision == ""


def test_the_rules_stay_under_their_budget(guarded: Guarded) -> None:
    """Whatever lies in the workspace."""
    guarded.configure("[attention]\nrefresh_tokens = 300\n")
    for name, size in (("AGENTS.md", 5000), ("GEMINI.md", 400)):
        with open(os.path.join(guarded.workspace, name), "w", encoding="utf-8") as file:
            file.write("ä" * size)
    told = guarded.stop(worked(guarded), "Done.").reason.partition("\n(decision ")[0]
    rules = told.split("\n\n", 1)[1]
    assert len(rules.encode()) <= 300 * 3
    assert "AGENTS.md] (view the file)" in rules


def reminder(guarded: Guarded, who: Conversation, number: int, steps: int) -> str:
    payload = {"invocationNum": number, "initialNumSteps": steps, **who.common()}
    answer = guarded.fire("PreInvocation", payload).answer
    return "\n".join(one["systemMessage"]["systemMessage"] for one in answer.get("injectSteps", ()))


def test_a_primary_is_reminded_now_and_then_and_never_twice(guarded: Guarded) -> None:
    """Every 25 model calls; the same call that is announced twice gets one."""
    who = guarded.primary()
    assert reminder(guarded, who, 24, 60) == ""
    assert reminder(guarded, who, 25, 63).startswith("agguard reminder: you are the primary agent")
    assert reminder(guarded, who, 25, 63) == ""
    assert reminder(guarded, who, 26, 66) == ""


def test_a_rejection_is_followed_by_a_reminder(guarded: Guarded) -> None:
    """With the first model call after it."""
    who = worked(guarded)
    assert guarded.stop(who, "Done.").decision == "continue"
    assert "Open work: none." in reminder(guarded, who, 3, 9)
    assert reminder(guarded, who, 4, 12) == ""


def test_a_subagent_is_never_reminded(guarded: Guarded) -> None:
    """It has rules of its own."""
    who = guarded.worker()
    guarded.view(who)
    assert reminder(guarded, who, 25, 63) == ""


def test_observing_holds_nobody(guarded: Guarded) -> None:
    """A child's task ends although its report would have been sent back."""
    guarded.configure("[hooks]\nobserve = true\n")
    assert guarded.stop(worked(guarded), "Done.").decision == ""
    child = guarded.worker()
    guarded.view(child)
    assert guarded.stop(child, "Sure thing!").decision == ""
    assert guarded.stop(child, "Sure thing!").decision == ""
    assert "late" in notes(guarded, child)[-1]
