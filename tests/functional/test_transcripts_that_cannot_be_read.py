"""A transcript is evidence of who calls; where there is none, nobody gets rights from it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fakes.rights import unprivileged

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded


def _missing(_: str) -> None:
    """Leave it out."""


def _unfinished(path: str) -> None:
    _write(path, b'{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","sta')


def _damaged(path: str) -> None:
    _write(path, b"\xff\xfe{{{\n" * 50)


def _empty(path: str) -> None:
    _write(path, b"")


def _dangling(path: str) -> None:
    os.symlink(path + ".gone", path)


def _looping(path: str) -> None:
    os.symlink(path, path)


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


KINDS: dict[str, tuple[Callable[[str], object], str]] = {
    "missing": (_missing, "is missing"),
    "folder": (os.mkdir, "cannot be read"),
    "pipe": (getattr(os, "mkfifo", _missing), "cannot be read"),
    "device": (lambda path: os.symlink("/dev/zero", path), "cannot be read"),
    "empty": (_empty, "does not say how it began"),
    "unfinished": (_unfinished, "does not say how it began"),
    "damaged": (_damaged, "does not say how it began"),
    "dangling": (_dangling, "is missing"),
    "looping": (_looping, "is missing"),
}
"""How to spoil a transcript, and what the reason says of it."""


def spoiled(shared: Guarded, kind: str) -> Conversation:
    found = shared.stage.conversation()
    os.makedirs(os.path.dirname(found.transcript))
    KINDS[kind][0](found.transcript)
    return found


def payload(who: Conversation, tool: str, **args: object) -> dict[str, object]:
    """Make a call without a row for it: the transcript stays as it is."""
    return {"toolCall": {"name": tool, "args": args}, "stepIdx": 3, **who.common()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_caller_without_a_transcript_executes_nothing(shared: Guarded, kind: str) -> None:
    """It is judged like a primary, and the reason names the file and what is wrong with it."""
    who = spoiled(shared, kind)
    found = shared.fire("PreToolUse", payload(who, "run_command", CommandLine="ls"))

    assert found.decision == "deny"
    assert "cannot establish" in found.reason
    assert "transcript.jsonl" in found.reason
    assert KINDS[kind][1] in found.reason


@pytest.mark.parametrize("kind", KINDS)
def test_a_caller_without_a_transcript_may_look_and_stop(shared: Guarded, kind: str) -> None:
    """What needs no rights goes on, a stop is not judged, and the ledger says why."""
    who = spoiled(shared, kind)
    view = shared.fire("PreToolUse", payload(who, "view_file", AbsolutePath="/w/app.py"))
    stop = shared.fire("Stop", who.stop())

    assert view.answer == {"decision": "allow"}
    assert stop.answer == {}
    (_, entry) = shared.entries(who.name)
    assert "not judged" in entry.reasons
    assert KINDS[kind][1] in entry.reasons


def test_who_is_unknown_is_asked_again_next_time(shared: Guarded) -> None:
    """A late transcript is no verdict for ever: nothing was stored."""
    who = spoiled(shared, "missing")
    shared.fire("PreToolUse", payload(who, "view_file", AbsolutePath="/w"))
    who.user("Hello.")
    found = shared.fire("PreToolUse", payload(who, "run_command", CommandLine="ls"))

    assert "the primary agent plans and delegates" in found.reason
    assert "cannot establish" not in found.reason


def test_a_known_caller_keeps_its_role_without_its_transcript(shared: Guarded) -> None:
    """The ledger remembers; a worker goes on when the host rewrites or removes the file."""
    worker = shared.worker()
    assert shared.run(worker, "make").decision == "allow"
    os.unlink(worker.transcript)

    found = shared.fire("PreToolUse", payload(worker, "run_command", CommandLine="make"))

    assert found.decision == "allow"


def test_a_transcript_of_another_user_is_no_evidence(shared: Guarded) -> None:
    """A file that this user may not read says nothing."""
    who = shared.primary()
    os.chmod(who.transcript, 0)
    found = shared.fire(
        "PreToolUse", payload(who, "run_command", CommandLine="ls"), before=unprivileged()
    )

    assert found.decision == "deny"
    assert "cannot be read" in found.reason


@pytest.mark.parametrize("path", ["", "transcript.jsonl", "/etc/passwd", "\0", "/dev/stdin"])
def test_a_transcript_that_is_not_this_conversations_is_no_evidence(
    shared: Guarded, path: str
) -> None:
    """The engine keeps each one in the conversation's own folder."""
    who = shared.primary()
    call = payload(who, "run_command", CommandLine="ls")
    found = shared.fire("PreToolUse", {**call, "transcriptPath": path})

    assert found.decision == "deny"
    assert "is not the transcript of this conversation" in found.reason


def test_another_primarys_transcript_gives_no_role(shared: Guarded) -> None:
    """Nor does a true one that belongs to somebody else."""
    who, other = shared.stage.conversation(), shared.primary()
    call = {**payload(who, "run_command", CommandLine="ls"), "transcriptPath": other.transcript}
    found = shared.fire("PreToolUse", call)

    assert "is not the transcript of this conversation" in found.reason
