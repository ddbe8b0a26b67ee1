"""No home, a home that is read-only, a disk that is full: one valid answer, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from fakes.rights import unprivileged
from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

EVENTS = ["SessionStart", "PreInvocation", "PostToolUse", "Stop"]
EVER = ("/Stop", "/PreToolUse")
"""Empty files that note when an event was last fired."""

VOLATILE = ("-shm", *EVER)
"""SQLite's index of its log is rebuilt by whoever opens it."""


class Cast(NamedTuple):
    """Agents of one session; the primary and its worker are known to the ledger."""

    primary: Conversation
    worker: Conversation
    newcomer: Conversation


def cast(guarded: Guarded) -> Cast:
    found = Cast(guarded.primary(), guarded.worker(), guarded.primary())
    guarded.view(found.primary)
    assert guarded.run(found.worker, "make").decision == "allow"
    return found


def payload(who: Conversation, tool: str, **args: object) -> dict[str, object]:
    """Make a call without a row for it: the transcript cannot be written either."""
    return {"toolCall": {"name": tool, "args": args}, "stepIdx": 9, **who.common()}


def run(who: Conversation) -> dict[str, object]:
    return payload(who, "run_command", CommandLine="make", Cwd="/w")


def spawn(who: Conversation) -> dict[str, object]:
    return payload(who, "invoke_subagent", Subagents=[{"TypeName": "self", "Prompt": "Work."}])


@pytest.fixture
def read_only(guarded: Guarded) -> Iterator[Callable[..., None]]:
    """Take away every right to write in the home, and give it back afterwards."""

    def freeze() -> None:
        subprocess.run(["chmod", "-R", "a-w", guarded.home], check=True)

    yield freeze
    subprocess.run(["chmod", "-R", "u+w", guarded.home], check=True)


def test_a_read_only_home_changes_no_verdict_of_somebody_it_knows(
    guarded: Guarded, read_only: Callable[..., None]
) -> None:
    """The reason of a denial names the ledger that could not be written; a worker goes on."""
    obey = unprivileged()
    who = cast(guarded)
    read_only()
    before = snapshot(str(guarded.home), but=VOLATILE)
    denied = guarded.fire("PreToolUse", run(who.primary), before=obey)

    assert denied.decision == "deny"
    assert "the primary agent plans and delegates" in denied.reason
    assert "cannot be written" in denied.reason
    assert guarded.ledger in denied.reason
    assert guarded.fire("PreToolUse", run(who.worker), before=obey).decision == "allow"
    assert guarded.fire("PreToolUse", spawn(who.primary), before=obey).decision == "deny"
    assert snapshot(str(guarded.home), but=VOLATILE) == before


@pytest.mark.parametrize("event", EVENTS)
def test_a_read_only_home_leaves_every_other_event_one_answer(
    guarded: Guarded, read_only: Callable[..., None], event: str
) -> None:
    """Nothing to say is `{}`."""
    obey = unprivileged()
    who = cast(guarded)
    who.primary.says("Done.")
    read_only()

    assert guarded.fire(event, who.primary.stop(), before=obey).answer == {}


def test_a_read_only_home_without_a_manifest_is_guarded_all_the_same(
    guarded: Guarded, read_only: Callable[..., None]
) -> None:
    """It is built for each hook and thrown away; nothing is left behind."""
    obey = unprivileged()
    who = cast(guarded)
    os.unlink(guarded.manifest)
    read_only()
    names = sorted(os.listdir(guarded.paths.state))

    assert guarded.fire("PreToolUse", run(who.primary), before=obey).decision == "deny"
    assert guarded.fire("PreToolUse", run(who.worker), before=obey).decision == "allow"
    assert sorted(os.listdir(guarded.paths.state)) == names


