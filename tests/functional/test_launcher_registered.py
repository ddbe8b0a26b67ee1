"""From `install` to the host's answer: the commands in hooks.json, run as the host runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import venv
from typing import TYPE_CHECKING

import pytest

from agguard.install.addition import Wish
from agguard.install.launcher import Launcher
from unit.install.install_world import FOREIGN, World
from unit.install.launcher_world import ECHO, EVENTS, Hook, one_answer

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the launcher for `sh`")


class Guarded:
    """A home into which an environment with a stub of agguard was installed."""

    def __init__(self, folder: Path) -> None:
        self.hook = Hook(folder / "en v")
        self.world = World(folder / "ho me's")

    def install(self, python: Path | None = None) -> None:
        """Install from the stub's environment."""
        launcher = Launcher(
            "1.0", str(python or self.hook.python), str(self.hook.site), self.world.paths.state
        )
        self.world.install(Wish(launcher, rules=""))
        self.hook.act(ECHO)

    def fire(self, event: str, folder: Path | None = None) -> dict[str, str]:
        """Run the one handler that hooks.json has for an event, in its folder."""
        (handler,) = self.handlers(event)
        done = subprocess.run(
            ["sh", "-c", handler["command"]],
            input=b"{}",
            capture_output=True,
            cwd=folder or self.world.config,
            timeout=handler["timeout"],
            check=False,
        )
        return one_answer(done)

    def handlers(self, event: str) -> list[dict[str, Any]]:
        """Read hooks.json as the host does."""
        spec = json.loads(self.world.hooks.read_text())["agguard"][event]
        return [inner for item in spec for inner in item.get("hooks", [item])]


@pytest.fixture
def guarded(tmp_path: Path) -> Guarded:
    return Guarded(tmp_path)


def test_every_registered_command_answers(guarded: Guarded) -> None:
    """From a home with blanks and quotes, with the baked paths and the event."""
    guarded.world.write(FOREIGN)
    guarded.install()
    for event in EVENTS:
        said = guarded.fire(event)["reason"]
        assert said == f"2 {[str(guarded.hook.site), guarded.world.paths.state, event]}"


def test_a_linked_hooks_file_answers_from_both_folders(guarded: Guarded) -> None:
    """Whichever folder the host takes for the file's."""
    target = guarded.world.home / "dot files" / "hooks.json"
    target.parent.mkdir()
    guarded.world.config.mkdir(parents=True)
    guarded.world.hooks.symlink_to(target)
    guarded.install()
    for folder in (guarded.world.config, target.parent):
        assert guarded.fire("PreToolUse", folder)["decision"] == "allow"


def test_a_virtual_environment_answers_until_it_is_deleted(
    guarded: Guarded, tmp_path: Path
) -> None:
    """pipx, uv and venv all make a `bin/python` that goes with the environment."""
    environment = tmp_path / "ven v"
    venv.create(environment, symlinks=True)
    guarded.install(environment / "bin" / "python")
    assert guarded.fire("PreToolUse")["decision"] == "allow"
    shutil.rmtree(environment)
    answer = guarded.fire("PreToolUse")
    assert answer["decision"] == "ask"
    assert str(environment) in answer["reason"]


def test_pip_uninstall_without_agguard_uninstall_leaves_a_hook_that_says_so(
    guarded: Guarded,
) -> None:
    """And an `uninstall` from another environment takes it out."""
    guarded.world.write(FOREIGN)
    guarded.install()
    shutil.rmtree(guarded.hook.site / "agguard")
    assert "removed from" in guarded.fire("PreToolUse")["reason"]
    assert guarded.fire("Stop") == {}
    guarded.world.uninstall()
    assert guarded.world.hooks.read_text() == FOREIGN


def test_a_dotfile_copy_without_the_launcher_is_seen(guarded: Guarded) -> None:
    """The host gets no answer from a launcher that is not there; `examine` tells."""
    guarded.install()
    guarded.world.launcher.unlink()
    (state,) = guarded.world.examine().launchers
    assert state.condition == "missing"
    guarded.install()
    assert guarded.fire("PreToolUse")["decision"] == "allow"
