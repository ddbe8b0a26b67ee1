"""A project's file tightens the settings of third parties' plugins, where they say how."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agguard.config import trust
from agguard.config.strictness import DIRECTIONS
from fakes.distribution import Packages

if TYPE_CHECKING:
    from fakes.guarded import Guarded

CODE = """
import json

agguard_settings = {{"it": {{"meaning": "what is tested", **{fields!r}}}}}


@hookimpl
def judge_tool(call, session):
    return Verdict.deny("says " + json.dumps(session.section("plugins")["mmm"]))
"""
LIST = {"type": "list", "default": ["a", "b"]}
NUMBER = {"type": "int", "default": 5, "minimum": 0, "maximum": 9}
CHOICE = {"type": "choice", "choices": ["off", "warn", "block"], "default": "warn"}

ROWS: dict[str, tuple[dict[str, Any], list[tuple[str, Any]]]] = {
    "grow": (LIST, [('["c"]', ["a", "b", "c"]), ("[]", ["a", "b"])]),
    "shrink": (LIST, [('["a", "c"]', ["a"]), ("[]", [])]),
    "less": (NUMBER, [("2", 2), ("8", 5)]),
    "more": (NUMBER, [("8", 8), ("2", 5)]),
    "order": (CHOICE, [('"block"', "block"), ('"off"', "warn")]),
    "true": ({"type": "bool", "default": False}, [("true", True), ("false", False)]),
    "false": ({"type": "bool", "default": True}, [("false", False), ("true", True)]),
    "trusted": (CHOICE, [('"block"', "warn"), ('"off"', "warn")]),
    "user": (CHOICE, [('"block"', "warn"), ('"off"', "warn")]),
    "": (CHOICE, [('"block"', "warn"), ('"off"', "warn")]),
}
"""For each direction a setting, and what comes of two wishes of a project."""


@pytest.fixture
def packages(tmp_path: Path) -> Packages:
    return Packages(tmp_path / "site")


def declare(guarded: Guarded, packages: Packages, direction: str) -> None:
    """Install a plugin that says what its setting is, as it declares that."""
    fields, _ = ROWS[direction]
    fields = {**fields, "stricter": direction} if direction else fields
    packages.add("mmm", CODE.format(fields=fields))
    guarded.configure('[plugins]\ntrust = "all"\n')
    packages.build(guarded)


def in_force(guarded: Guarded, **environ: str) -> Any:
    """Return what the plugin is told of its setting at a call."""
    payload = guarded.primary().calls("view_file", {"AbsolutePath": "/x"})
    found = guarded.host.fire("PreToolUse", payload, environ={**guarded.host.environ, **environ})
    _, _, said = found.reason.partition("says ")
    return json.JSONDecoder().raw_decode(said)[0]["it"]


def write(guarded: Guarded, value: str) -> Path:
    """Let the project wish something."""
    file = Path(guarded.workspace, ".agguard.toml")
    file.write_text(f"[plugins.mmm]\nit = {value}\n")
    return file


def test_every_direction_is_tried() -> None:
    """And a setting that declares none."""
    assert {*ROWS} == {*DIRECTIONS, ""}


@pytest.mark.parametrize("direction", ROWS)
class TestDirections:
    def test_a_project_moves_it_in_its_direction_only(
        self, guarded: Guarded, packages: Packages, direction: str
    ) -> None:
        """What has no direction stays as it is; the plugin is told so at the next call."""
        declare(guarded, packages, direction)
        fields, wishes = ROWS[direction]
        assert in_force(guarded) == fields["default"]
        for value, expected in wishes:
            write(guarded, value)
            assert in_force(guarded) == expected
            assert in_force(guarded) == expected  # as compiled for the project before

    def test_a_pinned_file_moves_what_has_no_direction(
        self, guarded: Guarded, packages: Packages, direction: str
    ) -> None:
        """Unless the plugin leaves it to the user alone; and it loosens nothing."""
        declare(guarded, packages, direction)
        _, wishes = ROWS[direction]
        for value, expected in wishes:
            file = write(guarded, value)
            pins = trust.load(guarded.paths.state).pinned(str(file), file.read_bytes(), 0.0)
            trust.save(pins)
            wanted = json.loads(value) if direction in {"", "trusted"} else expected
            assert in_force(guarded) == wanted


def test_a_variable_moves_it_as_a_project_does(guarded: Guarded, packages: Packages) -> None:
    """Single values only, as everywhere."""
    declare(guarded, packages, "less")
    assert in_force(guarded, AGGUARD_PLUGINS_MMM_IT="1") == 1
    assert in_force(guarded, AGGUARD_PLUGINS_MMM_IT="9") == 5


def test_a_value_that_does_not_fit_is_named_and_changes_nothing(
    guarded: Guarded, packages: Packages
) -> None:
    """With its place; the user's other settings stay in force."""
    declare(guarded, packages, "less")
    write(guarded, "'many'")
    assert in_force(guarded) == 5
    found = guarded.write(guarded.primary(), "/x")
    assert (
        ".agguard.toml:2:6: 'plugins.mmm.it' is \"many\", expected a whole number" in found.reason
    )


def test_a_plugin_that_does_not_run_gives_a_project_nothing_to_set(
    guarded: Guarded, packages: Packages
) -> None:
    """Nobody knows its settings; the session is as healthy as before."""
    declare(guarded, packages, "grow")
    guarded.configure("")
    packages.build(guarded)
    write(guarded, "['c']")
    found = guarded.write(guarded.primary(), f"{guarded.workspace}/app.py")
    assert found.decision == "deny"
    assert "not healthy" not in found.reason


def test_a_plugins_rules_reach_subagents_in_such_a_project(
    guarded: Guarded, packages: Packages
) -> None:
    """They are compiled with the settings, and no file of a project takes them away."""
    packages.add("mmm", 'agguard_rules = ("mmm.md",)\n')
    (packages.site / "mmm.md").write_text("Be kind.")
    guarded.configure('[plugins]\ntrust = "all"\n')
    packages.build(guarded)
    Path(guarded.workspace, ".agguard.toml").write_text("attention.max_rejections = 5\n")
    spawn = {"Subagents": [{"TypeName": "self", "Role": "executor", "Prompt": "Do it."}]}
    payload = guarded.primary().calls("invoke_subagent", spawn)
    found = guarded.host.fire("PreToolUse", payload)
    assert "Be kind." in found.answer["overwrite"]["Subagents"][0]["Prompt"]
