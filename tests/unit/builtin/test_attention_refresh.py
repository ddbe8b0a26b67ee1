"""The rules that a rejection repeats: which, in which order, and never over the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.model.session import Role, Session
from agguard_builtin.attention.refresh import INTRODUCTION, refreshed, within

if TYPE_CHECKING:
    from pathlib import Path

SKILL = "---\nname: deploy\ndescription: Puts it on the server\n---\n# a long body\n"


@pytest.fixture
def world(tmp_path: Path) -> Session:
    """A home and a workspace with rules of every kind."""
    home, project = tmp_path / "home", tmp_path / "home" / "project"
    files = {
        ".gemini/config/plugins/agguard/plugin.json": '{"name": "agguard"}',
        ".gemini/config/plugins/agguard/rules/AGENTS.md": "OURS",
        ".gemini/config/plugins/another/plugin.json": '{"name": "another"}',
        ".gemini/config/plugins/another/rules/AGENTS.md": "ANOTHER",
        ".gemini/config/plugins/another/skills/sing/SKILL.md": SKILL.replace("Puts", "Sings"),
        ".gemini/GEMINI.md": "GLOBAL",
        ".gemini/config/skills/deploy/SKILL.md": SKILL,
        ".gemini/antigravity/brain/c/task.md": "x",
        "project/.git/HEAD": "ref: x",
        "project/AGENTS.md": "ROOT",
        "project/app/AGENTS.md": "NEAREST",
        "project/.agents/skills/build/SKILL.md": "no frontmatter",
    }
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Session(
        "c",
        Role.PRIMARY,
        home=str(home),
        workspaces=(str(project / "app"),),
        artifact_dir=str(home / ".gemini/antigravity/brain/c"),
    )


def test_the_most_relevant_come_first(world: Session) -> None:
    """Our own, other plugins', the nearest folder's, the user's; then what skills there are."""
    text = refreshed(world, 2000)
    order = ["OURS", "ANOTHER", "NEAREST", "ROOT", "GLOBAL", "Sings", "no description", "Puts it"]

    assert text.startswith(INTRODUCTION)
    assert [text.find(one) for one in order] == sorted(text.find(one) for one in order)
    assert all(one in text for one in order)
    assert "a long body" not in text


def test_what_does_not_fit_is_pointed_at(world: Session, tmp_path: Path) -> None:
    """A rule is repeated whole or not at all."""
    (tmp_path / "home/project/app/AGENTS.md").write_text("N" * 5000, encoding="utf-8")
    text = refreshed(world, 600)

    assert "NNN" not in text
    assert "app/AGENTS.md] (view the file)" in text
    assert "ROOT" in text
    assert len(text.encode()) <= 600 * 3


def test_a_large_budget_repeats_everything_and_none_repeats_nothing(
    world: Session, tmp_path: Path
) -> None:
    """The seed's full dump stays possible; 0 switches it off."""
    (tmp_path / "home/project/app/AGENTS.md").write_text("N" * 20_000, encoding="utf-8")
    assert "N" * 20_000 in refreshed(world, 100_000)
    assert refreshed(world, 0) == ""
    assert refreshed(world, 5) == ""


@given(
    pieces=st.lists(st.tuples(st.text(max_size=50), st.text(max_size=10)), max_size=20),
    size=st.integers(0, 300),
)
def test_the_budget_always_holds(pieces: list[tuple[str, str]], size: int) -> None:
    """Whatever the texts."""
    text = within(pieces, size)
    assert len(text.encode("utf-8", "replace")) <= max(size, 0)


def test_a_workspace_without_rules_says_nothing(tmp_path: Path) -> None:
    """There is nothing to repeat."""
    bare = Session("c", home=str(tmp_path), workspaces=(str(tmp_path / "none"),))
    assert refreshed(bare, 2000) == ""
    assert refreshed(bare.replace(workspaces=()), 2000) == ""
