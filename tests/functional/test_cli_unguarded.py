"""What is not guarded is said to be, and what is not there is not passed over."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import agguard

if TYPE_CHECKING:
    from fakes.desk import Desk


def test_blocking_the_shipped_guards_is_shown(desk: Desk) -> None:
    """By the command itself, by `status`, and by `doctor`, whose status is 1."""
    desk.run("install")
    assert "not guarded" in desk.run("plugins", "block", "builtin").words
    status = desk.data("status", status=1)
    assert status["state"] == "not guarded"
    assert "unblock builtin" in status["why"]
    assert "unblock builtin" in desk.run("doctor", status=1).words


def test_the_version_needs_no_command(desk: Desk) -> None:
    """`agguard --version` alone."""
    assert desk.run("--version").out.strip() == f"agguard {agguard.__version__}"


@pytest.mark.parametrize("command", ["show", "tree", "lint"])
def test_rules_of_a_folder_that_is_not_there_are_an_error(desk: Desk, command: str) -> None:
    """A typo in CI does not stay green."""
    assert "no folder" in desk.run("rules", command, "nodir", status=2).words


def test_the_shipped_plugin_needs_no_trust(desk: Desk) -> None:
    """Nothing is pinned and nothing written."""
    assert "no trust" in desk.run("plugins", "trust", "builtin").words


def test_unblocking_what_is_not_blocked_writes_nothing(desk: Desk) -> None:
    """A configuration that was not there is still not there."""
    desk.run("plugins", "unblock", "nosuch")
    assert not os.path.exists(desk.paths.config_file)


@pytest.mark.parametrize("command", ["trust", "block", "unblock", "order"])
def test_no_agents_shell_says_which_plugins_run(desk: Desk, command: str) -> None:
    """As it changes no other setting."""
    desk.patch.setenv("ANTIGRAVITY_AGENT", "1")
    found = desk.run("plugins", command, "builtin", status=2)
    assert "in a terminal of your own" in found.words
    assert not os.path.exists(desk.paths.config_file)


def test_a_plugin_command_answers_with_data(desk: Desk) -> None:
    """What is set now, and whether that is new."""
    blocked = {"key": "plugins.block", "value": ["builtin"], "changed": True}
    assert desk.data("plugins", "block", "builtin") == blocked
    assert desk.data("plugins", "block", "builtin") == {**blocked, "changed": False}
    assert desk.data("plugins", "unblock", "builtin") == {**blocked, "value": []}
    assert desk.data("plugins", "unblock", "builtin")["changed"] is False
    assert desk.data("plugins", "trust", "builtin")["changed"] is False
    assert desk.data("plugins", "order", "builtin")["value"] == ["builtin"]
    assert [one["hook"] for one in desk.data("plugins", "hooks", "observe")] == ["observe"]
    (module,) = [
        one for one in desk.data("plugins", "new", "friday")["files"] if one.endswith("__init__.py")
    ]
    assert os.path.isfile(module)


def test_a_misspelled_hook_is_refused_with_what_was_meant(desk: Desk) -> None:
    """To read about it, or to write one."""
    for command in (("hooks", "judge_tol"), ("new", "friday", "--hook", "judge_tol")):
        assert "did you mean 'judge_tool'?" in desk.run("plugins", *command, status=2).words
