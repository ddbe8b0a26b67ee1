"""`agguard replay` judges as a hook would: subagents' reports, and projects' own files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agguard.doctor.stage import Conversation, Stage
from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from fakes.desk import Desk

REPORT = {"status": "completed", "summary": "Done.", "files_modified": []}
VALID = json.dumps({**REPORT, "verify_cmd": "pytest -q"})
UNPROVEN = json.dumps({**REPORT, "verify_cmd": "make test"})


@pytest.fixture
def stage(desk: Desk, bare_path: str) -> Stage:
    """A home in which agguard was never installed; the project is a repository."""
    desk.patch.setenv("PATH", bare_path)
    found = Stage(str(desk.home))
    Path(found.workspace, ".git").mkdir()
    return found


def ran(who: Conversation, command: str, folder: str, status: int = 0) -> None:
    """Record a command that was run."""
    who.calls("run_command", {"CommandLine": command, "Cwd": folder})
    who.record("MODEL", "RUN_COMMAND", content="ok", exit_code=status)


def child(stage: Stage, *ends: str) -> Conversation:
    """Record a subagent that tested and then ended its tasks with these words."""
    parent, found = stage.conversation(), stage.conversation()
    parent.user("Test it.")
    spawn = {"TypeName": "self", "Role": "executor", "Prompt": "Test it."}
    parent.calls("invoke_subagent", {"Subagents": [spawn]})
    parent.spawned(found)
    for number, words in enumerate(ends):
        found.message(parent.name, f"Test it, the {number}. time.")
        if not number:
            ran(found, "pytest -q", stage.workspace)
        found.says(words)
    return found


def counts(found: dict[str, Any]) -> dict[str, int]:
    return {f"{one['guard']} {one['what']}": one["count"] for one in found["guards"]}


@pytest.mark.usefixtures("stage")
class TestReports:
    @pytest.mark.parametrize(
        ("words", "standing", "sent_back"),
        [
            (VALID, "valid", 0),
            (UNPROVEN, "unverified", 0),
            ("All tests pass.", "invalid", 1),
            ('{"status": "completed"}', "invalid", 1),
        ],
    )
    def test_a_report_is_judged_as_a_hook_would(
        self, desk: Desk, stage: Stage, words: str, standing: str, sent_back: int
    ) -> None:
        """Checked against the schema and the subagent's own record."""
        child(stage, words)
        found = desk.data("replay", "--all")
        assert found["reports"] == {standing: 1}
        assert counts(found).get("builtin.reports continue", 0) == sent_back
        assert f"reports of subagents: 1 {standing}" in desk.screen("replay", "--all")

    def test_what_a_later_task_did_proves_nothing_for_it(self, desk: Desk, stage: Stage) -> None:
        """Each message of the parent to a subagent at rest begins a task, with a report of its own.

        The command was run in the first one.
        """
        child(stage, VALID, VALID, "Still fine.")
        found = desk.data("replay", "--all")
        assert found["reports"] == {"valid": 1, "unverified": 1, "invalid": 1}
        assert found["stops"] == 4  # with the parent's

    def test_nothing_is_asked_where_the_configuration_says_so(
        self, desk: Desk, stage: Stage
    ) -> None:
        """Off: no report is due. Advise: none is sent back."""
        child(stage, "All tests pass.")
        desk.configure("[handoff]\nmode = 'off'\n")
        assert desk.data("replay", "--all")["reports"] == {}
        desk.configure("[handoff]\nmode = 'advise'\n")
        found = desk.data("replay", "--all")
        assert found["reports"] == {"invalid": 1}
        assert "builtin.reports continue" not in counts(found)

    def test_a_lost_line_leaves_a_report_unverified(self, desk: Desk, stage: Stage) -> None:
        """Nothing is proven by a record that cannot be read whole."""
        who = child(stage, VALID)
        with Path(who.transcript).open("a", encoding="utf-8") as file:
            file.write("half a li\n")
        assert desk.data("replay", "--all")["reports"] == {"unverified": 1}

    def test_a_message_to_the_parent_is_judged_too(self, desk: Desk, stage: Stage) -> None:
        """It is a tool call, which the record holds."""
        who = child(stage, VALID)
        parent = next(one.name for one in Path(stage.brain).iterdir() if one.name != who.name)
        who.message(parent, "And?")
        who.calls("send_message", {"Recipient": parent, "Message": "fine"})
        assert counts(desk.data("replay", "--all"))["builtin.handoff deny"] == 1


