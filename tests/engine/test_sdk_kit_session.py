"""The kit plays sessions of the real engine for authors of guards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from agguard.testing import Home, calls

pytestmark = pytest.mark.engine

pytest.importorskip("google.antigravity", reason="needs the extra `engine`", exc_type=ImportError)

from agguard.testing.engine import play  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY = "Summary of skills used: delegation. Verified: nothing to verify."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(str(tmp_path / "home"))


def test_what_is_denied_does_not_happen(home: Home) -> None:
    """The engine runs no tool that a guard denies, and the model is told why."""
    target = os.path.join(home.workspace, "new.py")

    played = play(home, [calls.write(target)], [SUMMARY])

    assert not os.path.exists(target)
    assert "writes only inside its artifact directory" in played.told
    assert played.text.strip() == SUMMARY


def test_a_subagent_plays_its_own_turns(home: Home) -> None:
    """Its command really runs, and its prompt was augmented by the guards."""
    made = os.path.join(home.workspace, "made")
    child = [[calls.run(f"touch {made}", home.workspace)], ['{"status": "completed"}']]

    played = play(
        home, [calls.spawn("CHILD-TASK: make it.")], [SUMMARY], subagents={"CHILD-TASK": child}
    )

    assert os.path.exists(made)
    openings = [rows[0]["content"] for rows in played.transcripts.values()]
    assert any("[AGGUARD_TOKEN:" in one for one in openings)
