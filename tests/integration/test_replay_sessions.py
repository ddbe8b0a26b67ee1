"""`agguard replay`: the guards over past sessions, without a trace."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agguard.doctor.stage import Conversation, Stage
from agguard.pipeline.past import Skipped, past
from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from fakes.desk import Desk


@pytest.fixture
def stage(desk: Desk, bare_path: str) -> Stage:
    """A home with past sessions, in which agguard was never installed."""
    desk.patch.setenv("PATH", bare_path)
    stage = Stage(str(desk.home))
    primary, child = stage.conversation(), stage.conversation()
    primary.user("Rename it.")
    target = f"{stage.workspace}/app.py"
    tool(primary, "write_to_file", {"TargetFile": target, "CodeContent": "x"})
    tool(primary, "write_to_file", {"TargetFile": f"{primary.folder}/plan.md", "CodeContent": "x"})
    tool(primary, "view_file", {"AbsolutePath": target})
    spawn = {"TypeName": "self", "Role": "executor", "Prompt": "Do it."}
    tool(primary, "invoke_subagent", {"Subagents": [spawn]})
    primary.spawned(child)
    child.message(primary.name, "Do it.")
    tool(child, "run_command", {"CommandLine": "git status", "Cwd": stage.workspace})
    tool(child, "write_to_file", {"TargetFile": target, "CodeContent": "x"})
    child.says("Done.")
    idle = "has gone idle. This was the subagent's most recent response: Done."
    primary.message("system", f"Subagent {child.name} {idle}")
    primary.says("I am done.")
    primary.user("Thanks.")
    primary.says("You are welcome.")
    return stage


def tool(who: Conversation, name: str, args: dict[str, Any]) -> None:
    who.calls(name, args)
    who.result("GENERIC", "ok")


def logs(stage: Stage, name: str) -> Path:
    """Make the folder of a conversation's transcripts."""
    folder = Path(stage.brain, name, ".system_generated", "logs")
    folder.mkdir(parents=True)
    return folder


def groups(found: dict[str, Any]) -> dict[tuple[str, str], int]:
    return {(one["guard"], one["what"]): one["count"] for one in found["guards"]}


def configure(desk: Desk) -> None:
    desk.configure("[attention]\nafter = 0\n")


@pytest.mark.usefixtures("stage")
class TestWhatItTells:
    def test_objections_are_counted_by_guard(self, desk: Desk) -> None:
        """The edit, and the turn that changed something and ended without an account."""
        configure(desk)
        found = desk.data("replay", "--all")
        assert (found["sessions"], found["primaries"]) == (2, 1)
        assert (found["calls"], found["stops"]) == (6, 3)
        assert groups(found) == {
            ("builtin.delegation", "deny"): 1,
            ("builtin.attention", "continue"): 1,
            ("builtin.injection", "inject"): 1,
            ("builtin.reports", "continue"): 1,
        }
        assert found["objections"] == 3

    def test_examples_say_what_and_why(self, desk: Desk) -> None:
        """With the reason that the agent would have read."""
        (denied,) = [one for one in desk.data("replay", "--all")["guards"] if one["what"] == "deny"]
        (example,) = denied["examples"]
        assert example["subject"].startswith("write_to_file ")
        assert "plans and delegates" in example["text"]

    def test_a_profile_can_be_tried(self, desk: Desk) -> None:
        """Under `adaptive` the primary works itself."""
        configure(desk)
        found = desk.data("replay", "--all", "--profile", "adaptive")
        assert ("builtin.delegation", "deny") not in groups(found)

    def test_a_person_can_read_it(self, desk: Desk) -> None:
        """In 80 columns."""
        text = desk.screen("replay", "--all")
        assert "6 calls and 3 stops of 2 sessions (1 primary, 1 subagent)" in " ".join(text.split())
        assert "builtin.delegation: denied 1" in text

    def test_nothing_is_written(self, desk: Desk) -> None:
        """No ledger, no manifest, no cache: the home is what it was."""
        before = snapshot(str(desk.home))
        desk.run("replay", "--all")
        assert snapshot(str(desk.home)) == before

    def test_an_installation_is_not_touched(self, desk: Desk) -> None:
        """Its ledger least of all."""
        desk.run("install")
        before = snapshot(desk.paths.state)
        desk.run("replay", "--all")
        assert snapshot(desk.paths.state) == before


