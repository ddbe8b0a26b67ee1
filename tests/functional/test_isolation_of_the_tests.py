"""The tests themselves leave the user's home, configuration and state alone."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import platformdirs
import pytest

from agguard.paths import resolve

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.guarded import Guarded


def test_no_folder_of_agguard_or_the_host_is_the_users(home_of_the_tests: Path) -> None:
    """Everything that agguard would write to by default lies in the home of the tests."""
    paths = resolve(environ=os.environ)
    host = paths.host
    folders = [paths.home, paths.config, paths.state, paths.cache, host.config, *host.app_data]
    outside = [one for one in folders if not one.startswith(f"{home_of_the_tests}")]
    assert outside == []


@pytest.mark.parametrize("kind", ["config", "state", "cache", "data"])
def test_the_platforms_folders_are_the_tests(kind: str, home_of_the_tests: Path) -> None:
    """Libraries that look for a user's folders find the home of the tests."""
    found = getattr(platformdirs, f"user_{kind}_dir")("any")
    assert found.startswith(f"{home_of_the_tests}{os.sep}")


def test_processes_started_by_tests_see_that_home(home_of_the_tests: Path) -> None:
    """A child process inherits it."""
    code = "import os; print(os.path.expanduser('~'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == str(home_of_the_tests)


def test_the_real_home_is_another_one(home_of_the_tests: Path) -> None:
    """The home of the tests is not the one that the system names for this user."""
    pwd = pytest.importorskip("pwd")
    real = os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
    assert os.path.realpath(home_of_the_tests) != real
    assert not real.startswith(os.path.realpath(home_of_the_tests) + os.sep)


def test_no_mark_of_an_agent_is_in_the_environment() -> None:
    """Tests that run in an agent's shell would otherwise judge everybody as its child."""
    marks = [name for name in os.environ if name.startswith(("ANTIGRAVITY_", "AGGUARD_"))]
    assert marks == []


def test_a_guarded_home_writes_only_below_itself(guarded: Guarded, home_of_the_tests: Path) -> None:
    """Installing and firing leaves the home of the tests as empty as it was."""
    before = sorted(str(one) for one in home_of_the_tests.rglob("*"))

    guarded.run(guarded.primary(), "ls")

    assert sorted(str(one) for one in home_of_the_tests.rglob("*")) == before
    assert os.path.exists(guarded.ledger)
