"""A manifest that is missing, damaged, stale or not ours is rebuilt and never trusted."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from fakes.rights import unprivileged
from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakes.guarded import Guarded


def _write(data: bytes) -> Callable[[str], None]:
    def write(path: str) -> None:
        with open(path, "wb") as file:
            file.write(data)

    return write


def _change(edit: Callable[[dict[str, Any]], object]) -> Callable[[str], None]:
    """Change a manifest and keep it valid JSON, as if somebody had edited it."""

    def change(path: str) -> None:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        edit(data)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(data, file)

    return change


def _truncate(path: str) -> None:
    os.truncate(path, os.path.getsize(path) // 2)


def _replace(kind: Callable[[str], object]) -> Callable[[str], None]:
    def replace(path: str) -> None:
        os.unlink(path)
        kind(path)

    return replace


def _loose(path: str) -> None:
    """Take out every guard, and let everybody write the file."""
    _change(lambda data: data.update(rows=[]))(path)
    os.chmod(path, 0o666)  # noqa: S103 - the point of it


def _of_the_group(path: str) -> None:
    _change(lambda data: data.update(rows=[]))(path)
    os.chmod(path, 0o620)


WHOLE = ("key", "rows", "settings", "good", "paths", "problems")

SPOILED: dict[str, Callable[[str], None]] = {
    "missing": os.unlink,
    "empty": _write(b""),
    "truncated": _truncate,
    "no JSON": _write(b"\xff\xfe manifest"),
    "null": _write(b"null"),
    "list": _write(b"[]"),
    "deep": _write(b"[" * 200_000),
    "other fields": _change(lambda data: data.update(extra=1)),
    "missing fields": _change(lambda data: data.pop("rows")),
    "numbers for all": _write(json.dumps(dict.fromkeys(WHOLE, 7)).encode()),
    "lists for all": _write(json.dumps({field: [] for field in WHOLE}).encode()),
    "null for all": _write(json.dumps(dict.fromkeys(WHOLE)).encode()),
    "rows that are none": _change(lambda data: data.update(rows=[1, 2])),
    "rows without a target": _change(lambda data: data["rows"][0].pop("target")),
    "sections that are none": _change(lambda data: data["settings"].update(hooks=[])),
    "problems that are none": _change(lambda data: data.update(problems=["x"])),
    "another format": _change(lambda data: data["key"].update(format=99, rows=[])),
    "another version": _change(lambda data: data["key"].update(version="0.0.1")),
    "another interpreter": _change(lambda data: data["key"].update(interpreter=["/other", [], ""])),
    "another path": _change(lambda data: data["key"]["path"].append(["/", [1, 2, 3]])),
    "a path that is none": _change(lambda data: data["key"].update(path=[["/", None, 3]])),
    "others may write": _loose,
    "the group may write": _of_the_group,
    "folder": _replace(os.mkdir),
    "pipe": _replace(getattr(os, "mkfifo", os.mkdir)),
    "device": _replace(lambda path: os.symlink("/dev/zero", path)),
    "dangling": _replace(lambda path: os.symlink(path + ".gone", path)),
    "looping": _replace(lambda path: os.symlink(path, path)),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_a_manifest_that_is_not_right_is_rebuilt_in_the_same_hook(
    guarded: Guarded, kind: str
) -> None:
    """All guards are asked, the configuration holds, and the file is as it was before."""
    guarded.configure('[delegation]\nmessage = "Mind the guide."\n')
    who = guarded.primary()
    guarded.view(who)
    before = snapshot(guarded.manifest)
    names = sorted(os.listdir(guarded.paths.state))
    SPOILED[kind](guarded.manifest)

    found = guarded.run(who, "ls")

    assert found.decision == "deny"
    assert "Mind the guide." in found.reason
    assert "not healthy" not in found.reason
    assert guarded.view(who).decision == "allow"
    assert sorted(os.listdir(guarded.paths.state)) == names
    if kind != "folder":
        assert snapshot(guarded.manifest) == before
        assert os.stat(guarded.manifest).st_mode & 0o777 == 0o600


def test_a_manifest_of_another_user_is_not_trusted(guarded: Guarded) -> None:
    """Who owns the file could have written anything."""
    if os.geteuid():
        pytest.skip("only root can give files away")
    who = guarded.primary()
    _change(lambda data: data.update(rows=[]))(guarded.manifest)
    os.chown(guarded.manifest, 65534, 65534)

    assert guarded.run(who, "ls").decision == "deny"
    assert os.stat(guarded.manifest).st_uid == 0


def test_a_manifest_that_cannot_be_read_is_not_missed(guarded: Guarded) -> None:
    """It is built in memory, again and again if need be."""
    obey = unprivileged()
    who = guarded.primary()
    os.chmod(guarded.manifest, 0)

    assert guarded.run(who, "ls", before=obey).decision == "deny"
    assert guarded.view(who, before=obey).decision == "allow"


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"null", b"7", b"{}", b'{"host": 7}', b'{"host": {"app_data": []}}', b"\xff"],
    ids=repr,
)
def test_remembered_folders_that_cannot_be_read_are_the_users_own(
    guarded: Guarded, data: bytes
) -> None:
    """Without them the home says where the configuration is."""
    guarded.configure('[delegation]\nmessage = "Mind the guide."\n')
    _write(data)(os.path.join(guarded.paths.state, "paths.json"))
    os.unlink(guarded.manifest)

    found = guarded.run(guarded.primary(), "ls")

    assert found.decision == "deny"
    assert "Mind the guide." in found.reason


@pytest.mark.parametrize(
    "name",
    [
        "{state}/paths.json",
        "{state}/pause.json",
        "{state}/trust.json",
        "{state}/seen/PreToolUse",
        "{state}/install/record.json",
        "{config}/config.toml",
        "{config}/trust.json",
        "{home}/.gemini/config/plugins/agguard/rules/AGENTS.md",
        "{workspace}/.agguard.toml",
        "{workspace}/pyproject.toml",
    ],
)
def test_a_pipe_in_the_place_of_a_file_does_not_hold_up_a_hook(guarded: Guarded, name: str) -> None:
    """It has nobody at its other end, and whoever waits for one is no guard any more."""
    guarded.configure('[plugins]\ntrust = ["any"]\n')
    paths = guarded.paths
    path = name.format(
        state=paths.state, config=paths.config, home=guarded.home, workspace=guarded.workspace
    )
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        os.unlink(path)
    os.mkfifo(path)
    who = guarded.primary()

    assert guarded.run(who, "ls").decision == "deny"
    os.unlink(guarded.manifest)
    assert guarded.run(who, "ls").decision == "deny"


def test_a_manifest_that_is_fresh_is_left_alone(guarded: Guarded) -> None:
    """It is read by every hook and written by none."""
    who = guarded.primary()
    before = os.stat(guarded.manifest)
    guarded.run(who, "ls")
    guarded.view(who)
    guarded.stop(who, "Done.")
    after = os.stat(guarded.manifest)

    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
