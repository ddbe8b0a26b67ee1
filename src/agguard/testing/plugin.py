"""The pytest plugin of the kit: `pytest_plugins = ["agguard.testing.plugin"]` in a conftest.py.

It is opt-in, so that nothing changes for projects that merely have agguard installed.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

import pytest

from agguard.model.session import Role
from agguard.testing.calls import call
from agguard.testing.guards import Guards
from agguard.testing.home import Home

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from agguard.model.session import Session
    from agguard.testing.result import Result


@pytest.fixture(scope="session")
def agguard_plugins() -> tuple[str, ...]:
    """The plugins under test, as `name=package.module`; override it in your conftest.py."""
    return ()


@pytest.fixture(scope="session")
def agguard_config() -> str:
    """The user's configuration of the tests, in TOML; override it in your conftest.py."""
    return ""


@pytest.fixture
def guards(agguard_plugins: tuple[str, ...], agguard_config: str) -> Guards:
    """Your plugins beside the shipped one, asked in this process."""
    return Guards(*agguard_plugins, config=agguard_config)


@pytest.fixture
def dispatch(guards: Guards) -> Callable[..., Result]:
    """Ask about a tool call in this process: `dispatch(call, role)`."""
    return guards.dispatch


@pytest.fixture
def primary(guards: Guards) -> Session:
    """The session of the agent that the user talks to."""
    return guards.session(Role.PRIMARY)


@pytest.fixture
def coordinator(guards: Guards) -> Session:
    """The session of a subagent that may delegate."""
    return guards.session(Role.COORDINATOR)


@pytest.fixture
def worker(guards: Guards) -> Session:
    """The session of a subagent that executes."""
    return guards.session(Role.WORKER)


@pytest.fixture
def unknown(guards: Guards) -> Session:
    """The session of an agent that nobody knows."""
    return guards.session(Role.UNKNOWN)


@pytest.fixture
def agguard_home(tmp_path: Path, agguard_config: str, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A throw-away home in which agguard is installed and every installed plugin is trusted."""
    if os.name == "nt":
        pytest.skip("the registered command is run with sh here")
    for name in [name for name in os.environ if name.startswith("ANTIGRAVITY_")]:
        monkeypatch.delenv(name)
    # A table that the test's configuration may already have cannot be opened a second time.
    trust = "" if "[plugins]" in agguard_config else '[plugins]\ntrust = "all"\n'
    return Home(str(tmp_path / "home"), trust + agguard_config)


@pytest.fixture
def run_hook(agguard_home: Home) -> Callable[..., Result]:
    """Make a tool call through the registered command: `run_hook("run_command", role, **args)`."""

    def run(tool: str, role: Role | str = Role.WORKER, **args: Any) -> Result:  # noqa: ANN401
        return agguard_home.call(agguard_home.agent(role), call(tool, **args))

    return run


@pytest.fixture
def engine_session(agguard_home: Home) -> Callable[..., Any]:
    """Play a session of the real engine under your guard: `engine_session([call], ["Done."])`.

    See `agguard.testing.engine.play`; needs the extra `agguard[engine]`.
    """
    pytest.importorskip("google.antigravity", reason="needs agguard[engine]", exc_type=ImportError)
    from agguard.testing.engine import play

    return functools.partial(play, agguard_home)
