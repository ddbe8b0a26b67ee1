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


class TestProject:
    """`--scope workspace`: the folder is the repository's, wherever in it the command is run."""

    @pytest.fixture
    def deep(self, desk: Desk) -> Path:
        """A folder deep in a repository, as the working directory."""
        folder = desk.home / "repository" / "some" / "folder"
        folder.mkdir(parents=True)
        (desk.home / "repository" / ".git").mkdir()
        desk.patch.chdir(folder)
        return folder

    def test_the_root_of_the_repository_is_registered(self, desk: Desk, deep: Path) -> None:
        """And said, before and after."""
        root = desk.home / "repository"
        told = f"the project is {root}, the root of the repository"
        assert told in desk.run("install", "--scope", "workspace", "--dry-run").words
        assert told in desk.run("install", "--scope", "workspace").words
        assert (root / ".agents" / "hooks.json").exists()
        assert not (deep / ".agents").exists()
        assert f"the project is {root}" in desk.run("uninstall", "--scope", "workspace").words
        assert not (root / ".agents").exists()

    def test_a_named_folder_is_taken_as_it_is(self, desk: Desk, deep: Path) -> None:
        """With a word on what of the repository that leaves out; uninstalling finds it again."""
        found = desk.run("install", "--scope", "workspace", "--project", ".")
        assert "sessions that start elsewhere in it are not guarded" in found.words
        assert (deep / ".agents" / "hooks.json").exists()
        inner = deep / "inner"
        inner.mkdir()
        desk.patch.chdir(inner)
        desk.run("uninstall", "--scope", "workspace")
        assert not (deep / ".agents").exists()

    def test_a_folder_in_no_repository_is_registered_itself(
        self, desk: Desk, project: Path
    ) -> None:
        """There is no root to find."""
        desk.patch.chdir(project)
        found = desk.run("install", "--scope", "workspace")
        assert f"the project is {project}, which is in no repository" in found.words
        assert (project / ".agents" / "hooks.json").exists()


class TestUninstall:
    def test_the_file_is_what_it_was(self, desk: Desk, hooks: Path) -> None:
        """Byte for byte; and what stays is said, with the reason."""
        desk.run("install")
        found = desk.run("uninstall")
        assert hooks.read_text() == FOREIGN
        assert f"kept {desk.paths.state}: the ledger" in found.words
        assert f"changed {hooks}: it is as it was before agguard, byte for byte" in found.words

    def test_a_strange_entry_of_our_name_comes_back(self, desk: Desk, hooks: Path) -> None:
        """Said loudly on both ways, before anything is written too."""
        before = '{"agguard": {"Stop": [{"command": "./mine.sh"}]}, "b": {}}'
        hooks.write_text(before)
        told = f"the entry 'agguard' in {hooks} is not agguard's"
        assert told in desk.run("install", "--dry-run").words
        assert told in " ".join(desk.data("install")["notes"])
        desk.run("uninstall")
        assert hooks.read_text() == before

    @pytest.mark.parametrize("changed", [False, True])
    @pytest.mark.parametrize("before", [None, FOREIGN])
    def test_one_line_is_said_of_each_file(
        self, desk: Desk, hooks: Path, before: str | None, changed: bool
    ) -> None:
        """A file that goes is not kept, and one that is kept does not go."""
        if before is None:
            hooks.unlink()
        desk.run("install")
        if changed:
            hooks.write_text(hooks.read_text() + "\n")
        lines = desk.run("uninstall").err.splitlines()
        named = [line.split(": ")[0] for line in lines if str(desk.home) in line]
        assert len(named) == len(set(named)) == len({line.split(" ", 1)[1] for line in named})
        (line,) = (line for line in lines if str(hooks) in line and "backups" not in line)
        assert line.startswith("removed" if before is None else "changed")
        assert hooks.exists() == (before is not None)

    def test_the_end_of_an_installation_is_no_change_behind_our_back(
        self, desk: Desk, hooks: Path
    ) -> None:
        """Neither at once, nor when the operator or somebody else changes something later."""
        desk.run("install")
        desk.run("uninstall")
        assert "outside agguard" not in desk.run("status", status=1).words
        assert "outside agguard" not in desk.run("doctor", status=1).words
        desk.run("config", "set", "delegation.message", "Ask Ann.")
        hooks.write_text("{}")
        assert desk.data("status", status=1)["changed"] == []
        assert "outside agguard" not in desk.run("doctor", status=1).words

    def test_what_was_changed_before_the_end_still_shows(self, desk: Desk) -> None:
        """Uninstalling accepts nothing but itself."""
        desk.run("install")
        desk.configure("[delegation]\nmode = 'off'\n")
        desk.run("uninstall")
        assert desk.data("status", status=1)["changed"] == [desk.paths.config_file]

    def test_a_change_of_settings_accepts_no_changed_registration(
        self, desk: Desk, hooks: Path
    ) -> None:
        """`agguard config set` is about the configuration; the launcher is another matter."""
        desk.run("install")
        hooks.write_text(hooks.read_text() + "\n")
        desk.run("config", "set", "delegation.message", "Ask Ann.")
        assert desk.data("status")["changed"] == [str(hooks)]

    def test_a_registration_that_stays_is_named(self, desk: Desk, project: Path) -> None:
        """Uninstalling for the user leaves the projects."""
        desk.run("install")
        desk.run("install", "--scope", "workspace", "--project", str(project))
        kept = dict(desk.data("uninstall")["kept"])
        assert "is registered there" in kept[str(project / ".agents" / "hooks.json")]

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
