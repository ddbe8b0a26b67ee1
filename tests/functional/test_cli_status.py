"""`agguard status`: guarded or not, who is at work, and what was decided today."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import agguard
from agguard.install.addition import Wish
from agguard.install.place import of_user
from agguard.install.registration import install, launcher_for
from agguard.install.store import Store
from agguard.pipeline.pause import Pause, begin

if TYPE_CHECKING:
    from fakes.desk import Desk
    from fakes.guarded import Guarded


@pytest.fixture
def at(guarded: Guarded, desk: Desk) -> Desk:
    """The command line of the home in which agguard is installed."""
    desk.patch.setenv("HOME", str(guarded.home))
    desk.patch.setenv("AGGUARD_STATE_DIR", guarded.paths.state)
    desk.patch.setenv("AGGUARD_CONFIG_DIR", guarded.paths.config)
    return desk


class TestGuardedOrNot:
    def test_nothing_installed_is_not_guarded(self, desk: Desk) -> None:
        """Status 1 and the next step; nothing is made by looking."""
        text = desk.screen("status", status=1)
        assert text.startswith("not guarded, profile strict\n")
        assert "run `agguard install`" in " ".join(text.split())
        assert desk.data("status", status=1)["state"] == "not guarded"
        assert not os.path.exists(desk.paths.state)

    def test_installed_is_guarded(self, at: Desk, guarded: Guarded) -> None:
        """Until a hook came, that is said too: only the host can fire one."""
        assert "the host has not fired a hook yet" in at.screen("status")
        guarded.view(guarded.primary())
        text = at.screen("status")
        assert text.startswith("guarded, profile strict\n")
        assert "the host last fired a hook" in text

    def test_a_missing_launcher_is_not_guarded(self, at: Desk, guarded: Guarded) -> None:
        """Though the entry is there."""
        Path(guarded.paths.host.config, "agguard-hook").unlink()
        assert "is missing" in at.screen("status", status=1)

    @pytest.mark.parametrize("gone", ["python", "site"])
    def test_an_environment_that_is_gone_is_not_guarded(
        self, at: Desk, guarded: Guarded, gone: str
    ) -> None:
        """The launcher is there, and nothing that it could run."""
        place, store = of_user(guarded.paths), Store(guarded.paths.state)
        wanted = launcher_for(place, store, "1.0").replace(**{gone: "/nowhere"})
        install(place, store, Wish(wanted))
        assert "needs /nowhere" in at.screen("status", status=1)

    def test_a_registered_project_is_guarded_alone(self, desk: Desk) -> None:
        """In its folders; elsewhere nothing is."""
        project = desk.home / "project" / "deep"
        project.mkdir(parents=True)
        (project.parent / ".git").mkdir()
        desk.patch.chdir(project)
        desk.run("install", "--scope", "workspace")
        text = " ".join(desk.screen("status").split())
        assert text.startswith("guarded, profile strict in this project only, by")
        assert desk.data("status")["only"] == str(project.parent / ".agents" / "hooks.json")
        (project.parent / ".agents" / "agguard-hook").unlink()
        desk.run("status", status=1)
        desk.run("install", "--scope", "workspace")
        desk.patch.chdir(desk.home)
        desk.run("status", status=1)

    def test_a_file_that_the_host_cannot_read_is_said(self, at: Desk, guarded: Guarded) -> None:
        """Installing is no way out of that."""
        hooks = Path(guarded.paths.host.hooks)
        hooks.write_text(hooks.read_text() + "}")
        text = " ".join(at.screen("status", status=1).split())
        assert f"the host cannot read {hooks}: see `agguard doctor`" in text

    def test_remarks_stay_indented(self, desk: Desk) -> None:
        """Also where a path is longer than a line."""
        lines = desk.screen("status", status=1).splitlines()
        end = lines.index("")
        assert end > 1
        assert all(line.startswith("  ") for line in lines[1:end])

    def test_a_pause_is_shown(self, at: Desk, guarded: Guarded) -> None:
        """With its end."""
        now = time.time()
        begin(guarded.paths.state, Pause(now - 1, now + 600))
        text = at.screen("status")
        assert text.startswith("paused")
        assert "agguard resume" in " ".join(text.split())
        assert at.data("status")["pause"]["until"] == now + 600

    def test_observing_is_shown(self, at: Desk) -> None:
        """Nothing is enforced then."""
        os.makedirs(os.environ["AGGUARD_CONFIG_DIR"], exist_ok=True)
        Path(os.environ["AGGUARD_CONFIG_DIR"], "config.toml").write_text("profile = 'observe'\n")
        assert at.screen("status").startswith("observing, profile observe")

    def test_a_change_behind_our_back_is_shown(self, at: Desk, guarded: Guarded) -> None:
        """By the path of the file."""
        guarded.view(guarded.primary())
        Path(guarded.paths.config).mkdir(parents=True, exist_ok=True)
        Path(guarded.paths.config_file).write_text("[delegation]\nmode = 'off'\n")
        assert guarded.paths.config_file in at.data("status")["changed"]
        assert "changed outside agguard" in at.screen("status")


class TestAtWork:
    def test_the_tree_of_agents_is_drawn(self, at: Desk, guarded: Guarded) -> None:
        """Role, depth, state and last sign of life."""
        worker = guarded.worker()
        guarded.run(worker, "git status")
        text = at.screen("status")
        assert "primary, depth 2 EXECUTION_ACTIVE" in text
        assert f"└── {worker.name[:8]} worker executor, depth 0 ACTIVE" in text
        (root,) = at.data("status")["alive"]
        assert root["children"][0]["id"] == worker.name

    def test_no_token_is_printed(self, at: Desk, guarded: Guarded) -> None:
        """They are secrets."""
        guarded.worker()
        assert '"token"' not in at.run("status", "--json").out

    def test_today_is_counted(self, at: Desk, guarded: Guarded) -> None:
        """By what came of it."""
        who = guarded.primary()
        guarded.view(who)
        guarded.write(who, os.path.join(guarded.workspace, "app.py"))
        assert "today: 1 allowed, 1 denied" in at.screen("status")
        assert at.data("status")["counts"] == {"allow": 1, "deny": 1}

    def test_silent_work_is_shown(self, at: Desk, guarded: Guarded) -> None:
        """What was given up stands on the screen for a day."""
        guarded.configure("[ledger]\nwork_timeout = 1\n")
        worker = guarded.worker()
        guarded.run(worker, "git status")
        time.sleep(1.1)
        guarded.view(guarded.primary())
        assert "timed out: executor of" in at.screen("status")


def test_watching_looks_again(at: Desk, guarded: Guarded) -> None:
    """A line of JSON for each look, until it is interrupted; it does not lock anybody out."""
    source = next(iter(agguard.__path__)).rpartition("/")[0]
    command = [sys.executable, "-m", "agguard", "status", "--watch", "--every", "0.2", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": source}, text=True
    ) as watcher:
        assert watcher.stdout is not None
        assert json.loads(watcher.stdout.readline())["counts"] == {}
        guarded.view(guarded.primary())
        for line in watcher.stdout:
            if json.loads(line)["counts"] == {"allow": 1}:
                break
        watcher.send_signal(2)
        assert watcher.wait(20) == 0
