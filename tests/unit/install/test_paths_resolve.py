"""Where agguard's and the host's files are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import agguard.paths as paths_module
from agguard.errors import ConfigError
from agguard.paths import resolve, workspace_hooks

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the paths in here are POSIX paths")
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the folders are Linux's")


def test_a_given_home_holds_everything() -> None:
    """A demonstration in a scratch home touches nothing of the user's."""
    paths = resolve("/scratch/home")
    everything = (
        *(paths.config, paths.config_file, paths.state, paths.cache),
        *(paths.host.gemini, paths.host.config, paths.host.hooks, paths.host.plugin),
        *paths.host.app_data,
    )
    assert all(path.startswith("/scratch/home/") for path in everything)


def test_the_hosts_files_are_where_the_host_reads_them() -> None:
    """Contract, sections 1.1, 6 and 8."""
    host = resolve("/h").host
    assert host.hooks == "/h/.gemini/config/hooks.json"
    assert host.plugin == "/h/.gemini/config/plugins/agguard"
    assert host.app_data == (
        "/h/.gemini/antigravity-cli",
        "/h/.gemini/antigravity",
        "/h/.gemini/antigravity-ide",
    )
    assert workspace_hooks("/w/p/") == "/w/p/.agents/hooks.json"


def test_another_folder_of_the_host_can_be_named() -> None:
    """The host takes `--gemini_dir`; agguard's own folders do not move with it."""
    paths = resolve("/h", gemini="/elsewhere/g")
    assert paths.host.hooks == "/elsewhere/g/config/hooks.json"
    assert paths.state == resolve("/h").state


@ON_LINUX
def test_the_environment_counts_only_when_it_is_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook must not be led elsewhere by what an agent has set."""
    names = {"AGGUARD_CONFIG_DIR": "/evil/c", "AGGUARD_STATE_DIR": "/evil/s"}
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    assert "/evil" not in repr(resolve("/h"))
    paths = resolve("/h", environ=os.environ)
    assert (paths.config_file, paths.state) == ("/evil/c/config.toml", "/evil/s")
    assert resolve("/h", environ={"AGGUARD_STATE_DIR": ""}) == resolve("/h")


@ON_LINUX
def test_the_users_own_folders_follow_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    """XDG folders on Linux; the host's are below the home all the same."""
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.setenv("XDG_STATE_HOME", "/xdg/state")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    paths = resolve()
    assert paths.state == "/xdg/state/agguard"
    assert paths.config == "/home/u/.config/agguard"
    assert paths.host.hooks == "/home/u/.gemini/config/hooks.json"


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_state_and_configuration_never_share_a_folder(
    platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that one can be purged and the other kept."""
    monkeypatch.setattr(sys, "platform", platform)
    paths = resolve("/h")
    assert paths.state != paths.config
    assert paths.cache not in {paths.state, paths.config}


@pytest.mark.parametrize(
    "arguments",
    [{"home": "relative"}, {"home": ""}, {"home": "/h", "gemini": "g"}, {"home": "/a\0b"}],
)
def test_a_folder_that_is_not_absolute_is_refused(arguments: dict[str, str]) -> None:
    """It would mean another place in every hook."""
    with pytest.raises(ConfigError, match="absolute path"):
        resolve(**arguments)


@pytest.mark.parametrize("home", ["", "relative/home"])
def test_no_home_is_said_and_not_guessed(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty HOME would mean `/`."""
    monkeypatch.setenv("HOME", home)
    with pytest.raises(ConfigError, match="HOME"):
        resolve()


def test_platformdirs_is_imported_only_when_it_is_asked() -> None:
    """The module lies at the bottom of the hook path."""
    site = str(Path(paths_module.__file__).parents[1])
    program = (
        f"import sys; sys.path.insert(0, {site!r}); import agguard.paths as paths;"
        "paths.host_paths('/g'); print({'platformdirs', 'pathlib', 'typing'} & set(sys.modules))"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
