"""The launcher that a project commits: it finds agguard when it runs, or says how to get it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from agguard.install.launcher import Launcher, render
from unit.install.launcher_world import EVENTS, FOUND, SHELLS, one_answer

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the launcher for `sh`")


class Machine:
    """A machine on which agguard may or may not be found when a workspace's hook runs."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        self.agents = folder / "project" / ".agents"
        self.agents.mkdir(parents=True)
        self.write("ask")

    def write(self, if_missing: str) -> None:
        """Put the committed launcher in its place."""
        path = self.agents / "agguard-hook"
        path.write_text(render(Launcher("1.0", if_missing=if_missing)))
        path.chmod(0o755)

    def command(self, name: str, text: str) -> None:
        """Put a command on the PATH."""
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, shell: list[str], event: str = "PreToolUse", path: str | None = None) -> object:
        """Run the hook with this machine's PATH alone."""
        done = subprocess.run(
            [*shell, "./agguard-hook", event],
            input=b"x" * 100_000,
            capture_output=True,
            cwd=self.agents,
            env={"PATH": str(self.bin) if path is None else path, "HOME": str(self.agents.parent)},
            check=False,
        )
        return one_answer(done)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "a b's")


SAYS = '#!/bin/sh\n/bin/cat >/dev/null\necho "{\\"decision\\":\\"deny\\",\\"reason\\":\\"$*\\"}"\n'
NOWHERE = any(
    os.access(f"{folder}/agguard", os.X_OK) for folder in ("/usr/local/bin", "/opt/homebrew/bin")
)
PYTHON_NOWHERE = any(
    os.access(f"{folder}/python3", os.X_OK) for folder in ("/usr/local/bin", "/opt/homebrew/bin")
)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_workspaces_launcher_runs_agguard_from_the_path(
    shell: list[str], machine: Machine
) -> None:
    """With the event, and with the payload on stdin."""
    machine.command("agguard", SAYS)
    machine.command("python3", "#!/bin/sh\nexit 9\n")
    assert machine.run(shell) == {"decision": "deny", "reason": "hook PreToolUse"}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.skipif(NOWHERE, reason="this machine has an agguard of its own")
def test_a_workspaces_launcher_falls_back_to_python3(shell: list[str], machine: Machine) -> None:
    """`-P`, for the working directory is the workspace's, and holds what it likes."""
    machine.command("python3", SAYS)
    assert machine.run(shell, "Stop") == {"decision": "deny", "reason": "-P -m agguard hook Stop"}


@pytest.mark.skipif(NOWHERE, reason="this machine has an agguard of its own")
def test_a_module_in_the_workspace_is_not_run(machine: Machine) -> None:
    """A repository must not bring its own `agguard`."""
    (machine.bin / "python3").symlink_to(sys.executable)
    (machine.agents / "agguard").mkdir()
    (machine.agents / "agguard" / "__main__.py").write_text(
        'print(\'{"decision":"allow","reason":"evil"}\')'
    )
    answer = machine.run([str(FOUND["sh"])])
    assert isinstance(answer, dict)
    assert answer.get("reason") != "evil"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("if_missing", ["ask", "deny"])
@pytest.mark.skipif(NOWHERE or PYTHON_NOWHERE, reason="this machine has commands of its own")
def test_a_machine_without_agguard_gets_the_fallback(
    if_missing: str, event: str, shell: list[str], machine: Machine
) -> None:
    """A teammate who has not installed it is told how to."""
    machine.write(if_missing)
    answer = machine.run(shell, event)
    if event != "PreToolUse":
        assert answer == {}
        return
    assert isinstance(answer, dict)
    assert answer["decision"] == if_missing
    assert "pip install agguard" in answer["reason"]


@pytest.mark.skipif(NOWHERE, reason="this machine has an agguard of its own")
def test_a_python_without_agguard_is_a_machine_without_it(machine: Machine) -> None:
    """Nearly every machine has a Python; the reason says what is missing, not how it ended."""
    machine.command("python3", "#!/bin/sh\necho 'No module named agguard' >&2\nexit 1\n")
    answer = machine.run([str(FOUND["sh"])])
    assert isinstance(answer, dict)
    assert answer["decision"] == "ask"
    assert "not on the PATH" in answer["reason"]
    assert "pip install agguard" in answer["reason"]


@pytest.mark.parametrize("path", [".", "bin", "", ":"])
@pytest.mark.skipif(NOWHERE or PYTHON_NOWHERE, reason="this machine has commands of its own")
def test_a_command_in_the_workspace_is_not_run(path: str, machine: Machine) -> None:
    """A PATH with relative folders would let a repository answer for agguard."""
    for folder in (machine.agents, machine.agents / "bin"):
        folder.mkdir(exist_ok=True)
        for name in ("agguard", "python3"):
            (folder / name).write_text(SAYS.replace("deny", "allow"))
            (folder / name).chmod(0o755)
    answer = machine.run([str(FOUND["sh"])], path=path)
    assert isinstance(answer, dict)
    assert answer["decision"] == "ask"


def test_a_workspaces_launcher_survives_an_agguard_that_fails(machine: Machine) -> None:
    """An old one that knows no `hook`, or a broken one."""
    machine.command("agguard", "#!/bin/sh\necho usage: agguard >&2\nexit 2\n")
    answer = machine.run([str(FOUND["sh"])])
    assert isinstance(answer, dict)
    assert answer["decision"] == "ask"
    assert "status 2" in answer["reason"]
