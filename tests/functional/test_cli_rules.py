"""`agguard rules` as a person and a CI job read it: which files it names, and how."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.desk import Desk


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A root with a rule of its own, and a folder `app` whose AGENTS.md is flawed."""
    place = tmp_path / "repository"
    for folder in (".git", ".agents/rules", "app", "docs"):
        (place / folder).mkdir(parents=True)
    (place / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (place / "AGENTS.md").write_text("fine\n")
    (place / "app" / "AGENTS.md").write_bytes(b"\xef\xbb\xbfmarked\n")
    (place / "app" / "GEMINI.md").write_text("fine as well\n")
    rule = "---\ntrigger: always_on\ndescription: all\n---\nAlways.\n"
    (place / ".agents" / "rules" / "all.md").write_text(rule)
    (place / "link").symlink_to("app")
    return place


@pytest.mark.parametrize(
    ("started", "argument", "shown"),
    [
        (".", ".", "app/AGENTS.md"),
        (".", "app", "app/AGENTS.md"),
        (".", "link", "app/AGENTS.md"),
        ("app", ".", "AGENTS.md"),
        ("app", "..", "AGENTS.md"),
        ("docs", "../app", "{}/app/AGENTS.md"),
    ],
)
def test_findings_name_files_from_where_the_check_was_started(
    desk: Desk, repository: Path, started: str, argument: str, shown: str
) -> None:
    """An annotation would otherwise stand at the root's file of the same name."""
    desk.patch.chdir(repository / started)

    found = json.loads(desk.run("rules", "lint", argument, "--format", "json").out)

    files = [one["file"] for one in found if one["code"] == "bom-in-text"]
    assert files == [shown.format(repository.resolve())]


def test_the_tree_names_files_from_their_folder(desk: Desk, repository: Path) -> None:
    """The folder stands above them once; whole paths would not fit a terminal's line."""
    drawn = desk.run("rules", "tree", str(repository / "app"), "--product", "sdk").out

    assert "── 1. AGENTS.md (inline," in drawn
    assert "── 4. .agents/rules/all.md (inline," in drawn


def test_what_wins_over_several_rules_is_said_once(desk: Desk, repository: Path) -> None:
    """A rule of the root's that stands behind all those of a subfolder."""
    found = desk.run("rules", "tree", str(repository / "app"), "--product", "sdk")

    said = " ".join(f"{found.out} {found.err}".split())
    assert said.count("stands after") == 1
    assert "all.md stands after" in said
    assert "and 1 more, and so wins over them" in said
