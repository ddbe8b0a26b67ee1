"""The SDK's hooks answer in process what hooks.json commands answer, for the same session.

The engine is the vendor's, only the model is a script. Each session is played twice, in homes of
their own: once through the registered command, once through `guard_hooks`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "engine"

pytestmark = pytest.mark.engine

pytest.importorskip("google.antigravity", reason="needs the extra `engine`", exc_type=ImportError)
if not (SHARED / "engine.py").is_file():
    pytest.skip("needs ../shared/engine", allow_module_level=True)
sys.path.append(str(SHARED))

import engine  # noqa: E402
from agguard.hosts.antigravity_sdk import guard_hooks  # noqa: E402
from agguard.ledger.store import Ledger  # noqa: E402
from engine import Engine, call, say, script  # noqa: E402

SUMMARY = "Summary of skills used: delegation. Verified: git status is clean."
SPAWN = {"TypeName": "self", "Role": "executor", "Prompt": "CHILD-TASK: look at the state."}
REPORT = json.dumps({"status": "completed"})


class Home:
    """A home with agguard installed, and a workspace."""

    def __init__(self, folder: Path) -> None:
        from agguard.install.user import install_for_user
        from agguard.paths import resolve

        self.home, self.workspace = folder / "home", folder / "work"
        self.home.mkdir(parents=True)
        self.workspace.mkdir()
        self.paths = resolve(str(self.home))
        install_for_user(self.paths)
        (self.workspace / "app.py").write_text("x = 1\n")
        os.system(f"git init -q {self.workspace}")  # noqa: S605
        self.engine = Engine(self.workspace, self.home)

    def command(self, line: str) -> dict[str, Any]:
        return call(
            "run_command", CommandLine=line, Cwd=str(self.workspace), WaitMsBeforeAsync=5000
        )

    def decisions(self) -> list[tuple[str, ...]]:
        """What the ledger keeps of every decision, by agent, without what differs by chance."""
        path = os.path.join(self.paths.state, "ledger.db")
        ledger = Ledger.open(path, wait=5.0, now=time.time())
        try:
            rows = ledger.entries()[::-1]
        finally:
            ledger.close()
        kept = [
            (x.role, x.event, x.tool, x.decision, self.plain(x.reasons), self.plain(x.subject))
            for x in rows
            if x.event in ("PreToolUse", "Stop") or (x.event == "PostToolUse" and x.faults != "[]")
        ]
        return sorted(kept, key=lambda row: row[0])  # agents run side by side

    def plain(self, text: str) -> str:
        text = text.replace(str(self.home), "~").replace(str(self.workspace), "W")
        return re.sub(
            r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", "#", text
        )


def played(
    home: Home, monkeypatch: pytest.MonkeyPatch, *, in_process: bool, **how: Any
) -> engine.Run:
    turns, subagents = SESSIONS[how["session"]](home)
    with monkeypatch.context() as patch:
        if in_process:

            def ours(_: Any, app_data: Path, workspaces: list[str], __: str) -> list[Any]:
                return guard_hooks(
                    app_data_dir=str(app_data),
                    workspaces=workspaces,
                    home=str(home.home),
                    approve=how.get("approve"),
                )

            patch.setattr(engine, "_bridge", ours)
        return home.engine.run("Do the task.", script(*turns, subagents=subagents))


def _denied(home: Home) -> Any:
    write = call(
        "write_to_file",
        TargetFile=str(home.workspace / "new.py"),
        CodeContent="y",
        Overwrite=True,
    )
    return [[write], [home.command("touch trace")], [say(SUMMARY)]], {}


def _delegated(home: Home) -> Any:
    child = [[home.command("git status")], [home.command("touch made")], [say(REPORT)]]
    return [[call("invoke_subagent", Subagents=[SPAWN])], [say(SUMMARY)]], {"CHILD-TASK": child}


def _sent_back(home: Home) -> Any:
    child = [[say(REPORT)]]
    turns = [[call("invoke_subagent", Subagents=[SPAWN])], [say("I am done.")], [say(SUMMARY)]]
    return turns, {"CHILD-TASK": child}


def _read(home: Home) -> Any:
    look = call("view_file", AbsolutePath=str(home.workspace / "app.py"))
    return [[look], [say("It says x = 1.")]], {}


SESSIONS = {"denied": _denied, "delegated": _delegated, "sent back": _sent_back, "read": _read}


@pytest.mark.parametrize("session", SESSIONS)
def test_the_answers_are_those_of_the_registered_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: str
) -> None:
    """Every decision, reason and role is the same, and so is what happened on disk."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    outside, inside = Home(tmp_path / "outside"), Home(tmp_path / "inside")

    played(outside, monkeypatch, in_process=False, session=session)
    played(inside, monkeypatch, in_process=True, session=session)

    assert inside.decisions() == outside.decisions()
    assert inside.decisions()
    names = {x.name for x in inside.workspace.iterdir()}
    assert names == {x.name for x in outside.workspace.iterdir()}
    assert ("made" in names) == (session == "delegated")


def test_a_subagents_prompt_is_augmented_and_its_token_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modified arguments reach the engine: the child's record opens with its token."""
    home = Home(tmp_path)
    run = played(home, monkeypatch, in_process=True, session="delegated")

    (child,) = [rows for rows in run.transcripts.values() if rows[0]["source"] == "SYSTEM"]
    assert "[AGGUARD_TOKEN:" in child[0]["content"]
    assert [row for row in home.decisions() if row[0] == "worker"]


@pytest.mark.parametrize("answer", [None, True, False])
def test_what_is_to_be_asked_is_asked_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool | None
) -> None:
    """Without anybody to ask it is denied."""
    home = Home(tmp_path)
    site = tmp_path / "site"
    from fakes.distribution import Packages

    code = """
@hookimpl
def judge_tool(call):
    return Verdict.ask("really?") if call.name == "view_file" else None
"""
    packages = Packages(site)
    packages.add("asks", code)
    os.makedirs(home.paths.config, exist_ok=True)
    Path(home.paths.config_file).write_text('[plugins]\ntrust = "all"\n')
    packages.build(home)
    asked: list[tuple[str, str]] = []

    def approve(tool: str, args: Any, reason: str) -> bool:
        asked.append((tool, reason))
        return bool(answer)

    chosen = None if answer is None else approve
    run = played(home, monkeypatch, in_process=True, session="read", approve=chosen)

    told = json.dumps(run.requests)
    assert ("really?" in told) == (not answer)
    assert ("x = 1" in json.dumps(run.requests[1:])) or not answer
    assert len(asked) == (0 if answer is None else 1)


def test_a_guard_that_cannot_work_denies(tmp_path: Path) -> None:
    """A state folder that is a file: no call passes unjudged, and a stop passes."""
    import asyncio

    from agguard.hosts.antigravity_sdk.hooks import Guard

    guard = Guard(str(tmp_path), (), str(tmp_path))
    fields = {"toolCall": {"name": "view_file", "args": {"x": object()}}, "stepIdx": 0}
    found = asyncio.run(guard.answered("PreToolUse", "c", fields))
    assert found["decision"] == "deny"
    assert "could not judge" in found["reason"]
    assert asyncio.run(guard.answered("Stop", "c", {"x": object()})) == {}
