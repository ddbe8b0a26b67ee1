"""Stops and reports in sessions of the real engine, guarded through the registered command.

The engine fires no Stop for subagents and no hook for `send_message` (contract, the table), so what
children report is found in the parent's record. Children with hooks of their own are played in
tests/functional/test_handoff_children.py.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from agguard.ledger.records import Delivery, WorkItem

SHARED = Path(__file__).parents[3] / "shared" / "engine"

pytestmark = pytest.mark.engine

pytest.importorskip("google.antigravity", reason="needs the extra `engine`", exc_type=ImportError)
if not (SHARED / "engine.py").is_file():
    pytest.skip("needs ../shared/engine", allow_module_level=True)
sys.path.append(str(SHARED))

from engine import Engine, Run, call, say  # noqa: E402

SUMMARY = "Summary of skills used: delegation."
TASK = "CHILD-TASK: rename it."
Parts = list[dict[str, Any]]


class Played:
    """A home with agguard installed, and one session in it."""

    def __init__(self, folder: Path) -> None:
        from agguard.install.user import install_for_user
        from agguard.paths import resolve

        home, self.workspace = folder / "home", folder / "work"
        home.mkdir()
        self.workspace.mkdir()
        self.paths = resolve(str(home))
        config = Path(self.paths.config_file)
        config.parent.mkdir(parents=True)
        # A scripted turn is over in seconds; by default such turns are not checked.
        config.write_text("[attention]\nafter = 0\n", encoding="utf-8")
        install_for_user(self.paths)
        self.engine = Engine(self.workspace, home)
        self.parent = ""

    def run(self, primary: list[Parts], child: list[Parts], settle: float = 4.0) -> Run:
        """Play a session; who has said everything in its list repeats the last turn."""

        def model(request: dict[str, Any]) -> Parts:
            contents = request.get("contents", [])
            opening = json.dumps(contents[:1])
            plan = primary if "<USER_REQUEST>" in opening else child
            if plan is child and not self.parent:
                self.parent = opening.partition("sender=")[2].partition(" ")[0]
            done = sum(
                one.get("role") == "model"
                and not any("functionResponse" in part for part in one["parts"])
                for one in contents
            )
            found = plan[min(done, len(plan) - 1)]
            return json.loads(json.dumps(found).replace("THE-PARENT", self.parent))

        run = self.engine.run("Do the task.", model, settle=settle)
        assert [one.fault for one in run.hook_calls if one.fault] == []
        return run

    def spawn(self) -> Parts:
        entry = {"TypeName": "self", "Role": "executor", "Prompt": TASK}
        return [call("invoke_subagent", Subagents=[entry])]

    def command(self, line: str) -> Parts:
        found = {"CommandLine": line, "Cwd": str(self.workspace), "WaitMsBeforeAsync": 5000}
        return [call("run_command", **found)]

    def write(self, name: str) -> Parts:
        target = str(self.workspace / name)
        return [call("write_to_file", TargetFile=target, CodeContent="x = 2\n", Overwrite=True)]

    def kept(self) -> tuple[list[WorkItem], list[Delivery]]:
        """Tasks and reports in the ledger."""
        from agguard.ledger.store import Ledger

        ledger = Ledger.open(f"{self.paths.state}/ledger.db", wait=5.0, now=time.time())
        try:
            (issuer,) = {
                entry.conversation for entry in ledger.entries() if entry.role == "primary"
            }
            return ledger.given(issuer), ledger.deliveries(issuer)
        finally:
            ledger.close()


@pytest.fixture
def played(tmp_path: Path) -> Played:
    return Played(tmp_path)


def stops(run: Run) -> list[dict[str, Any]]:
    return [one.answer for one in run.hook_calls if one.event == "Stop"]


def report(**more: Any) -> str:
    fields = {"files_modified": ["app.py"], "verify_cmd": "test -f app.py", **more}
    return json.dumps({"status": "completed", "summary": "Renamed it.", **fields})


def test_a_question_and_its_answer_pass(played: Played) -> None:
    """Whatever `after` is."""
    assert stops(played.run([[say("Four.")]], [], settle=0.0)) == [{}]


def test_work_without_a_summary_comes_back_once_and_ends_with_it(played: Played) -> None:
    """The model is told what is missing in one line, and then its rules once more."""
    run = played.run(
        [played.spawn(), [say("I am done.")], [say("It is finished.")], [say(SUMMARY)]],
        [played.write("app.py"), played.command("test -f app.py"), [say(report())]],
    )

    continued = [answer for answer in stops(run) if answer]
    assert [answer["decision"] for answer in continued] == ["continue"]
    first, rules = continued[0]["reason"].split("\n\n", 1)
    assert first.startswith("agguard: your last message lacks the line 'Summary of skills used:'")
    assert "\n" not in first
    assert rules.startswith("Your rules, once more:")
    assert "You plan, decide and delegate" in rules
    assert "lacks the line 'Summary of skills used:'" in json.dumps(run.requests)
    assert stops(run)[-1] == {}


def test_three_refusals_end_in_yielding(played: Played) -> None:
    """The host is not held for ever, and the ledger says that agguard gave way."""
    from agguard.ledger.store import Ledger

    run = played.run(
        [played.spawn(), [say("I am done.")]],
        [played.write("app.py"), played.command("test -f app.py"), [say(report())]],
    )

    answers = [answer.get("decision") for answer in stops(run)]
    assert answers.count("continue") == 3
    assert answers[-1] is None
    ledger = Ledger.open(f"{played.paths.state}/ledger.db", wait=5.0, now=time.time())
    (last, *_) = [entry for entry in ledger.entries() if entry.event == "Stop"]
    ledger.close()
    assert last.decision == "allow"
    assert "yielded after 3 rejections" in last.reasons


def test_a_report_that_is_borne_out_is_accepted_and_stored(played: Played) -> None:
    """Looked up in the record that the engine itself has written."""
    played.run(
        [played.spawn(), [say("Waiting.")], [say(SUMMARY)]],
        [played.write("app.py"), played.command("test -f app.py"), [say(report())]],
    )

    (item,), (kept,) = played.kept()
    assert (kept.standing, kept.status, kept.summary) == ("valid", "completed", "Renamed it.")
    assert (kept.item, kept.child, kept.way) == (item.id, item.child, "record")
    assert (item.status, item.cause) == ("TERMINATED", "")
    assert json.loads(kept.body)["verify_cmd"] == "test -f app.py"


def test_prose_is_recorded_as_an_invalid_report_and_the_parent_hears_of_it(played: Played) -> None:
    """Its task has failed, and the parent cannot stop as if it had not."""
    run = played.run(
        [played.spawn(), [say("Waiting.")], [say(SUMMARY)], [say(f"{SUMMARY} Not done because.")]],
        [[say("Sure thing! All done.")]],
    )

    (item,), (kept,) = played.kept()
    assert (kept.standing, kept.status) == ("invalid", "")
    assert (item.status, item.cause) == ("FAILED", "payload violation: $ is not JSON")
    assert "payload violation" in json.dumps([answer for answer in stops(run) if answer])


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (
            {"verify_cmd": "make test"},
            "verify_cmd 'make test' is not among the commands that it ran",
        ),
        ({"verify_cmd": "test -f none.py"}, "ended with exit status 1"),
        (
            {"files_modified": ["other.py"]},
            "files_modified names 'other.py', which it did not write",
        ),
    ],
    ids=str,
)
def test_a_claim_that_is_not_borne_out_is_unverified(
    played: Played, claim: dict[str, Any], said: str
) -> None:
    """The parent is told which one it is, when it stops for the first time after."""
    run = played.run(
        [played.spawn(), [say(SUMMARY)]],
        [
            played.write("app.py"),
            played.command("test -f none.py"),
            played.command("test -f app.py"),
            [say(report(**claim))],
        ],
    )

    (item,), (kept,) = played.kept()
    assert (kept.standing, kept.status, item.status) == ("unverified", "completed", "TERMINATED")
    assert said in json.loads(kept.detail)[0]
    told = [answer["reason"] for answer in stops(run) if answer]
    assert len(told) == 1
    assert said in told[0]


def test_a_command_before_the_last_edit_proves_nothing(played: Played) -> None:
    """What was tested is not what was handed over."""
    played.run(
        [played.spawn(), [say(SUMMARY)]],
        [
            played.write("app.py"),
            played.command("test -f app.py"),
            played.write("app.py"),
            [say(report())],
        ],
    )

    (_,), (kept,) = played.kept()
    assert "was not run after its last edit" in kept.detail


def test_a_report_by_message_is_taken_from_the_parents_record(played: Played) -> None:
    """The engine asks no hook about `send_message`, and writes no row about going idle then."""
    send = [call("send_message", Recipient="THE-PARENT", Message=report())]
    played.run(
        [played.spawn(), [say("Waiting.")], [say(SUMMARY)]],
        [played.write("app.py"), played.command("test -f app.py"), send, [say("I have reported.")]],
    )

    (item,), (kept,) = played.kept()
    assert (kept.standing, kept.status, kept.way) == ("valid", "completed", "record")
    assert item.status == "TERMINATED"


def test_the_newest_of_several_messages_is_the_report(played: Played) -> None:
    """What a child sends on the way is none."""
    progress = [call("send_message", Recipient="THE-PARENT", Message="I am looking at it.")]
    send = [call("send_message", Recipient="THE-PARENT", Message=report())]
    played.run(
        [played.spawn(), [say("Waiting.")], [say("Waiting on.")], [say(SUMMARY)]],
        [
            progress,
            played.write("app.py"),
            played.command("test -f app.py"),
            send,
            [say("I have reported.")],
        ],
    )

    (item,), (kept,) = played.kept()
    assert (kept.standing, kept.status, item.status) == ("valid", "completed", "TERMINATED")
