"""A launcher with everything that it needs, and shells to run it in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from agguard.install.launcher import Launcher, render

if TYPE_CHECKING:
    from pathlib import Path

FOUND = {name: shutil.which(name) for name in ("sh", "dash", "bash", "busybox")}
SHELLS = [
    pytest.param([path, "sh"] if name == "busybox" else [path or name], id=name)
    if path
    else pytest.param([], id=name, marks=pytest.mark.skip(reason=f"{name} is not on the PATH"))
    for name, path in FOUND.items()
]
EVENTS = ("SessionStart", "PreInvocation", "PreToolUse", "PostToolUse", "Stop")
ENTRY = """
import os, sys
def hook_main():
    with open(os.path.join(os.path.dirname(__file__), "stub.txt"), encoding="utf-8") as file:
        exec(file.read())
"""
ECHO = (
    "data = sys.stdin.buffer.read(); import json;"
    "print(json.dumps({'decision': 'allow', 'reason': f'{len(data)} {sys.argv[1:]}'}))"
)
DECIDED = '{"decision":"allow"}\n'


class Hook:
    """A launcher in a folder of its own, with a site folder that does what a test says."""

    def __init__(self, folder: Path, if_missing: str = "ask") -> None:
        self.site = folder / "site"
        (self.site / "agguard").mkdir(parents=True)
        (self.site / "agguard" / "__init__.py").write_text("")
        (self.site / "agguard" / "_entry.py").write_text(ENTRY)
        self.python = folder / "bin" / "python"
        self.python.parent.mkdir()
        self.python.symlink_to(sys.executable)
        self.state = folder / "state"
        self.config = folder / "config"
        self.config.mkdir()
        self.path = self.config / "agguard-hook"
        self.write(Launcher("1.0", str(self.python), str(self.site), str(self.state), if_missing))

    def write(self, launcher: Launcher) -> None:
        """Put a launcher in its place."""
        self.path.write_text(render(launcher))
        self.path.chmod(0o755)

    def act(self, stub: str) -> None:
        """Say what `hook_main` does; without a package there is nobody to do it."""
        if (self.site / "agguard").is_dir():
            (self.site / "agguard" / "stub.txt").write_text(stub, encoding="utf-8")

    def run(
        self,
        shell: list[str],
        stub: str = "",
        event: str = "PreToolUse",
        payload: bytes = b"{}",
        env: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the launcher as the host does, in the folder of hooks.json."""
        self.act(stub)
        return subprocess.run(
            [*shell, "./agguard-hook", event],
            input=payload,
            capture_output=True,
            cwd=self.config,
            env={**os.environ, **(env or {})},
            check=False,
        )

    def answer(self, shell: list[str], stub: str = "", event: str = "PreToolUse") -> dict[str, str]:
        """Return the one answer; anything else than one JSON line and status 0 fails."""
        done = self.run(shell, stub, event)
        return one_answer(done)


def one_answer(done: subprocess.CompletedProcess[bytes]) -> dict[str, str]:
    """Check what the host demands of every answer."""
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(b"}\n")
    assert done.stdout.count(b"\n") == 1
    found: dict[str, str] = json.loads(done.stdout)
    return found
