"""Several installers at once, and a hook that renews its launcher after an upgrade."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import agguard.paths as paths_module
from agguard.install.addition import Wish
from agguard.install.entry import entry
from agguard.install.launcher import Launcher, recognize
from agguard.install.lock import held
from agguard.install.registration import install
from agguard.install.renewal import renew
from unit.install.install_world import FOREIGN, World

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
SITE = str(Path(paths_module.__file__).parents[1])
PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:3]
from pathlib import Path
from unit.install.install_world import World
world = World(Path(sys.argv[3]))
for step in sys.argv[5:]:
    world.install(world.wish(sys.argv[4])) if step == "install" else world.uninstall()
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "home")


def _start(world: World, site: str, *steps: str) -> subprocess.Popen[str]:
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", PROGRAM, SITE, tests, str(world.home), site, *steps]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def _all_well(running: list[subprocess.Popen[str]]) -> None:
    for process in running:
        _, problems = process.communicate(timeout=120)
        assert (process.returncode, problems) == (0, "")


def test_installers_at_once_leave_one_entry_and_one_way_back(world: World) -> None:
    """Eight of them, from two environments: one wins, nothing is mixed."""
    world.write(FOREIGN)
    tree = world.tree()
    _all_well([_start(world, f"/env{number % 2}", "install", "install") for number in range(8)])
    assert world.hooks.read_text().count('"agguard"') == 1
    found = recognize(world.launcher.read_text())
    assert found
    assert found.intact
    examined = world.examine()
    assert examined.registered
    assert examined.changed == ()
    assert examined.install
    assert examined.install.launcher == found.launcher
    world.uninstall()
    assert world.tree() == tree


def test_installers_and_uninstallers_at_once_never_harm_the_others_hooks(world: World) -> None:
    """Whoever comes last, the foreign hook is there, byte for byte."""
    world.write(FOREIGN)
    tree = world.tree()
    _all_well(
        [
            *(_start(world, "/env", "install", "uninstall", "install") for _ in range(3)),
            *(_start(world, "/env", "uninstall", "install", "uninstall") for _ in range(3)),
        ]
    )
    assert world.hooks.read_text().startswith(FOREIGN.rstrip("\n}").rstrip())
    world.uninstall()
    assert world.tree() == tree


def test_a_killed_installer_blocks_nobody(world: World) -> None:
    """Its lock ends with it."""
    world.install()
    program = (
        f"import sys, time; sys.path.insert(0, {SITE!r}); from agguard.install.lock import held\n"
        "with held(sys.argv[1]): print('held', flush=True); time.sleep(600)"
    )
    lock = world.record.parent / "lock"
    command = [sys.executable, "-c", program, str(lock)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()
    world.install(world.wish(version="2.0"))
    assert world.examine().registered


# Renewal by the hook.


def test_an_upgrade_in_place_renews_the_launcher(world: World) -> None:
    """The next hook does it; the registration and the choice of `deny` stay."""
    world.install(world.wish("/site", if_missing="deny"))
    hooks = world.hooks.read_bytes()
    assert renew(world.paths.state, "/site", "2.0") == (str(world.launcher),)
    found = recognize(world.launcher.read_text())
    assert found
    assert found.intact
    assert found.launcher == world.wish("/site", "2.0", if_missing="deny").launcher
    assert world.launcher.stat().st_mode & 0o111
    assert world.hooks.read_bytes() == hooks
    assert world.examine().changed == ()
    assert renew(world.paths.state, "/site", "2.0") == ()
    world.uninstall()
    assert not world.launcher.exists()


def test_a_renewed_launcher_is_what_an_installation_would_write(world: World) -> None:
    """So a later `install` of the new version changes no byte of it."""
    world.install()
    renew(world.paths.state, "/site", "2.0")
    renewed = world.launcher.read_bytes()
    world.install(world.wish(version="2.0"))
    assert world.launcher.read_bytes() == renewed


def test_both_launchers_of_a_link_are_renewed(world: World) -> None:
    """Either may be the one that runs."""
    target = world.home / "dot"
    target.mkdir()
    world.config.mkdir(parents=True)
    world.hooks.symlink_to(target / "hooks.json")
    world.install()
    assert set(renew(world.paths.state, "/site", "2.0")) == {
        str(world.launcher),
        str(target / "agguard-hook"),
    }


LEFT_ALONE = ["another environment", "an edited launcher", "a foreign script", "a busy installer"]


@pytest.mark.parametrize("case", LEFT_ALONE)
def test_renewal_leaves_alone_what_is_not_its_own(case: str, world: World) -> None:
    """An edit stays to be seen, and no hook waits for a lock."""
    world.install()
    site = "/other" if case == "another environment" else "/site"
    if case == "an edited launcher":
        world.launcher.write_text(world.launcher.read_text() + "# mine\n")
    elif case == "a foreign script":
        world.launcher.write_text("#!/bin/sh\n")
    tree = world.tree(state=True)
    if case == "a busy installer":
        with held(str(world.record.parent / "lock")):
            assert renew(world.paths.state, site, "2.0") == ()
    else:
        assert renew(world.paths.state, site, "2.0") == ()
    assert world.tree(state=True) == tree


def test_a_projects_launcher_is_not_renewed(world: World) -> None:
    """It is committed; a hook must not make changes in somebody's repository."""
    place = world.project()
    install(place, world.store, Wish(Launcher("1.0")))
    assert renew(world.paths.state, "", "2.0") == ()
    assert json.loads(Path(place.hooks).read_text()) == {"agguard": entry()}


@pytest.mark.parametrize("state", ["missing", "broken"])
def test_renewal_without_a_usable_record_does_nothing(state: str, world: World) -> None:
    """It runs inside a hook, which has an answer to give."""
    world.install()
    launcher = world.launcher.read_bytes()
    if state == "missing":
        world.record.unlink()
    else:
        world.record.write_text("{")
    assert renew(world.paths.state, "/site", "2.0") == ()
    assert world.launcher.read_bytes() == launcher
