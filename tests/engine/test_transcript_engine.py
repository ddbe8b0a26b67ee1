"""Reading what the real engine writes, as it writes it today."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agguard.transcript import opening, spawned, turn

if TYPE_CHECKING:
    from types import ModuleType

DRIVER = Path(__file__).parents[3] / "shared" / "engine" / "engine.py"

pytestmark = [
    pytest.mark.skipif(not DRIVER.exists(), reason="the engine's driver is not here"),
    pytest.mark.skipif(
        importlib.util.find_spec("google") is None
        or importlib.util.find_spec("google.antigravity") is None,
        reason="the extra `engine` is not installed",
    ),
]


@pytest.fixture(scope="module")
def driver() -> ModuleType:
    """Return the module that drives the engine."""
    spec = importlib.util.spec_from_file_location("engine_driver", DRIVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["engine_driver"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_a_conversation_with_a_child(driver: ModuleType, tmp_path: Path) -> None:
    """Steps agree with the payloads of its hooks, in both conversations and both files."""
    workspace, home = tmp_path / "workspace", tmp_path / "home"
    config = home / ".gemini" / "config"
    workspace.mkdir()
    config.mkdir(parents=True)
    allow = {"matcher": "*", "hooks": [{"command": 'echo \'{"decision": "allow"}\''}]}
    (config / "hooks.json").write_text(json.dumps({"x": {"PreToolUse": [allow]}}))
    run, say = driver.call, driver.say
    commands = [
        run("run_command", CommandLine=text, Cwd=str(workspace), WaitMsBeforeAsync=8000)
        for text in ("exit 3", "echo fine")
    ]
    child = {"TypeName": "self", "Role": "worker", "Prompt": "CHILD work"}
    model = driver.script(
        commands,
        [run("invoke_subagent", Subagents=[child])],
        [say("Summary.")],
        subagents={"CHILD": [[commands[0]], [say("child is done")]]},
    )
    done = driver.Engine(workspace, home).run("do it", model, settle=3)
    paths = {
        call.payload["conversationId"]: call.payload["transcriptPath"] for call in done.hook_calls
    }
    primary = next(
        path for path in paths.values() if (found := opening(path)) and found.kind == "user"
    )
    found = turn(primary)
    (born,) = found.spawned.children
    assert found.complete
    assert found.answered
    assert found.user_text == "do it"
    assert [call.result.exit_code for call in found.calls if call.result] == [3, 0, None]
    assert [report.text for report in spawned(primary).reports] == ["child is done"]
    opened = opening(paths[born.conversation])
    assert opened is not None
    assert (opened.kind, opened.text) == ("agent", "CHILD work")
    assert paths[opened.sender] == primary
    for conversation, path in paths.items():
        steps = {
            (call.payload["stepIdx"], call.payload["toolCall"]["name"])
            for call in done.hook_calls
            if call.payload["conversationId"] == conversation and call.event == "PreToolUse"
        }
        assert steps == {(call.step, call.name) for call in turn(path).calls}