def primary(stage: Stage) -> Conversation:
    """Record a primary that edited a file of its project."""
    found = stage.conversation()
    found.user("Fix it.")
    target = f"{stage.workspace}/src/app.py"
    found.calls("write_to_file", {"TargetFile": target, "CodeContent": "x"})
    found.result("GENERIC", "ok")
    return found


DENIED = "builtin.delegation deny"


class TestProjects:
    @pytest.fixture(autouse=True)
    def mild(self, desk: Desk) -> None:
        desk.configure("[delegation]\nmode = 'advise'\n")

    def test_a_project_tightens_what_is_judged(self, desk: Desk, stage: Stage) -> None:
        """Found by the repository of the file that was edited; named on the screen."""
        primary(stage)
        assert DENIED not in counts(desk.data("replay", "--all"))
        file = Path(stage.workspace, ".agguard.toml")
        file.write_text("[delegation]\nmode = 'strict'\n")
        found = desk.data("replay", "--all")
        assert counts(found)[DENIED] == 1
        assert found["projects"] == [str(file)]
        assert "tightened by" in desk.screen("replay", "--all")

    def test_it_cannot_loosen(self, desk: Desk, stage: Stage) -> None:
        """As on the host."""
        desk.configure("")
        primary(stage)
        Path(stage.workspace, ".agguard.toml").write_text("[delegation]\nmode = 'off'\n")
        found = desk.run("replay", "--all", "--json")
        assert counts(found.data)[DENIED] == 1
        assert found.data["projects"] == []
        assert "may only move it towards 'strict'" in found.err

    def test_a_profile_is_tightened_as_well(self, desk: Desk, stage: Stage) -> None:
        """It stands in the place of the user's, below the project's file."""
        desk.configure("")
        primary(stage)
        arguments = ("replay", "--all", "--profile", "adaptive")
        assert DENIED not in counts(desk.data(*arguments))
        Path(stage.workspace, ".agguard.toml").write_text("[delegation]\nmode = 'strict'\n")
        assert counts(desk.data(*arguments))[DENIED] == 1

    def test_another_projects_file_is_not_this_ones(self, desk: Desk, stage: Stage) -> None:
        """Each session is judged by its own."""
        primary(stage)
        other = Stage(str(desk.home / "other"))
        Path(other.workspace, ".git").mkdir()
        Path(other.workspace, ".agguard.toml").write_text("[delegation]\nmode = 'strict'\n")
        other.brain = stage.brain
        assert DENIED not in counts(desk.data("replay", "--all"))
        primary(other)
        assert counts(desk.data("replay", "--all"))[DENIED] == 1

    def test_a_session_without_a_trace_of_its_folder_has_its_subagents(
        self, desk: Desk, stage: Stage
    ) -> None:
        """Whose commands ran in it: here the parent only asks for a child too many."""
        desk.configure("")
        child(stage, VALID)
        assert DENIED not in counts(desk.data("replay", "--all"))
        Path(stage.workspace, ".agguard.toml").write_text("[delegation]\nmax_depth = 0\n")
        assert counts(desk.data("replay", "--all"))[DENIED] == 1

    def test_the_workspaces_in_the_parents_record_count(self, desk: Desk, stage: Stage) -> None:
        """The engine writes them down where it starts a subagent."""
        desk.configure("")
        parent, started = stage.conversation(), stage.conversation()
        parent.user("Do it.")
        parent.calls("invoke_subagent", {"Subagents": [{"TypeName": "self", "Prompt": "x"}]})
        row = {"conversationId": started.name, "workspaceUris": [f"file://{stage.workspace}"]}
        parent.result("INVOKE_SUBAGENT", f"Created the following subagents:\n{json.dumps(row)}")
        Path(stage.workspace, ".agguard.toml").write_text("[delegation]\nmax_depth = 0\n")
        assert counts(desk.data("replay", "--all"))[DENIED] == 1

    def test_nothing_is_written(self, desk: Desk, stage: Stage) -> None:
        """Not even what was compiled for the project."""
        primary(stage)
        Path(stage.workspace, ".agguard.toml").write_text("[delegation]\nmode = 'strict'\n")
        before = snapshot(str(desk.home))
        desk.run("replay", "--all")
        assert snapshot(str(desk.home)) == before
