"""Settings, rule files, health checks and the version of the hook specs that plugins declare."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from agguard import hookspecs
from agguard.plugins.discovery import Found
from agguard.plugins.offer import health
from agguard.plugins.registry import diagnosed, register
from agguard.testing import Guards, assert_injected_once, calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agguard.plugins.registry import Plugin

MODULE = "a_plugin_that_offers"
HOOK = "from agguard import hookimpl\n@hookimpl\ndef judge_tool(call):\n    return None\n"


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Plugin]]:
    """Register one plugin whose module ends with some code."""
    package = tmp_path / MODULE
    package.mkdir()
    (package / "rules.md").write_text("Speak plainly.\n", encoding="utf-8")
    (tmp_path / "outside.md").write_text("x", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    def registered(code: str) -> Plugin:
        text = HOOK + textwrap.dedent(code)
        (package / "__init__.py").write_text(text, encoding="utf-8")
        return register([Found("offers", MODULE)], [], ["offers"]).plugins[0]

    yield registered
    sys.modules.pop(MODULE, None)


VERSIONS = {
    hookspecs.VERSION: "",
    hookspecs.OLDEST: "",
    hookspecs.VERSION + 1: "upgrade agguard",
    hookspecs.OLDEST - 1: "this agguard takes",
    "'1'": "this agguard takes",
    None: "this agguard takes",
}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_plugin_says_which_hook_specs_it_is_written_for(
    load: Callable[[str], Plugin], version: object
) -> None:
    """One for newer specs, or for none that there ever were, is refused with the next step."""
    found = load(f"agguard_hookspec = {version}\n")
    assert found.state == ("refused" if VERSIONS[version] else "active")
    assert VERSIONS[version] in found.problem


def test_a_plugin_that_says_no_version_is_taken_for_the_oldest(
    load: Callable[[str], Plugin],
) -> None:
    """It was written before there was another."""
    assert load("").state == "active"


REFUSED = {
    "settings are no dict": ("agguard_settings = 1", "expected a dict"),
    "a setting without a type": ("agguard_settings = {'a': {'default': 1}}", "not declared"),
    "a default of another type": (
        "agguard_settings = {'a': {'type': 'int', 'default': 'x', 'meaning': 'm'}}",
        "the default does not fit",
    ),
    "rules are no names": ("agguard_rules = 1", "expected a tuple of file names"),
    "a rule file that is not there": ("agguard_rules = ('nothing.md',)", "no file beside"),
    "a rule file outside": ("agguard_rules = ('../outside.md',)", "no file beside"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_offer_of_a_wrong_form_is_refused(load: Callable[[str], Plugin], case: str) -> None:
    """The message says what was expected."""
    code, told = REFUSED[case]
    found = load(code)
    assert found.state == "refused"
    assert told in found.problem


def test_rule_files_reach_subagents_once(load: Callable[[str], Plugin]) -> None:
    """Their text is compiled; whoever has it already does not get it again."""
    found = load("agguard_rules = ['rules.md']")
    assert found.rules[0].endswith("rules.md")

    guards = Guards(f"offers={MODULE}")
    told = guards.dispatch(calls.spawn("Run the tests."), "primary")
    assert_injected_once(told, "Speak plainly.")
    assert told.said_by("offers")
    again = guards.dispatch(calls.spawn("Speak plainly."), "primary")
    assert_injected_once(again, "Speak plainly.")


def test_a_plugin_without_rule_files_adds_nothing(load: Callable[[str], Plugin]) -> None:
    """The other half."""
    load("")
    told = Guards(f"offers={MODULE}").dispatch(calls.spawn("Run the tests."), "primary")
    assert told.said_by("offers") == ()


HEALTH = {
    "is well": ("return []", []),
    "is None": ("return None", []),
    "has a complaint": ("yield f\"limit is {settings['limit']}\"", ["limit is 3"]),
    "raises": ("raise RuntimeError('boom')", ["its health check failed: RuntimeError: boom"]),
    "exits": ("raise SystemExit(3)", ["its health check failed: SystemExit: 3"]),
    "leaves": (
        "import os; os._exit(1)",
        ["its health check did not end in time, or ended the process"],
    ),
    "loops": (
        "while True: pass",
        ["its health check did not end in time, or ended the process"],
    ),
}


@pytest.mark.parametrize("case", HEALTH)
def test_a_health_check_breaks_nothing_but_itself(load: Callable[[str], Plugin], case: str) -> None:
    """It runs in a process of its own, and what it does wrong is its answer."""
    code, told = HEALTH[case]
    found = load(f"def agguard_health(settings):\n    {code}\n")
    assert found.has_health
    assert diagnosed(found, {"limit": 3}, seconds=0.5) == told


def test_nothing_is_asked_of_a_plugin_without_a_check() -> None:
    """Nor of an object that is no plugin at all."""
    assert health(object(), {}) == []
