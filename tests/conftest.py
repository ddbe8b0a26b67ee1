"""What every test gets: a home that is not the user's, and an environment without an agent's marks.

The guards read the environment and the home, so a test that ran in the user's own would depend on
them, and could change them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fakes.desk import Desk
from fakes.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytest_plugins = ["agguard.testing.plugin"]
"""The kit that authors of guards test with; the shipped guards are tested with it, too."""

FOLDERS = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_RUNTIME_DIR": ".run",
    "APPDATA": "AppData/Roaming",
    "LOCALAPPDATA": "AppData/Local",
}
"""Variables that lead to a user's folders, and where they lead in the home of the tests."""

OURS = ("ANTIGRAVITY_", "AGGUARD_", "RTK_")
"""Variables that change what the product does."""


@pytest.fixture(scope="session", autouse=True)
def home_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Put a fresh home in the place of the user's, for this process and all that it starts."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(OURS)]:
            patch.delenv(name)
        for name in ("HOME", "USERPROFILE"):
            patch.setenv(name, str(home))
        for name, folder in FOLDERS.items():
            (home / folder).mkdir(parents=True, exist_ok=True)
            patch.setenv(name, str(home / folder))
        patch.setenv("RTK_TELEMETRY_DISABLED", "1")
        yield home


@pytest.fixture(scope="session")
def bare_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH with the system's own programs and no rtk, whatever this machine has installed."""
    folders = [tmp_path_factory.mktemp("no-rtk"), "/usr/bin", "/bin"]
    return os.pathsep.join(str(one) for one in folders if not os.path.exists(f"{one}/rtk"))


@pytest.fixture(scope="session")
def install_at(home_of_the_tests: Path, bare_path: str) -> Callable[[Path], Guarded]:
    """Install agguard into a folder that becomes the host's home."""
    if os.name == "nt":
        pytest.skip("the host's commands are run with sh here")

    def install(home: Path) -> Guarded:
        home.mkdir(parents=True, exist_ok=True)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
        return Guarded(home, {**kept, "PATH": bare_path})

    return install


@pytest.fixture
def guarded(tmp_path: Path, install_at: Callable[[Path], Guarded]) -> Guarded:
    """A home of its own with agguard installed; its name needs quoting wherever it is used."""
    return install_at(tmp_path / "a user's home")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The command line in a home of its own, in which nothing is installed."""
    return Desk(tmp_path / "an operator's home", monkeypatch)


@pytest.fixture(scope="session")
def shared(
    tmp_path_factory: pytest.TempPathFactory, install_at: Callable[[Path], Guarded]
) -> Guarded:
    """One installed home for all tests that change nothing in it but their own conversations."""
    return install_at(tmp_path_factory.mktemp("a shared home"))