def test_a_home_of_somebody_else_is_never_trusted(guarded: Guarded) -> None:
    """A manifest that this user may not read gives nobody rights."""
    obey = unprivileged()
    who = cast(guarded)
    os.chmod(guarded.paths.state, 0)
    try:
        worker = guarded.fire("PreToolUse", run(who.worker), before=obey)
        view = guarded.fire("PreToolUse", payload(who.worker, "view_file", AbsolutePath="/w/a"))
    finally:
        os.chmod(guarded.paths.state, 0o700)

    assert worker.decision == "deny"
    assert guarded.ledger in worker.reason
    assert view.decision == "allow"


WITHOUT_A_HOME: dict[str, dict[str, str]] = {
    "HOME is unset": {"PATH": "/usr/bin:/bin"},
    "HOME is empty": {"PATH": "/usr/bin:/bin", "HOME": ""},
    "HOME is relative": {"PATH": "/usr/bin:/bin", "HOME": "home"},
    "HOME does not exist": {"PATH": "/usr/bin:/bin", "HOME": "/nowhere/at/all"},
    "nothing is set": {},
}


@pytest.mark.parametrize("environ", WITHOUT_A_HOME.values(), ids=WITHOUT_A_HOME)
def test_a_hook_without_a_home_works_as_installed(
    guarded: Guarded, environ: dict[str, str]
) -> None:
    """Its folders were resolved when agguard was installed; the environment is not asked."""
    who = cast(guarded)

    assert guarded.fire("PreToolUse", run(who.primary), environ=environ).decision == "deny"
    assert guarded.fire("PreToolUse", run(who.worker), environ=environ).decision == "allow"
    assert guarded.write(who.worker, guarded.paths.host.hooks, environ=environ).decision == "deny"
    assert guarded.write(who.primary, f"{who.primary.folder}/plan.md").decision == "allow"


@pytest.mark.parametrize("environ", WITHOUT_A_HOME.values(), ids=WITHOUT_A_HOME)
def test_a_hook_without_a_home_rebuilds_its_manifest_from_what_was_remembered(
    guarded: Guarded, environ: dict[str, str]
) -> None:
    """The configuration in force stays the user's own."""
    guarded.configure('[delegation]\nmessage = "Mind the guide."\n')
    who = cast(guarded)
    os.unlink(guarded.manifest)
    found = guarded.fire("PreToolUse", run(who.primary), environ=environ)

    assert found.decision == "deny"
    assert "Mind the guide." in found.reason


@pytest.mark.parametrize("event", ["PreToolUse", *EVENTS])
def test_neither_home_nor_state_folder_is_one_answer_that_says_so(
    guarded: Guarded, event: str
) -> None:
    """Where nothing is left to work with, a call is denied, and everything else passes."""
    shutil.rmtree(guarded.paths.state)
    found = guarded.fire(event, guarded.primary().stop(), environ={"HOME": ""})

    if event != "PreToolUse":
        assert found.answer == {}
        return
    assert found.decision == "deny"
    assert "cannot find your home folder" in found.reason
    assert "agguard doctor" in found.reason


def test_a_state_folder_that_is_gone_comes_back(guarded: Guarded) -> None:
    """With a home to find the user's configuration in, guarding goes on by itself."""
    guarded.configure('[delegation]\nmessage = "Mind the guide."\n')
    who = guarded.primary()
    shutil.rmtree(guarded.paths.state)
    found = guarded.fire("PreToolUse", run(who))

    assert found.decision == "deny"
    assert "Mind the guide." in found.reason
    assert {"ledger.db", "manifest.json"} <= set(os.listdir(guarded.paths.state))


