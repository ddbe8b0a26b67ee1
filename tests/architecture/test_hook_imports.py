"""A hook stays inside its import budget (design, section 6)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agguard.doctor.stage import Stage, environment
from agguard.install.launcher import BOOTSTRAP
from agguard.paths import resolve
from agguard.plugins.build import build
from agguard.plugins.places import remember

SOURCE = Path(__file__).parents[2] / "src"

HEAVY = {
    "asyncio",
    "click",
    "dataclasses",
    "importlib.metadata",
    "inspect",
    "logging",
    "pathlib",
    "platformdirs",
    "pluggy",
    "rich",
    "signal",
    "subprocess",
    "tomlkit",
    "tomllib",
    "typer",
    "typing",
    "urllib",
    "uuid",
    "yaml",
}
"""What no hook may import; `signal` costs an enum of every signal, `_signal` nothing."""

PATTERNS = {"re", "enum", "functools", "datetime", "json.decoder"}

EVENTS = ["allow", "deny", "spawn", "stop"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    paths = resolve(str(tmp_path))
    remember(paths)
    build(paths)
    return tmp_path


def payload(stage: Stage, event: str) -> tuple[str, dict[str, object]]:
    talk = stage.conversation()
    talk.user("Do it.")
    if event == "allow":
        return "PreToolUse", talk.calls("view_file", {"AbsolutePath": "/x"})
    if event == "deny":
        return "PreToolUse", talk.calls("write_to_file", {"TargetFile": "/x"})
    if event == "spawn":
        return "PreToolUse", talk.calls("invoke_subagent", {"Subagents": [{"Prompt": "p"}]})
    talk.says("Done.")
    return "Stop", talk.stop()


def imports(home: Path, event: str, data: dict[str, object]) -> set[str]:
    """Return the modules that a hook imports, read off the interpreter's own record."""
    return fired(home, event, data)[0]


def fired(home: Path, event: str, data: dict[str, object]) -> tuple[set[str], Any]:
    """Fire a hook; return the modules that it imports, and its answer."""
    state = resolve(str(home)).state
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-I", "-S", "-c", BOOTSTRAP, SOURCE, state, event],
        input=json.dumps(data).encode(),
        capture_output=True,
        check=True,
        env=environment(str(home)),
    )
    imported = {
        line.rpartition(b"|")[2].strip().decode()
        for line in done.stderr.splitlines()
        if line.startswith(b"import time:")
    }
    assert "agguard.pipeline.hook" in imported
    return imported, json.loads(done.stdout.splitlines()[-1])  # as the launcher takes it


@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_imports_nothing_heavy(home: Path, event: str) -> None:
    """Not even the first one, which makes the ledger."""
    imported = imports(home, *payload(Stage(str(home)), event))
    assert {one for one in imported if one in HEAVY or one.partition(".")[0] in HEAVY} == set()


def test_a_known_agents_allowed_call_imports_no_patterns(home: Path) -> None:
    """`re` and `enum` cost a fifth of a hook; what was established is not read again."""
    call = payload(Stage(str(home)), "allow")
    imports(home, *call)
    assert imports(home, *call) & PATTERNS == set()


def test_nor_does_it_beside_a_running_subagent(home: Path) -> None:
    """The parent's record is read at each hook then, for what it says of the child."""
    stage = Stage(str(home))
    primary, child = stage.conversation(), stage.conversation()
    primary.user("Do it.")
    spawn = primary.calls("invoke_subagent", {"Subagents": [{"Prompt": "p", "Role": "r"}]})
    _, answer = fired(home, "PreToolUse", spawn)
    child.message(primary.name, answer["overwrite"]["Subagents"][0]["Prompt"])
    primary.spawned(child)
    call = "PreToolUse", primary.calls("view_file", {"AbsolutePath": "/x"})
    imports(home, "PreToolUse", child.calls("view_file", {"AbsolutePath": "/x"}))
    imports(home, *call)
    found = imports(home, *call)
    assert "agguard.transcript.spawns" in found
    assert found & PATTERNS == set()


def test_a_projects_command_loads_no_command_line(home: Path) -> None:
    """`agguard hook`, which a committed launcher runs, answers without typer and its kin."""
    event, data = payload(Stage(str(home)), "allow")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "agguard", "hook", event],
        input=json.dumps(data).encode(),
        capture_output=True,
        check=True,
        env={**environment(str(home)), "PYTHONPATH": str(SOURCE)},
    )
    assert json.loads(done.stdout) == {"decision": "allow"}
    assert b"agguard.pipeline.hook" in done.stderr
    assert [one for one in (b"typer", b"rich", b"agguard.cli") if one in done.stderr] == []
