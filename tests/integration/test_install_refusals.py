"""When an installation must not go on: nothing is written, and the message says what to do."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agguard.errors import RegistrationError
from agguard.install import files
from agguard.install.lock import held
from unit.install.install_world import FOREIGN, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes and users of POSIX")
SNIPPET = '"command": "./agguard-hook PreToolUse"'


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "home")


@pytest.fixture
def own_world() -> Iterator[World]:
    """Give a home to the user that `as_ordinary_user` becomes."""
    with tempfile.TemporaryDirectory(prefix="agguard-test-") as folder:
        world = World(Path(folder) / "home")
        world.install()  # so that nothing has to be imported without the rights for it
        world.uninstall()
        yield world


@contextlib.contextmanager
def as_ordinary_user(world: World) -> Iterator[None]:
    """Go without the superuser's rights for a while, for they know no read-only folder."""
    if os.geteuid():
        yield
        return
    for path in (world.home.parent, *world.home.parent.rglob("*")):
        os.chown(path, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


UNREADABLE = {
    "a comment": ('{\n  // mine\n  "a": {}\n}', "line 2, column 3"),
    "a trailing comma": ('{"a": {},}', "line 1, column 10"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "line 1, column 1"),
    "UTF-16": ("{}".encode("utf-16"), "line 1, column 1"),
    "cut off": ('{"a": {"Stop": [', "line 1, column 17"),
    "a list": ("[]", "a list"),
    "a text": ('"text"', "a string"),
    "null": ("null", "null"),
    "nested without end": ('{"a": ' + "[" * 99_999, "too deeply"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_file_that_the_host_refuses_is_left_alone_with_the_snippet(
    case: str, world: World
) -> None:
    """Line and column, what is wrong, and what to paste; not one byte is written anywhere."""
    data, place = UNREADABLE[case]
    world.write(data)
    tree = world.tree(state=True)
    with pytest.raises(RegistrationError) as refused:
        world.install()
    assert place in str(refused.value)
    assert str(world.hooks) in str(refused.value)
    assert SNIPPET in str(refused.value)
    assert world.tree(state=True) == tree


@pytest.mark.parametrize("case", UNREADABLE)
def test_uninstalling_leaves_such_a_file_alone_too(case: str, world: World) -> None:
    """And the launcher stays, for who knows what will run it when the file is mended."""
    world.install()
    data, place = UNREADABLE[case]
    world.write(data)
    tree = world.tree(state=True)
    with pytest.raises(RegistrationError) as refused:
        world.uninstall()
    assert place in str(refused.value)
    assert world.tree(state=True) == tree


@pytest.mark.parametrize("act", ["install", "uninstall"])
def test_a_read_only_file_is_refused(act: str, world: World) -> None:
    """The superuser could write to it; that it is read-only still means something."""
    if act == "uninstall":
        world.install()
    else:
        world.write(FOREIGN)
    world.hooks.chmod(0o444)
    tree = world.tree(state=True)
    with pytest.raises(RegistrationError) as refused:
        getattr(world, act)()
    assert "read-only" in str(refused.value)
    assert (SNIPPET in str(refused.value)) == (act == "install")
    assert world.tree(state=True) == tree


def test_a_read_only_file_that_holds_the_snippet_is_no_obstacle(world: World) -> None:
    """Paste it, run the installation again: the rest is put beside it."""
    world.install()
    pasted = world.hooks.read_bytes()
    world.uninstall()
    world.write(pasted)
    world.hooks.chmod(0o444)
    assert world.install().changed
    assert world.examine().registered
    assert world.launcher.exists()


@pytest.mark.parametrize("folder", [".gemini", ".gemini/config"])
def test_a_read_only_folder_is_refused(folder: str, own_world: World) -> None:
    """With the snippet, and with the home as it was."""
    (own_world.home / folder).mkdir(parents=True)
    (own_world.home / folder).chmod(0o555)
    tree = own_world.tree()
    with as_ordinary_user(own_world), pytest.raises(RegistrationError) as refused:
        own_world.install()
    assert SNIPPET in str(refused.value)
    assert own_world.tree() == tree


def test_an_unreadable_file_is_not_an_empty_one(own_world: World) -> None:
    """No right to read is no right to replace."""
    own_world.write(FOREIGN)
    own_world.hooks.chmod(0o200)
    with as_ordinary_user(own_world), pytest.raises(RegistrationError, match="cannot read"):
        own_world.install()
    own_world.hooks.chmod(0o600)
    assert own_world.hooks.read_text() == FOREIGN


def test_a_home_where_no_state_can_be_kept_is_refused(own_world: World) -> None:
    """Without a way back nothing is changed."""
    own_world.write(FOREIGN)
    (own_world.home / ".local").rename(own_world.home / "gone")
    (own_world.home / ".local").mkdir()
    (own_world.home / ".local").chmod(0o555)
    with as_ordinary_user(own_world), pytest.raises(RegistrationError, match="state"):
        own_world.install()
    assert own_world.hooks.read_text() == FOREIGN
    assert not own_world.launcher.exists()


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
def test_what_is_no_file_is_refused(kind: str, world: World) -> None:
    """A pipe would hang for ever."""
    world.config.mkdir(parents=True)
    if kind == "folder":
        world.hooks.mkdir()
    elif kind == "pipe":
        os.mkfifo(world.hooks)
    else:
        world.hooks.symlink_to("/dev/zero")
    with pytest.raises(RegistrationError, match="no regular file"):
        world.install()


def test_a_file_where_a_folder_has_to_be_is_refused(world: World) -> None:
    """`.gemini` is somebody's file."""
    (world.home / ".gemini").write_text("x")
    with pytest.raises(RegistrationError, match=r"\.gemini"):
        world.install()
    assert (world.home / ".gemini").read_text() == "x"


FOREIGN_FILES = {
    "a launcher": ("agguard-hook", "#!/bin/sh\necho mine\n", "agguard-hook"),
    "a plugin": ("plugins/agguard/plugin.json", '{"name": "other"}', "another plugin"),
    "a plugin that cannot be read": ("plugins/agguard/plugin.json", "// mine", "another plugin"),
}


@pytest.mark.parametrize("case", FOREIGN_FILES)
def test_foreign_files_in_our_way_are_not_overwritten(case: str, world: World) -> None:
    """They are named, and everything stays as it was."""
    name, text, words = FOREIGN_FILES[case]
    path = world.config / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    tree = world.tree(state=True)
    with pytest.raises(RegistrationError, match=words):
        world.install()
    assert world.tree(state=True) == tree


def test_a_foreign_launcher_is_not_removed_either(world: World) -> None:
    """Somebody put an own script in its place: it is kept, and that is said."""
    world.install()
    world.launcher.write_text("#!/bin/sh\necho mine\n")
    outcome = world.uninstall()
    assert world.launcher.read_text() == "#!/bin/sh\necho mine\n"
    assert str(world.launcher) in {kept.path for kept in outcome.kept}


# Failures in the middle: a full disk, another program, another installer.


def _failure(act: Callable[[], object]) -> str:
    try:
        act()
    except RegistrationError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("act", ["install", "uninstall"])
@pytest.mark.parametrize("nth", range(9))
@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
def test_a_disk_that_fails_at_any_step_leaves_the_hooks_file_as_it_was(
    call: str, nth: int, act: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever fails, and when: the whole change or none, and the next try succeeds."""
    world.write(FOREIGN)
    if act == "uninstall":
        world.install()
    before = world.tree()
    genuine, count = getattr(os, call), iter(range(1000))

    def failing(*arguments: object, **more: object) -> object:
        here = str(arguments[0])
        ours = call != "open" or "agguard-tmp" in here
        if ours and next(count) == nth:
            raise OSError(errno.ENOSPC, "No space left on device", here)
        return genuine(*arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(os, call, failing)
        failure = _failure(getattr(world, act))
    assert ("No space left" in failure) == (world.tree() == before)
    world.install()
    world.uninstall()
    assert world.hooks.read_text() == FOREIGN
    assert not list(world.home.rglob("*agguard-tmp"))


def test_a_change_by_another_program_in_between_is_not_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host's own dialog wrote a hook while we were preparing ours."""
    world.write("{}")
    genuine = files.stage
    texts = iter(['{"theirs": 1}', '{"theirs": 2}'])

    def interrupted(change: files.FileChange) -> str:
        copy = genuine(change)
        if change.path == str(world.hooks) and (text := next(texts, None)):
            world.hooks.write_text(text)
        return copy

    monkeypatch.setattr(files, "stage", interrupted)
    world.install()
    assert '"theirs": 2,' in world.hooks.read_text()
    assert '"agguard"' in world.hooks.read_text()
    assert not list(world.home.rglob("*agguard-tmp"))
    world.uninstall()
    assert world.hooks.read_text() == '{"theirs": 2}'


def test_a_file_that_never_rests_is_given_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is somebody else's to stop."""
    world.write("{}")
    genuine, count = files.stage, iter(range(1000))

    def interrupted(change: files.FileChange) -> str:
        copy = genuine(change)
        world.hooks.write_text(f'{{"theirs": {next(count)}}}')
        return copy

    monkeypatch.setattr(files, "stage", interrupted)
    with pytest.raises(RegistrationError, match="keeps changing"):
        world.install()
    assert '"agguard"' not in world.hooks.read_text()
    assert not world.launcher.exists()


def test_what_a_killed_installer_left_is_swept_up(world: World) -> None:
    """Copies that were never put in place."""
    world.write(FOREIGN)
    (world.config / ".hooks.json.99-ab.agguard-tmp").write_text("{")
    (world.config / ".hooks.json.theirs").write_text("{")
    world.install()
    assert [path.name for path in world.config.glob(".*")] == [".hooks.json.theirs"]


def test_an_installer_waits_for_another_and_says_so_when_it_takes_too_long(world: World) -> None:
    """The lock is the system's, so a dead holder holds nothing."""
    world.install()
    lock = str(world.record.parent / "lock")
    with (
        held(lock),
        pytest.raises(RegistrationError, match="another agguard"),
        held(lock, wait=0.1),
    ):
        pass
    with held(lock, wait=0.0):
        pass
