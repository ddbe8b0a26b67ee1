"""A test walks the schema: each key is documented, and changing it changes a behavior."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agguard.config.schema import Schema
from fakes.battery import RTK, Battery

if TYPE_CHECKING:
    from collections.abc import Callable

if os.name == "nt":
    pytest.skip("the program rtk is a script here", allow_module_level=True)

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")

READING = "delegation.mode = 'read-only'\n"
STRICTER = "escalation.mode = 'enforce'\n"
TRUSTED = "plugins.trust = ['lenient', 'slow']\n"
PATIENT = "hooks.guard_deadline = 20.0\n" + TRUSTED
OWN = "injection.project_rules = 'always'\n"

CHANGES: dict[str, tuple[str, str]] = {
    "profile": ("", "'balanced'"),
    "hooks.deadline": (PATIENT, "0.5"),
    "hooks.guard_deadline": (TRUSTED, "0.1"),
    "hooks.observe": ("", "true"),
    "hooks.if_missing": ("", "'deny'"),
    "hooks.rewrites": (TRUSTED, "'single'"),
    "classify.trust": (TRUSTED, "['lenient']"),
    "plugins.block": ("", "['builtin']"),
    "plugins.trust": ("", "'all'"),
    "plugins.order": (TRUSTED, "['slow', 'lenient']"),
    "delegation.mode": ("", "'off'"),
    "delegation.observe": ("", "true"),
    "delegation.plan_files": ("", "['notes.md']"),
    "delegation.unknown_role": ("", "'worker'"),
    "delegation.coordinators": ("", "['self']"),
    "delegation.max_depth": ("", "1"),
    "delegation.worker_scope": ("", "'workspace'"),
    "delegation.flash_is_subagent": ("", "true"),
    "delegation.message": ("", "'Ask Ada.'"),
    "rtk.mode": ("", "'off'"),
    "rtk.path": ("", "'/nowhere/rtk'"),
    "rtk.add": ("", "['just']"),
    "rtk.remove": ("", "['git']"),
    "injection.mode": ("", "'off'"),
    "injection.project_rules": ("", "'never'"),
    "injection.rules": ("", "'HOME/own'"),
    "injection.template": ("", "'Mine: {rules}'"),
    "injection.budget_tokens": (OWN, "1"),
    "attention.mode": ("", "'off'"),
    "attention.markers": ("", "['What I did:']"),
    "attention.max_rejections": ("", "1"),
    "attention.after": ("", "0"),
    "attention.artifacts": ("", "['walkthrough.md']"),
    "attention.refresh_tokens": ("", "0"),
    "attention.remind_every": ("", "2"),
    "protection.mode": ("", "'off'"),
    "shell.read": (READING, "['mytool show']"),
    "shell.not_read": (READING, "['git log']"),
    "mcp.read": ("", "['jira/frobnicate']"),
    "mcp.write": ("", "['jira/get_issue']"),
    "ledger.work_timeout": ("", "3600"),
    "ledger.keep_decisions": ("", "1"),
    "handoff.mode": ("", "'off'"),
    "escalation.mode": ("", "'enforce'"),
    "escalation.halt_after": (STRICTER, "2"),
    "tiers.default": ("", "'pro'"),
    "tiers.pro.role": ("", "'Thinking'"),
    "tiers.pro.actions": ("", "'Hard things'"),
    "tiers.pro.access": ("", "'read-only'"),
    "tiers.flash.role": ("", "'Doing'"),
    "tiers.flash.actions": ("", "'Quick things'"),
    "tiers.flash.access": ("", "'read-only'"),
    "tiers.flash_lite.role": ("", "'Looking'"),
    "tiers.flash_lite.actions": ("", "'Small things'"),
    "tiers.flash_lite.access": ("", "'full'"),
}
"""For each key: what else is set, and the value that is tried."""


@pytest.fixture(scope="module")
def observed(
    tmp_path_factory: pytest.TempPathFactory, bare_path: str
) -> Callable[[str, str], list[str]]:
    """Everything that is answered under some settings; each configuration is run once."""
    programs = tmp_path_factory.mktemp("programs")
    (programs / "rtk").write_text(RTK)
    (programs / "rtk").chmod(0o755)
    seen: dict[tuple[str, str], list[str]] = {}

    def run(config: str, again: str = "") -> list[str]:
        if (config, again) not in seen:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("PATH", f"{programs}{os.pathsep}{bare_path}")
                home = tmp_path_factory.mktemp("battery") / "home"
                patch.setenv("HOME", str(home))
                patch.syspath_prepend(str(home / "site"))
                seen[config, again] = Battery(home, config).run()
        return seen[config, again]

    return run


def test_every_key_is_walked() -> None:
    """A new setting needs a row, or this fails."""
    assert CHANGES.keys() == {setting.key for setting in Schema()}


@pytest.mark.parametrize("base", ["", READING, STRICTER, TRUSTED, PATIENT, OWN])
def test_the_same_settings_say_the_same(
    observed: Callable[[str, str], list[str]], base: str
) -> None:
    """Or the walk would prove nothing."""
    first, second = observed(base, ""), observed(base, "again")
    assert first == second, "\n".join(difflib.unified_diff(first, second, n=0))[:3000]


@pytest.mark.parametrize("key", CHANGES)
def test_a_key_is_documented_and_changes_a_behavior(
    observed: Callable[[str, str], list[str]], key: str
) -> None:
    """Some answer of a long scenario is another one, or something else is installed."""
    base, value = CHANGES[key]
    assert f"| `{key}` |" in README
    changed = observed(f"{key} = {value}\n{base}", "")
    before = observed(base, "")
    assert changed != before
