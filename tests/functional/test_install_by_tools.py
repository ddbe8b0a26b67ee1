"""agguard installed by pipx, by uv and by pip, from a built wheel: each is a home of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agguard.doctor.registered import fire
from agguard.doctor.stage import environment

if TYPE_CHECKING:
    from agguard.doctor.registered import Fired

if os.name == "nt":
    pytest.skip("the host's commands are run with sh here", allow_module_level=True)

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable
EDIT = {"TargetFile": "/project/app.py", "CodeContent": "x", "Overwrite": True}
PAYLOADS = {
    "PreToolUse": {"stepIdx": 1, "toolCall": {"name": "write_to_file", "args": EDIT}},
    "PostToolUse": {"stepIdx": 1, "error": ""},
    "Stop": {"executionNum": 0, "terminationReason": "NO_TOOL_CALL", "fullyIdle": True},
    "SessionStart": {},
    "PreInvocation": {"invocationNum": 0},
}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment that has pipx and uv, and the wheel of this very source."""
    pytest.importorskip("ensurepip", reason="this Python makes no environments with pip")
    folder = tmp_path_factory.mktemp("workshop")
    venv.create(folder / "env", with_pip=True)
    pip = [str(folder / "env" / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    kept = ["pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"]
    for name in kept:
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for command in (
        ["install", "-q", "pipx", "uv", "hatchling"],
        ["wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder / "dist"), "."],
    ):
        done = subprocess.run(
            [*pip, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=250
        )
        if done.returncode:
            pytest.skip(f"pip cannot get pipx, uv and hatchling here: {done.stderr[-300:]}")
    return folder


class Tool:
    """One way to install a program into an environment of its own.

    Args:
        name: `pipx`, `uv` or `pip`.
        workshop: Where pipx, uv and the wheel are.
        folder: An empty folder for the environments and the programs.
    """

    def __init__(self, name: str, workshop: Path, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self._programs = workshop / "env" / "bin"
        (self._wheel,) = (workshop / "dist").glob("*.whl")

    @property
    def agguard(self) -> Path:
        """The program."""
        return self.folder / "bin" / "agguard"

    def install(self) -> None:
        """Install the wheel, or install it again over itself."""
        wheel = str(self._wheel)
        if self.name == "pip":
            if not os.path.exists(self._pip):
                venv.create(self.folder, with_pip=True)
                self._run([self._pip, "install", "-q", wheel])
            self._run([self._pip, "install", "-q", "--no-deps", "--force-reinstall", wheel])
        elif self.name == "pipx":
            self._run(["pipx", "install", "--force", "--python", PYTHON, wheel])
        else:
            self._run(["uv", "tool", "install", "--force", "--python", PYTHON, wheel])

    def remove(self) -> None:
        """Take the program away, as its tool does; nobody says `agguard uninstall`."""
        commands = {
            "pip": [self._pip, "uninstall", "-q", "-y", "agguard"],
            "pipx": ["pipx", "uninstall", "agguard"],
            "uv": ["uv", "tool", "uninstall", "agguard"],
        }
        self._run(commands[self.name])
        assert not self.agguard.exists()

    @property
    def _pip(self) -> str:
        return str(self.folder / "bin" / "pip")

    def _run(self, command: list[str]) -> None:
        here = {
            "PIPX_HOME": str(self.folder / "pipx"),
            "PIPX_BIN_DIR": str(self.folder / "bin"),
            "UV_TOOL_DIR": str(self.folder / "uv"),
            "UV_TOOL_BIN_DIR": str(self.folder / "bin"),
            "UV_CACHE_DIR": str(self.folder / "cache"),
            "UV_PYTHON_DOWNLOADS": "never",
        }
        command = [str(self._programs / command[0]), *command[1:]]
        done = subprocess.run(
            command, env={**os.environ, **here}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


class Home:
    """A user's home; its name needs quoting wherever it is used."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.hooks = folder / ".gemini" / "config" / "hooks.json"
        kept = {key: value for key, value in environment(str(folder)).items() if "XDG" not in key}
        self.environ = {**kept, "COLUMNS": "80", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"}
        self.environ.pop("PYTHONPATH", None)

    def run(self, tool: Tool, *arguments: str, status: int = 0) -> str:
        """Run agguard as one tool has installed it; return all that it says."""
        done = subprocess.run(
            [tool.agguard, *arguments],
            env=self.environ,
            cwd=self.hooks.parents[2],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return " ".join(f"{done.stdout} {done.stderr}".split())

    def fire(self, event: str) -> Fired:
        """Have the host fire an event; its answer is one that the host takes."""
        payload = {"conversationId": "somebody", **PAYLOADS[event]}
        (found,) = fire(str(self.hooks), event, payload, self.environ)
        assert found.fault == ""
        return found

    def is_guarded(self) -> bool:
        """Whether agguard itself answers: with a decision that it has recorded."""
        answer = self.fire("PreToolUse").answer
        return answer["decision"] == "deny" and "(decision " in answer["reason"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / 'a user\'s "home"')


@pytest.mark.parametrize("name", ["pipx", "uv", "pip"])
def test_an_installation_outlives_its_tool(
    name: str, home: Home, workshop: Path, tmp_path: Path
) -> None:
    """Installed, installed again in its place, taken away, and back: every answer is valid."""
    tool = Tool(name, workshop, tmp_path / "tools")
    tool.install()
    home.run(tool, "install")
    assert home.is_guarded()
    home.run(tool, "doctor")
    written = home.hooks.read_bytes()

    tool.install()
    assert home.is_guarded()
    assert "nothing to do" in home.run(tool, "install")

    tool.remove()
    answer = home.fire("PreToolUse").answer
    assert answer["decision"] == "ask"
    assert "agguard cannot answer" in answer["reason"]
    assert str(tmp_path / "tools") in answer["reason"]
    assert {json.dumps(home.fire(event).answer) for event in PAYLOADS if event != "PreToolUse"} == {
        "{}"
    }
    assert home.hooks.read_bytes() == written

    tool.install()
    assert home.is_guarded()
    home.run(tool, "uninstall")
    assert not home.hooks.exists()


def test_the_newer_of_two_tools_answers_and_the_older_may_go(
    home: Home, workshop: Path, tmp_path: Path
) -> None:
    """That it changes is said loudly, and doctor says it from the other side."""
    older, newer = (Tool(name, workshop, tmp_path / name) for name in ("pipx", "uv"))
    for tool in (older, newer):
        tool.install()
    home.run(older, "install")
    said = home.run(newer, "install")
    assert "answered from another environment" in said
    assert str(older.folder) in said
    assert "another environment than this one" in home.run(older, "doctor")

    older.remove()
    assert home.is_guarded()
    newer.remove()
    assert str(newer.folder) in home.fire("PreToolUse").answer["reason"]

    older.install()
    assert "which is gone" in home.run(older, "status", status=1)
    assert "installed again" in home.run(older, "doctor", "--fix")
    assert home.is_guarded()
