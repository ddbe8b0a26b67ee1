"""A session of the real Antigravity engine, guarded through the registered command.

The engine is the vendor's; only the model is a script (`../shared/engine/engine.py`).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "engine"

pytestmark = pytest.mark.engine

pytest.importorskip("google.antigravity", reason="needs the extra `engine`", exc_type=ImportError)
if not (SHARED / "engine.py").is_file():
    pytest.skip("needs ../shared/engine", allow_module_level=True)
sys.path.append(str(SHARED))

from engine import Engine, Model, Run, call, say, script  # noqa: E402

SUMMARY = "Summary of skills used: delegation. Verified: git status is clean."
SEMANTICS = pytest.mark.parametrize("semantics", ["closed", "open"])


class Guarded:
    """An engine whose home has agguard installed, in a workspace that is a git repository."""

    def __init__(self, folder: Path, semantics: str) -> None:
        from agguard.config.schema import Schema
        from agguard.config.store import set_value
        from agguard.install.user import install_for_user
        from agguard.paths import resolve

        self.home, self.workspace = folder / "home", folder / "work"
        self.home.mkdir()
        self.workspace.mkdir()
        self.paths = resolve(str(self.home))
        # The engine's sessions last seconds; by default only longer turns are judged.
        set_value(self.paths.config_file, "attention.after", "0", Schema())
        install_for_user(self.paths)
        (self.workspace / "app.py").write_text("x = 1\n")
        os.system(f"git init -q {self.workspace}")  # noqa: S605
        self.engine = Engine(self.workspace, self.home, semantics=semantics)

    def play(self, *turns: list[dict[str, Any]], **subagents: list[list[dict[str, Any]]]) -> Run:
        run = self.engine.run("Do the task.", script(*turns, subagents=subagents))
        assert [c.fault for c in run.hook_calls if c.fault] == []
        return run

    def command(self, line: str) -> dict[str, Any]:
        return call(
            "run_command", CommandLine=line, Cwd=str(self.workspace), WaitMsBeforeAsync=5000
        )


@pytest.fixture
def guarded(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Guarded:
    # rtk has to be on the PATH of the engine's shell, not only of the hook.
    scripts = sysconfig.get_path("scripts")
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("RTK_TELEMETRY_DISABLED", "1")
    return Guarded(tmp_path, getattr(request, "param", "closed"))


def turns(request: dict[str, Any]) -> int:
    """How many turns the model already had; the engine sends results under its name, too."""
    return sum(
        content.get("role") == "model"
        and not any("functionResponse" in p for p in content["parts"])
        for content in request.get("contents", ())
    )


def planning(guarded: Guarded, *rest: dict[str, Any]) -> Model:
    """A model that looks, writes its plan, and then says the `rest`."""

    def model(request: dict[str, Any]) -> list[dict[str, Any]]:
        done = turns(request)
        if not done:  # the artifact directory appears with the first step
            return [call("view_file", AbsolutePath=str(guarded.workspace / "app.py"))]
        (brain,) = (guarded.engine.app_data / "brain").iterdir()
        plan = str(brain / "implementation_plan.md")
        write = call("write_to_file", TargetFile=plan, CodeContent="# Plan", Overwrite=True)
        return [write] if done == 1 else [rest[min(done - 2, len(rest) - 1)]]

    return model


def texts(run: Run) -> str:
    """Everything that the model was told."""
    return json.dumps(run.requests)


@pytest.mark.parametrize("guarded", ["closed", "open"], indirect=True)
def test_what_a_primary_may_not_do_does_not_happen(guarded: Guarded) -> None:
    """No file is written and no command runs; the model sees the reason."""
    target = guarded.workspace / "new.py"
    trace = guarded.workspace / "trace"

    run = guarded.play(
        [call("write_to_file", TargetFile=str(target), CodeContent="y", Overwrite=True)],
        [guarded.command(f"touch {trace}")],
        [say(SUMMARY)],
    )

    assert not target.exists()
    assert not trace.exists()
    assert "writes only inside its artifact directory" in texts(run)
    assert "runs no shell commands itself" in texts(run)


@pytest.mark.parametrize("guarded", ["closed", "open"], indirect=True)
def test_a_primary_writes_its_plan(guarded: Guarded) -> None:
    """A file in the artifact directory appears on disk."""
    guarded.engine.run("Plan it.", planning(guarded, say(SUMMARY)))

    (brain,) = (guarded.engine.app_data / "brain").iterdir()
    assert (brain / "implementation_plan.md").read_text().strip() == "# Plan"


@pytest.mark.parametrize("guarded", ["closed", "open"], indirect=True)
def test_a_subagent_gets_its_token_and_rules_and_works_through_rtk(guarded: Guarded) -> None:
    """Its opening message holds both; its command is run by the real rtk."""
    if not shutil.which("rtk"):
        pytest.skip("needs the real rtk (extra `engine`)")
    spawn = {"TypeName": "self", "Role": "executor", "Prompt": "CHILD-TASK: look at the state."}

    run = guarded.play(
        [call("invoke_subagent", Subagents=[spawn])],
        [say(SUMMARY)],
        **{"CHILD-TASK": [[guarded.command("git status")], [say('{"status": "completed"}')]]},
    )

    (child,) = [rows for rows in run.transcripts.values() if rows[0]["source"] == "SYSTEM"]
    opening = child[0]["content"]
    assert "[AGGUARD_TOKEN:" in opening
    assert opening.index("[AGGUARD_TOKEN:") < opening.index("CHILD-TASK")
    assert opening.index("CHILD-TASK") < opening.index('<agguard_rules role="executor">')
    (result,) = [row for row in child if row["type"] == "RUN_COMMAND"]
    assert "exited with code 0" in result["content"]
    # `git status` says "On branch"; rtk says it its own way (rtk reference, section 1.3).
    assert "On branch" not in result["content"]
    assert "app.py" in result["content"]


@pytest.mark.parametrize("guarded", ["closed", "open"], indirect=True)
def test_a_stop_without_summary_comes_back_once(guarded: Guarded) -> None:
    """The reason reaches the model as a system message, and the session ends in order."""
    run = guarded.engine.run("Plan it.", planning(guarded, say("I am done."), say(SUMMARY)))

    stops = [c.answer.get("decision") for c in run.hook_calls if c.event == "Stop"]
    assert stops == ["continue", None]
    assert "lacks the line 'Summary of skills used:'" in texts(run)


def test_a_question_and_its_answer_pass(guarded: Guarded) -> None:
    """Where nothing was done there is nothing to account for."""
    run = guarded.play([say("Four.")])
    assert [c.answer for c in run.hook_calls if c.event == "Stop"] == [{}]
