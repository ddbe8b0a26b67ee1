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
from functools import partial
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "engine"

pytestmark = pytest.mark.engine

pytest.importorskip("google.antigravity", reason="needs the extra `engine`", exc_type=ImportError)
if not (SHARED / "engine.py").is_file():
    pytest.skip("needs ../shared/engine", allow_module_level=True)
sys.path.append(str(SHARED))

import google.antigravity  # noqa: E402 - after the skip

import engine  # noqa: E402 - after the skip
from agguard.hosts.antigravity_sdk import guard_hooks  # noqa: E402 - after the skip
from agguard.hosts.antigravity_sdk.hooks import Hooks, permitted  # noqa: E402 - after the skip
from agguard.hosts.antigravity_sdk.reminders import Reminders  # noqa: E402 - after the skip
from agguard.ledger.store import Ledger  # noqa: E402 - after the skip
from engine import Engine, call, say, script  # noqa: E402 - after the skip

SUMMARY = "Summary of skills used: delegation. Verified: git status is clean."
SPAWN = {"TypeName": "self", "Role": "executor", "Prompt": "CHILD-TASK: look at the state."}
REPORT = json.dumps({"status": "completed"})


class Home:
    """A home with agguard installed, and a workspace."""

    def __init__(self, folder: Path, config: str = "", project: str = "") -> None:
        from agguard.install.user import install_for_user
        from agguard.paths import resolve
        from agguard.plugins.build import build

        self.home, self.workspace = folder / "home", folder / "work"
        self.home.mkdir(parents=True)
        self.workspace.mkdir()
        self.paths = resolve(str(self.home))
        install_for_user(self.paths)
        (self.workspace / "app.py").write_text("x = 1\n")
        os.system(f"git init -q {self.workspace}")  # noqa: S605
        self.engine = Engine(self.workspace, self.home)
        if config:
            os.makedirs(self.paths.config, exist_ok=True)
            Path(self.paths.config_file).write_text(config)
            build(self.paths)
        if project:
            (self.workspace / ".agguard.toml").write_text(project)

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

            def ours(_: Any, app_data: Path, workspaces: list[str], __: str) -> Hooks:
                return guard_hooks(
                    app_data_dir=str(app_data),
                    workspaces=workspaces,
                    home=str(home.home),
                    approve=how.get("approve"),
                )

            def configured(hooks: Hooks, **rest: Any) -> Any:
                return original(hooks=hooks, triggers=hooks.triggers, **rest)

            original = google.antigravity.LocalAgentConfig
            patch.setattr(google.antigravity, "LocalAgentConfig", configured)
            patch.setattr(engine, "_bridge", ours)
        elif how.get("invocations"):
            patch.setattr(engine, "_bridge", _before_each_model_call)
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


def _looks(home: Home) -> Any:
    look = call("view_file", AbsolutePath=str(home.workspace / "app.py"))
    return [[look], [look], [look], [look], [say("It says x = 1.")]], {}


SESSIONS = {
    "denied": _denied,
    "delegated": _delegated,
    "sent back": _sent_back,
    "read": _read,
    "looks": _looks,
}

BRIDGE = engine._bridge


def _before_each_model_call(
    hooks: Any, app_data: Path, workspaces: list[str], root: str
) -> list[Any]:
    """Fire PreInvocation before the model calls that follow a tool call, too, as a host does."""
    import asyncio

    from google.antigravity.hooks import hooks as sdk

    fired = 0

    class After(sdk.PostToolCallHook):
        async def run(self, context: Any, data: Any) -> None:  # noqa: ARG002 - the SDK's
            nonlocal fired
            conversation, _, step = data.step_id.rpartition(":")
            if conversation != root:
                return
            fired += 1
            brain = app_data / "brain" / root
            payload = {
                "invocationNum": fired,
                "initialNumSteps": int(step) + 1,
                "conversationId": root,
                "workspacePaths": workspaces,
                "artifactDirectoryPath": str(brain),
                "transcriptPath": str(brain / ".system_generated/logs/transcript.jsonl"),
            }
            await asyncio.to_thread(hooks.fire, "PreInvocation", payload)

    return [*BRIDGE(hooks, app_data, workspaces, root), After()]


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


LAYERED = {
    "the project's file": ("[delegation]\nmode = 'off'\n", "[delegation]\nmode = 'strict'\n", {}),
    "the environment": ("[delegation]\nmode = 'off'\n", "", {"AGGUARD_DELEGATION_MODE": "strict"}),
    "a project that may not loosen": ("", "[delegation]\nmode = 'off'\n", {}),
    "neither": ("[delegation]\nmode = 'off'\n", "", {}),
}


@pytest.mark.parametrize("layer", LAYERED)
def test_project_and_environment_are_layered_as_in_the_registered_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layer: str
) -> None:
    """They tighten in process, too, and only tighten."""
    config, project, variables = LAYERED[layer]
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    outside = Home(tmp_path / "outside", config, project)
    inside = Home(tmp_path / "inside", config, project)

    played(outside, monkeypatch, in_process=False, session="denied")
    played(inside, monkeypatch, in_process=True, session="denied")

    assert inside.decisions() == outside.decisions()
    assert (inside.workspace / "new.py").exists() == (layer == "neither")