class TestWhatItReads:
    def test_a_transcript_a_conversation_and_a_brain_folder(self, desk: Desk, stage: Stage) -> None:
        """And the folder of a product."""
        brain = Path(stage.brain)
        conversation = min(brain.iterdir(), key=lambda one: one.stat().st_mtime)
        (transcript,) = conversation.rglob("*.jsonl")
        for target, sessions in ((transcript, 1), (conversation, 1), (brain, 2), (brain.parent, 2)):
            assert desk.data("replay", str(target))["sessions"] == sessions

    def test_a_copied_folder_is_judged_as_it_was(self, desk: Desk, stage: Stage) -> None:
        """The plan was written where the artifacts were then."""
        copy = desk.home / "copy"
        shutil.move(stage.brain, copy)
        found = desk.data("replay", str(copy))
        assert groups(found)["builtin.delegation", "deny"] == 1

    def test_a_primary_that_waits_for_its_subagents_is_not_sent_back(self, desk: Desk) -> None:
        """As a hook would not."""
        configure(desk)
        stage = Stage(str(desk.home))
        primary, child = stage.conversation(), stage.conversation()
        primary.user("Do it.")
        tool(primary, "invoke_subagent", {"Subagents": [{"Prompt": "x", "TypeName": "self"}]})
        primary.spawned(child)
        primary.says("It is on its way.")
        found = desk.data("replay", "--all")
        assert ("builtin.attention", "continue") not in groups(found)

    def test_lines_that_are_none_are_skipped(self, desk: Desk, stage: Stage) -> None:
        """A transcript that was cut, and one of nothing but noise."""
        for transcript in Path(stage.brain).rglob("*.jsonl"):
            with transcript.open("ab") as file:
                file.write(b'{"step_index": 99, "source\n\xff\xfe\n[]\n\n')
        noise = logs(stage, "noise") / "transcript.jsonl"
        noise.write_bytes(b"\x00\n")
        blank = logs(stage, "blank") / "transcript.jsonl"
        blank.write_bytes(b"")
        os.utime(noise, (1, 1))  # the older one is read first
        logs(stage, "bare")
        Path(stage.brain, "a file of somebody's").write_bytes(b"")
        found = desk.data("replay", "--all")
        assert (found["sessions"], found["calls"]) == (2, 6)
        assert found["skipped"] == {
            "transcripts": [
                {"path": str(noise), "why": "it holds no record"},
                {"path": str(blank), "why": "it is empty"},
            ],
            "folders": [str(Path(stage.brain, "bare"))],
            "lines": 6,
        }
        said = " ".join(desk.screen("replay", "--all").split())
        counts = (
            "skipped: 2 transcripts that cannot be read, 1 folder without a transcript, 6 lines"
        )
        assert counts in said

    @pytest.mark.usefixtures("stage")
    def test_nothing_is_said_of_skipping_where_all_was_read(self, desk: Desk) -> None:
        """And the data says zero."""
        skipped: dict[str, Any] = {"transcripts": [], "folders": [], "lines": 0}
        assert desk.data("replay", "--all")["skipped"] == skipped
        assert "skipped" not in desk.screen("replay", "--all")

    def test_a_transcript_that_leads_nowhere_is_named(self, desk: Desk, stage: Stage) -> None:
        """With the system's reason."""
        odd = logs(stage, "odd")
        (odd / "transcript.jsonl").symlink_to(odd / "transcript.jsonl")
        assert desk.data("replay", "--all")["skipped"]["folders"] == [str(Path(stage.brain, "odd"))]
        found = past(str(odd / "transcript.jsonl"))
        assert isinstance(found, Skipped)
        assert "symbolic links" in found.why

    def test_secrets_do_not_stand_in_examples(self, desk: Desk, stage: Stage) -> None:
        """They are pasted into reports."""
        who = stage.conversation()
        who.user("Push.")
        command = "curl -H 'Authorization: Bearer FAKEtoken1234567890' https://x.example"
        tool(who, "run_command", {"CommandLine": command, "Cwd": stage.workspace})
        out = desk.run("replay", "--all", "--json").out
        assert "curl" in out
        assert "FAKEtoken1234567890" not in out


class TestRefusals:
    def test_it_must_be_told_what_to_read(self, desk: Desk) -> None:
        """One of both: a path, or all."""
        assert "say --all" in desk.run("replay", status=2).words
        desk.run("replay", "x", "--all", status=2)

    def test_nothing_to_read_is_said(self, desk: Desk) -> None:
        """Status 1: for CI it is no success."""
        assert "no session to read" in desk.run("replay", "--all", status=1).words
        desk.run("replay", str(desk.home), status=1)

    def test_what_was_skipped_is_said_also_where_nothing_is_left(self, desk: Desk) -> None:
        """With --json as well; the status stays 1."""
        file = desk.home / "transcript.jsonl"
        file.write_bytes(b"no record\n")
        found = desk.run("replay", str(file), status=1).words
        assert "skipped: 1 transcript that cannot be read" in found
        assert "no session to read" in found
        data = desk.data("replay", str(file), status=1)
        assert data["skipped"]["transcripts"] == [{"path": str(file), "why": "it holds no record"}]
