"""A built-in part can be replaced, in this process and through the real command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agguard.testing import (
    Guards,
    assert_left_alone,
    assert_rewritten,
    calls,
    check_never_fails,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.testing import Result

PLUGIN = "plainlog=agguard_plainlog"


@pytest.fixture(scope="session")
def agguard_config() -> str:
    """RTK is off: this plugin stands in its place."""
    return '[rtk]\nmode = "off"\n'


def test_commands_print_less(guards: Guards) -> None:
    """Only whole lines that are known."""
    assert_rewritten(guards.dispatch(calls.run("git log")), "git log --oneline", by="plainlog")
    for line in ("git log -p", "git log > log.txt", "git logs", "ls"):
        assert_left_alone(guards.dispatch(calls.run(line)))


def test_it_can_do_nothing() -> None:
    """Then there is no compressor at all."""
    off = '[rtk]\nmode = "off"\n[plugins.plainlog]\nmode = "none"\n'
    assert_left_alone(Guards(PLUGIN, config=off).dispatch(calls.run("git log")))


def test_it_stands_without_any_built_in() -> None:
    """The default plugin has no privilege: this one runs without it."""
    alone = Guards(PLUGIN, builtin=False)
    assert_rewritten(alone.dispatch(calls.run("git log")), "git log --oneline", by="plainlog")


def test_no_payload_makes_it_fail(guards: Guards) -> None:
    """Hosts drift."""
    check_never_fails(guards, by="plainlog")


def test_it_rewrites_through_the_real_command(run_hook: Callable[..., Result]) -> None:
    """Installed, trusted, and asked in a process of its own."""
    found = run_hook("run_command", CommandLine="git status")
    assert_rewritten(found, "git status --short --branch", by="plainlog")