def test_the_reminders_are_those_of_the_registered_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a host would inject before a model call is what that model call reads."""
    config = "[attention]\nremind_every = 2\n"
    outside, inside = Home(tmp_path / "outside", config), Home(tmp_path / "inside", config)

    host = played(outside, monkeypatch, in_process=False, session="looks", invocations=True)
    run = played(inside, monkeypatch, in_process=True, session="looks")

    steps = [step for one in host.hook_calls for step in one.answer.get("injectSteps", ())]
    injected = [step["systemMessage"]["systemMessage"] for step in steps]
    assert len(injected) == 2
    (rows,) = run.transcripts.values()
    said = [row["content"] for row in rows if row["type"] == "SYSTEM_MESSAGE"]
    assert [text.partition("content=")[2].partition("\n</SYSTEM")[0] for text in said] == injected
    heard = [json.dumps(x["contents"]).count("agguard reminder") for x in run.requests[:5]]
    assert heard == [0, 0, 1, 1, 2]
    # The engine asks the model once more, so the agent stops twice.
    assert list(dict.fromkeys(inside.decisions())) == list(dict.fromkeys(outside.decisions()))
    assert len(inside.decisions()) == len(outside.decisions()) + 1


def test_a_turn_after_the_first_is_reminded_before_it_begins() -> None:
    """And the first is not: its opening record is the user's, which is what makes it a primary."""
    import asyncio

    said: list[str] = []

    async def answered(event: str, conversation: str, fields: Any) -> dict[str, Any]:
        text = f"{event} {fields.get('invocationNum', '')} of {conversation}".strip()
        return {"injectSteps": [{"systemMessage": {"systemMessage": text}}]}

    async def say_it(text: str) -> None:
        said.append(text)

    async def refuses(text: str) -> None:
        raise ConnectionError(text)

    async def session() -> None:
        reminders = Reminders(answered)
        await reminders.ended("early", 1)
        reminders.voice = say_it
        await reminders.turn()
        assert not said
        reminders.called("root")
        reminders.called("child")
        await reminders.ended("child", 3)
        await reminders.ended("root", 4)
        await reminders.turn()
        reminders.voice = refuses
        await reminders.turn()
        reminders.voice = None
        await reminders.turn()

    asyncio.run(session())

    assert said == [
        "SessionStart  of root\n\nPreInvocation 1 of root",
        "PreInvocation 0 of root",
    ]


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


def test_readmes_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it stands there and in the module's docstring; only the model is a script."""
    import asyncio
    import textwrap

    from agguard.hosts import antigravity_sdk
    from agguard.paths import resolve

    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(from agguard\.hosts\..*?)```", text, re.DOTALL)
    assert textwrap.indent(block, "    ") in (antigravity_sdk.__doc__ or "")

    home = Home(tmp_path)
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home.home))
    home.paths = resolve()  # the example names no home, so the user's own counts
    target = home.workspace / "new.py"
    write = call("write_to_file", TargetFile=str(target), CodeContent="y", Overwrite=True)
    model = engine.ScriptedGemini(script([write], [say(SUMMARY)]))
    original = google.antigravity.LocalAgentConfig
    endpoint = google.antigravity.types.GeminiAPIEndpoint(base_url=model.url, api_key="offline")
    kinds = (google.antigravity.types.ModelType.TEXT, google.antigravity.types.ModelType.IMAGE)
    models = [
        google.antigravity.types.ModelTarget(name="scripted", types=[kind], endpoint=endpoint)
        for kind in kinds
    ]
    scripted = partial(original, models=models)
    monkeypatch.setattr(google.antigravity, "LocalAgentConfig", scripted)
    names = {"folder": str(home.workspace), "app_data": str(home.engine.app_data)}
    try:
        exec(f"async def example():\n{textwrap.indent(block, '    ')}", names)  # noqa: S102 - README's own text
        asyncio.run(asyncio.wait_for(names["example"](), 60))
    finally:
        model.close()

    assert not target.exists()
    assert "writes only inside its artifact directory" in json.dumps(model.requests)
    denied = ("primary", "PreToolUse", "write_to_file", "deny")
    assert denied in [row[:4] for row in home.decisions()]


@pytest.mark.parametrize("decision", ["allow", "ask", "force_ask", "deny", "perhaps"])
def test_only_a_yes_permits_what_is_to_be_asked(decision: str) -> None:
    """One that fails has not said yes; a denial is not put up for approval."""
    asked: list[str] = []

    def approve(tool: str, args: Any, reason: str) -> bool:
        asked.append(reason)
        if reason == "fails":
            raise RuntimeError(reason)
        return reason == "yes"

    for reason in ("yes", "no", "fails"):
        found = permitted({"decision": decision, "reason": reason}, approve, "t", {})
        is_asked = decision.endswith("ask")
        assert found == (decision == "allow" or (is_asked and reason == "yes"))
    assert asked == (["yes", "no", "fails"] if decision.endswith("ask") else [])
    assert permitted({"decision": decision}, None, "t", {}) == (decision == "allow")
