"""`agguard install` and `agguard uninstall` as an operator uses them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agguard.install.launcher import recognize
from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from fakes.desk import Desk

FOREIGN = '{\n  "mine": {\n    "Stop": [{"command": "./mine.sh"}]\n  }\n}\n'


@pytest.fixture
def hooks(desk: Desk) -> Path:
    """The host's hooks file, with an entry of somebody else."""
    path = Path(desk.paths.host.hooks)
    path.parent.mkdir(parents=True)
    path.write_text(FOREIGN)
    return path


@pytest.fixture
def project(desk: Desk) -> Path:
    folder = desk.home / "project"
    folder.mkdir()
    return folder


def launcher(desk: Desk) -> str:
    return Path(desk.paths.host.config, "agguard-hook").read_text()


class TestInstall:
    def test_a_dry_run_shows_the_diff_and_writes_nothing(self, desk: Desk, hooks: Path) -> None:
        """Every file that would be written stands in it."""
        before = snapshot(str(desk.home))
        found = desk.run("install", "--dry-run", "--profile", "balanced")
        assert f"+++ {hooks}" in found.out
        assert '+  "agguard": {' in found.out
        assert "would set profile = 'balanced'" in found.words
        assert desk.data("install", "--dry-run")["dry_run"] is True
        assert snapshot(str(desk.home)) == before

    def test_what_is_written_is_shown(self, desk: Desk, hooks: Path) -> None:
        """The diff of the host's file; our own files only by name. A backup is kept."""
        found = desk.run("install")
        assert "+++" in found.out
        assert "#!/bin/sh" not in found.out
        assert "agguard-hook" in found.err
        assert "the former file is kept as" in found.words
        assert json.loads(hooks.read_text())["mine"] == json.loads(FOREIGN)["mine"]

    def test_a_second_run_changes_no_byte(self, desk: Desk, hooks: Path) -> None:
        """And says that there was nothing to do."""
        desk.run("install")
        before = hooks.read_bytes(), launcher(desk)
        assert "nothing to do" in desk.run("install").words
        assert (hooks.read_bytes(), launcher(desk)) == before

    def test_a_restart_is_asked_for_only_when_it_is_needed(self, desk: Desk) -> None:
        """A new plugin folder needs one; the hooks count at once."""
        assert "after a restart of the host" in desk.run("install").words
        assert "after a restart" not in desk.run("install").words

    def test_a_profile_is_switched_on(self, desk: Desk) -> None:
        """The last line says which one is on."""
        found = desk.run("install", "--profile", "balanced")
        assert "the profile 'balanced' is on" in found.words
        assert desk.data("config", "get", "delegation.mode") == "read-only"

    def test_what_is_answered_without_agguard_is_chosen_once(self, desk: Desk) -> None:
        """The launcher and the configuration say the same from then on."""
        desk.run("install", "--if-missing", "deny")
        found = recognize(launcher(desk))
        assert found
        assert found.launcher.if_missing == "deny"
        assert desk.data("config", "get", "hooks.if_missing") == "deny"
        desk.run("install")
        assert "deny" in launcher(desk)

    def test_a_file_that_cannot_be_read_safely_is_refused(self, desk: Desk, hooks: Path) -> None:
        """With line, column, and what to paste; nothing is written, no profile switched."""
        hooks.write_text("{ // mine\n}\n")
        before = snapshot(str(desk.home))
        found = desk.run("install", "--profile", "observe", status=2)
        assert "column" in found.words
        assert '"agguard": {' in found.words
        assert snapshot(str(desk.home)) == before

    def test_two_scopes_at_once_are_warned_of(self, desk: Desk, project: Path) -> None:
        """Every hook would fire twice there; whichever came first."""
        desk.run("install", "--scope", "workspace", "--project", str(project))
        found = desk.run("install")
        assert "every hook fires twice" in found.words
        assert str(project) in found.words
        assert desk.data("install")["warnings"]

    def test_a_plugin_folder_that_is_switched_off_is_warned_of(self, desk: Desk) -> None:
        """The host then leaves out the rules for the primary."""
        desk.run("install")
        config = Path(desk.paths.host.config, "config.json")
        config.write_text('{"plugins": {"agguard": {"enabled": false}}}')
        assert "agy plugin enable agguard" in desk.run("install").words
        config.write_text('{"plugins": {"agguard": {"enabled": true}}}')
        assert "agy plugin" not in desk.run("install").words

    def test_an_agent_does_not_choose_how_it_is_guarded(self, desk: Desk) -> None:
        """It may install; the operator's choices stand."""
        desk.patch.setenv("ANTIGRAVITY_AGENT", "1")
        desk.run("install", "--profile", "observe", status=2)
        desk.run("install", "--if-missing", "ask", status=2)
        desk.run("install")


class TestUninstall:
    def test_the_file_is_what_it_was(self, desk: Desk, hooks: Path) -> None:
        """Byte for byte; and what stays is said, with the reason."""
        desk.run("install")
        found = desk.run("uninstall")
        assert hooks.read_text() == FOREIGN
        assert f"kept {desk.paths.state}: the ledger" in found.words
        assert "it was there before" in found.words

    def test_a_dry_run_removes_nothing(self, desk: Desk) -> None:
        """It only lists, --purge included."""
        desk.run("install")
        before = snapshot(str(desk.home))
        found = desk.run("uninstall", "--purge", "--dry-run")
        assert f"would remove {desk.paths.state}" in found.words
        assert snapshot(str(desk.home)) == before

    def test_purging_leaves_nothing_of_ours(self, desk: Desk, hooks: Path) -> None:
        """Neither ledger nor configuration nor cache."""
        desk.run("install", "--profile", "balanced")
        os.makedirs(desk.paths.cache)
        found = desk.data("uninstall", "--purge")
        assert set(found["purged"]) == {desk.paths.config, desk.paths.state, desk.paths.cache}
        assert hooks.read_text() == FOREIGN
        left = [path for path in desk.home.rglob("*") if "agguard" in path.name]
        assert left == []

    def test_purging_is_refused_while_a_project_is_registered(
        self, desk: Desk, project: Path
    ) -> None:
        """It would take the way back of that registration."""
        desk.run("install")
        desk.run("install", "--scope", "workspace", "--project", str(project))
        found = desk.run("uninstall", "--purge", status=2)
        assert str(project) in found.words
        assert Path(desk.paths.host.hooks).exists()

    def test_a_folder_that_is_a_link_is_left(self, desk: Desk) -> None:
        """What it leads to may be somebody's own collection of settings."""
        real = desk.home / "dotfiles"
        real.mkdir()
        Path(desk.paths.config).parent.mkdir(exist_ok=True)
        Path(desk.paths.config).symlink_to(real)
        desk.run("install", "--profile", "balanced")
        found = desk.run("uninstall", "--purge")
        assert "it is a link" in found.words
        assert (real / "config.toml").exists()

    def test_an_agent_does_not_uninstall(self, desk: Desk) -> None:
        """It may look what would go."""
        desk.run("install")
        desk.patch.setenv("ANTIGRAVITY_AGENT", "1")
        desk.run("uninstall", status=2)
        desk.run("uninstall", "--dry-run")
        assert Path(desk.paths.host.hooks).exists()

    def test_nothing_to_do_is_no_error(self, desk: Desk) -> None:
        """It says so."""
        assert "agguard is not registered" in desk.run("uninstall").words
