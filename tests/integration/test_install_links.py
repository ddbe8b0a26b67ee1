"""hooks.json as a link, which dotfile managers make: the link stays, its target changes."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from agguard.errors import RegistrationError
from agguard.install.addition import Wish
from agguard.install.launcher import Launcher, recognize
from agguard.install.registration import install, uninstall
from unit.install.install_world import FOREIGN, World, loud

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "ho me")


def _linked(world: World, *names: str, text: str | None = FOREIGN) -> Path:
    """Make hooks.json a link, by way of `names`, to the last of them; return that."""
    chain = [world.hooks, *(world.home / name for name in names)]
    for path in chain:
        path.parent.mkdir(parents=True, exist_ok=True)
    for link, target in itertools.pairwise(chain):
        link.symlink_to(os.path.relpath(target, link.parent))
    if text is not None:
        chain[-1].write_text(text)
    return chain[-1]


@pytest.mark.parametrize("names", [("dot/hooks.json",), ("a/h", "b/i.json", "dot/real.json")])
def test_a_link_stays_and_its_target_changes(names: tuple[str, ...], world: World) -> None:
    """Both ways, through a chain of relative links too."""
    target = _linked(world, *names)
    tree = world.tree()
    world.install()
    assert world.hooks.is_symlink()
    assert not target.is_symlink()
    assert '"agguard"' in target.read_text()
    assert not world.install().changed
    world.uninstall()
    assert world.tree() == tree


def test_a_launcher_lies_beside_the_link_and_beside_its_target(world: World) -> None:
    """The host may run hooks in either folder, and the command is `./agguard-hook`."""
    target = _linked(world, "a/h", "dot/hooks.json")
    world.install()
    beside = target.parent / "agguard-hook"
    assert world.launcher.read_bytes() == beside.read_bytes()
    assert {state.path for state in world.examine().launchers} == {str(world.launcher), str(beside)}
    assert not (world.home / "a" / "agguard-hook").exists()
    beside.unlink()
    assert [state.condition for state in world.examine().launchers] == ["intact", "missing"]
    world.install()
    assert beside.exists()


def test_a_linked_folder_is_one_folder(world: World) -> None:
    """~/.gemini/config itself may be the link: one launcher is enough, and the link stays."""
    real = world.home / "dot" / "config"
    real.mkdir(parents=True)
    world.config.parent.mkdir()
    world.config.symlink_to(real)
    tree = world.tree()
    world.install()
    assert len(world.examine().launchers) == 1
    assert (real / "agguard-hook").exists()
    world.uninstall()
    assert world.tree() == tree


def test_a_link_to_a_file_that_is_not_there_yet_is_filled_and_emptied(world: World) -> None:
    """The folder is there, so the link means that file."""
    target = _linked(world, "dot/hooks.json", text=None)
    world.install()
    assert '"agguard"' in target.read_text()
    world.uninstall()
    assert world.hooks.is_symlink()
    assert not target.exists()


@pytest.mark.parametrize("kind", ["nowhere", "circle"])
def test_a_link_that_leads_nowhere_is_refused(kind: str, world: World) -> None:
    """Nothing is made up in its place."""
    world.config.mkdir(parents=True)
    world.hooks.symlink_to("missing/folder/hooks.json" if kind == "nowhere" else "hooks.json")
    tree = world.tree(state=True)
    with pytest.raises(RegistrationError, match=r"nothing was written|whose folder does not exist"):
        world.install()
    assert world.tree(state=True) == tree


def test_a_file_that_became_a_link_after_the_installation_finds_its_way_back(
    world: World,
) -> None:
    """A dotfile manager took the hooks file over: byte for byte it is what it was before us."""
    world.write("{ }")
    world.install()
    moved = world.home / "dot" / "hooks.json"
    moved.parent.mkdir()
    world.hooks.rename(moved)
    world.hooks.symlink_to(moved)
    world.uninstall()
    assert world.hooks.is_symlink()
    assert moved.read_text() == "{ }"
    assert not world.plugin.exists()


def test_a_link_that_became_a_file_leaves_no_launcher_behind(world: World) -> None:
    """The launcher beside the former target goes with the rest."""
    target = _linked(world, "dot/hooks.json")
    world.install()
    world.hooks.unlink()
    world.hooks.write_bytes(target.read_bytes())
    world.install()
    world.uninstall()
    assert not (target.parent / "agguard-hook").exists()
    assert world.hooks.read_text() == FOREIGN


def test_a_record_that_names_foreign_files_removes_none_of_them(world: World) -> None:
    """It is a file that others may write to, so it is believed about launchers only."""
    world.install()
    precious = world.home / "precious"
    precious.write_text("x")
    record = world.record.read_text()
    world.record.write_text(record.replace(str(world.launcher), str(precious)))
    world.uninstall()
    assert precious.read_text() == "x"


def test_launcher_and_rules_can_be_links_too(world: World) -> None:
    """A dotfile manager took them over after the first installation."""
    world.install()
    moved = world.home / "dot" / "agguard-hook"
    moved.parent.mkdir()
    world.launcher.rename(moved)
    world.launcher.symlink_to(moved)
    assert not world.install().changed
    world.install(world.wish(version="2.0"))
    assert world.launcher.is_symlink()
    found = recognize(moved.read_text())
    assert found
    assert found.launcher.version == "2.0"
    world.uninstall()
    assert not world.launcher.is_symlink()
    assert not moved.exists()


def test_hard_links_are_said_to_part(world: World) -> None:
    """A file that is replaced leaves its other names behind."""
    world.write(FOREIGN)
    other = world.home / "other.json"
    other.hardlink_to(world.hooks)
    assert "hard links" in loud(world.install())
    assert other.read_text() == FOREIGN


def test_a_read_only_target_folder_costs_only_its_launcher(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link into a store that nobody writes to: the entry is there, pasted by its manager."""
    target = _linked(world, "store/hooks.json")
    world.install()
    (target.parent / "agguard-hook").unlink()
    world.launcher.unlink()
    real_access = os.access
    blocked = str(target.parent)
    monkeypatch.setattr(
        os, "access", lambda path, mode: str(path) != blocked and real_access(path, mode)
    )
    outcome = world.install()
    assert world.launcher.exists()
    assert not (target.parent / "agguard-hook").exists()
    assert any("read-only" in note.text for note in outcome.notes)


def test_a_projects_hooks_file_can_be_a_link(world: World) -> None:
    """The same rules hold there."""
    place = world.project()
    shared = world.home / "shared"
    shared.mkdir()
    hooks = Path(place.hooks)
    hooks.parent.mkdir()
    hooks.symlink_to(shared / "hooks.json")
    tree = world.tree()
    install(place, world.store, Wish(Launcher("1.0")))
    assert (shared / "agguard-hook").exists()
    assert (hooks.parent / "agguard-hook").exists()
    uninstall(place, world.store)
    assert world.tree() == tree
