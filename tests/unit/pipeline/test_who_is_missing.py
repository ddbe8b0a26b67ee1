"""Why nobody could be established is said in words that name the file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from agguard.ledger.store import Ledger
from agguard.model.event import Event
from agguard.model.session import Role
from agguard.pipeline.caller import starting_conversation
from agguard.pipeline.lineage import Lineage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agguard.ledger.records import Conversation

NAME = "c" * 32


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = Ledger.open(str(tmp_path / "ledger.db"), wait=1.0, now=1.0)
    yield opened
    opened.close()


def transcript(tmp_path: Path, text: str | None = "") -> str:
    path = tmp_path / NAME / ".system_generated" / "logs" / "transcript.jsonl"
    path.parent.mkdir(parents=True)
    if text is not None:
        path.write_text(text)
    return str(path)


def found(ledger: Ledger, event: Event) -> Conversation:
    return Lineage(ledger, 2.0, depth=2, patience=0).of(event)


def test_a_payload_without_a_conversation_is_nobodys(ledger: Ledger) -> None:
    """And is not stored under an empty name."""
    who = found(ledger, Event("PreToolUse"))
    assert who.role == Role.UNKNOWN
    assert who.bound_by == "the payload names no conversation"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "is missing"),
        ("", "does not say how it began"),
        ("{}\n", "does not say how it began"),
    ],
)
def test_a_transcript_that_tells_nothing_is_named(
    ledger: Ledger, tmp_path: Path, text: str | None, words: str
) -> None:
    """What is unknown is not stored: the next call asks again."""
    path = transcript(tmp_path, text)
    who = found(ledger, Event("PreToolUse", NAME, transcript=path))
    assert who.role == Role.UNKNOWN
    assert repr(path) in who.bound_by
    assert words in who.bound_by
    assert ledger.conversation(NAME) is None


def test_a_folder_in_its_place_cannot_be_read(ledger: Ledger, tmp_path: Path) -> None:
    """A pipe could not either, and would never answer."""
    path = transcript(tmp_path, None)
    os.mkdir(path)
    who = found(ledger, Event("PreToolUse", NAME, transcript=path))
    assert "cannot be read" in who.bound_by


def test_a_foreign_transcript_is_not_this_conversations(ledger: Ledger, tmp_path: Path) -> None:
    """Only what the engine keeps in the conversation's own folder counts."""
    path = transcript(tmp_path)
    who = found(ledger, Event("PreToolUse", "d" * 32, transcript=path))
    assert "is not the transcript of this conversation" in who.bound_by


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, ""),
        ({"ANTIGRAVITY_TRAJECTORY_ID": "t"}, ""),
        ({"ANTIGRAVITY_AGENT": ""}, ""),
        ({"ANTIGRAVITY_AGENT": "1"}, "unnamed"),
        ({"ANTIGRAVITY_AGENT": "1", "ANTIGRAVITY_TRAJECTORY_ID": "t"}, "t"),
        ({"ANTIGRAVITY_AGENT": "0", "ANTIGRAVITY_TRAJECTORY_ID": ""}, "unnamed"),
    ],
    ids=repr,
)
def test_the_mark_of_an_agents_shell_is_read(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], expected: str
) -> None:
    """The engine sets it for commands, and what they start inherits it."""
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert starting_conversation() == expected