@pytest.fixture
def full_disk(
    tmp_path: Path, install_at: Callable[[Path], Guarded]
) -> Iterator[tuple[Guarded, Callable[[], None]]]:
    """A home on a small disk of its own, and what fills that disk to the last byte."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if (
        not shutil.which("mount")
        or subprocess.run(command, check=False, capture_output=True).returncode
    ):
        pytest.skip("this process cannot mount a small disk")

    def fill() -> None:
        with open(place / "ballast", "ab", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                return

    try:
        yield install_at(place / "a user's home"), fill
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_full_disk_changes_no_verdict_of_somebody_it_knows(
    full_disk: tuple[Guarded, Callable[[], None]],
) -> None:
    """The reason says that the disk is full; with room again, everything is as it was."""
    guarded, fill = full_disk
    who = cast(guarded)
    fill()
    before = snapshot(str(guarded.home), but=("-wal", *VOLATILE))
    denied = guarded.fire("PreToolUse", run(who.primary))
    worker = guarded.fire("PreToolUse", run(who.worker))
    refused = guarded.fire("PreToolUse", spawn(who.primary))

    assert denied.decision == "deny"
    assert "the primary agent plans and delegates" in denied.reason
    assert "the disk or a quota is full" in denied.reason
    assert worker.decision == "allow"
    assert refused.decision == "deny"
    assert "the disk or a quota is full" in refused.reason
    assert guarded.fire("Stop", who.primary.stop()).answer == {}
    assert snapshot(str(guarded.home), but=("-wal", *VOLATILE)) == before
    os.unlink(guarded.home.parent / "ballast")
    assert guarded.fire("PreToolUse", spawn(who.primary)).decision == "allow"
    kept = [(one.tool, one.decision) for one in guarded.entries(who.primary.name)]
    assert kept == [("view_file", "allow"), ("invoke_subagent", "allow")]


def test_a_full_disk_without_the_ledgers_index_gives_nobody_rights(
    full_disk: tuple[Guarded, Callable[[], None]],
) -> None:
    """Then not even roles can be read; what was in the ledger is there again afterwards."""
    guarded, fill = full_disk
    who = cast(guarded)
    os.unlink(guarded.ledger + "-shm")
    fill()
    denied = guarded.fire("PreToolUse", run(who.worker))
    view = guarded.fire("PreToolUse", payload(who.worker, "view_file", AbsolutePath="/w/app.py"))

    assert denied.decision == "deny"
    assert guarded.ledger in denied.reason
    assert view.decision == "allow"
    os.unlink(guarded.home.parent / "ballast")
    assert guarded.fire("PreToolUse", run(who.worker)).decision == "allow"


def test_a_full_disk_on_the_first_day_is_guarded_all_the_same(
    full_disk: tuple[Guarded, Callable[[], None]],
) -> None:
    """Neither ledger nor manifest can be made; nothing half-written is left in their place."""
    guarded, fill = full_disk
    who = guarded.primary()
    os.unlink(guarded.manifest)
    fill()
    denied = guarded.fire("PreToolUse", run(who))
    view = guarded.fire("PreToolUse", payload(who, "view_file", AbsolutePath="/w/app.py"))

    assert denied.decision == "deny"
    assert "the disk or a quota is full" in denied.reason
    assert view.decision == "allow"
    left = {name for name in os.listdir(guarded.paths.state) if not name.startswith("ledger.db")}
    assert left - {"seen"} == {"paths.json", "install"}
    os.unlink(guarded.home.parent / "ballast")
    assert guarded.fire("PreToolUse", spawn(who)).decision == "allow"


@pytest.mark.parametrize("limit", [0, 8192])
def test_files_that_cannot_grow_are_like_a_full_disk(guarded: Guarded, limit: int) -> None:
    """With such a quota nobody gains a right, the reason names the ledger, and nothing is lost."""
    resource = pytest.importorskip("resource")

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    who = cast(guarded)
    denied = guarded.fire("PreToolUse", run(who.primary), before=small)
    newcomer = guarded.fire("PreToolUse", run(who.newcomer), before=small)

    assert denied.decision == newcomer.decision == "deny"
    assert guarded.ledger in denied.reason
    assert guarded.ledger in newcomer.reason
    worker = guarded.fire("PreToolUse", run(who.worker), before=small)
    assert worker.decision == "allow" or guarded.ledger in worker.reason
    assert guarded.fire("PreToolUse", spawn(who.primary), before=small).decision == "deny"
    assert guarded.fire("PreToolUse", spawn(who.primary)).decision == "allow"
    assert guarded.fire("PreToolUse", run(who.worker)).decision == "allow"
