"""`agguard trust`: a project's file, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fakes.desk import Desk

TEXT = "[rtk]\nmode = 'off'\n\n[delegation]\nmode = 'off'\nmax_depth = 1\n"


@pytest.fixture
def project(desk: Desk) -> Path:
    """A project with a file that wants this and that."""
    folder = desk.home / "project"
    folder.mkdir()
    (folder / ".agguard.toml").write_text(TEXT)
    desk.patch.chdir(folder)
    return folder


def mode(desk: Desk) -> str:
    return str(desk.data("config", "get", "rtk.mode"))


class TestTrusting:
    @pytest.mark.usefixtures("project")
    def test_it_says_what_the_file_may_set_by_it(self, desk: Desk) -> None:
        """What has no stricter direction; never what loosens."""
        assert mode(desk) == "on"
        found = desk.run("trust")
        assert 'it sets rtk.mode = "off"' in found.words
        assert "delegation" not in found.words
        assert mode(desk) == "off"
        assert desk.data("config", "get", "delegation.mode") == "strict"

    @pytest.mark.usefixtures("project")
    def test_a_dry_run_trusts_nothing(self, desk: Desk) -> None:
        """It only shows."""
        found = desk.data("trust", "--dry-run")
        assert found["allows"] == {"rtk.mode": "off"}
        assert mode(desk) == "on"
        assert not Path(desk.paths.state).exists()

    def test_one_changed_byte_ends_it(self, desk: Desk, project: Path) -> None:
        """And is seen in the list."""
        desk.run("trust")
        (project / ".agguard.toml").write_text(TEXT + "\n")
        assert mode(desk) == "on"
        assert [one["state"] for one in desk.data("trust", "--list")] == ["changed"]
        (project / ".agguard.toml").write_text(TEXT)
        assert mode(desk) == "off"
        assert "trusted" in desk.screen("trust", "--list")

    def test_a_pyproject_counts_if_it_is_about_agguard(self, desk: Desk, project: Path) -> None:
        """Others are not pinned: their bytes are nothing to us."""
        (project / ".agguard.toml").unlink()
        (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
        assert "nothing to trust" in desk.run("trust", status=1).words
        (project / "pyproject.toml").write_text("[tool.agguard.rtk]\nmode = 'off'\n")
        desk.run("trust")
        assert mode(desk) == "off"

    def test_a_link_to_the_project_is_the_project(self, desk: Desk, project: Path) -> None:
        """What counts is where the file really is."""
        (desk.home / "link").symlink_to(project)
        desk.run("trust", str(desk.home / "link"))
        assert mode(desk) == "off"

    def test_a_broken_file_is_not_trusted(self, desk: Desk, project: Path) -> None:
        """Its place is named."""
        (project / ".agguard.toml").write_text("[rtk]\nmdoe = 'off'\n")
        found = desk.run("trust", status=2)
        assert ".agguard.toml:2:1" in found.words
        assert desk.data("trust", "--list") == []


class TestRevoking:
    @pytest.mark.usefixtures("project")
    def test_the_trust_is_taken_back(self, desk: Desk) -> None:
        """And a second time there is nothing to take."""
        desk.run("trust")
        assert "no longer trusted" in desk.run("trust", "--revoke").words
        assert mode(desk) == "on"
        assert "nothing there was trusted" in desk.run("trust", "--revoke").words

    def test_a_file_that_is_gone_can_be_revoked(self, desk: Desk, project: Path) -> None:
        """By its folder or its path."""
        desk.run("trust")
        (project / ".agguard.toml").unlink()
        assert [one["state"] for one in desk.data("trust", "--list")] == ["gone"]
        assert len(desk.data("trust", str(project / ".agguard.toml"), "--revoke")["revoked"]) == 1


class TestRefusals:
    @pytest.mark.usefixtures("project")
    def test_an_agent_cannot_trust(self, desk: Desk) -> None:
        """It may look what trusting would do."""
        desk.patch.setenv("ANTIGRAVITY_AGENT", "1")
        assert "in a terminal of your own" in desk.run("trust", status=2).words
        desk.run("trust", "--dry-run")
        desk.patch.delenv("ANTIGRAVITY_AGENT")
        assert mode(desk) == "on"

    @pytest.mark.usefixtures("project")
    def test_what_is_kept_and_broken_trusts_nothing(self, desk: Desk) -> None:
        """It is named, and trusting again begins anew."""
        desk.run("trust")
        kept = Path(desk.paths.state, "trust.json")
        kept.write_text("{")
        assert mode(desk) == "on"
        found = desk.run("trust")
        assert "no project is trusted" in found.words
        assert mode(desk) == "off"
