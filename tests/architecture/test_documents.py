"""Documents cannot drift: what exists is documented, and what is shown works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agguard import hookspecs
from agguard.cli.app import build
from agguard.cli.commands.install import ProfileName
from agguard.config.profiles import PROFILES
from agguard.config.schema import Schema

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    from typer.main import get_command

    found = []
    root = get_command(build())
    for name, command in root.commands.items():
        inner = getattr(command, "commands", {})
        found += [f"{name} {sub}" for sub in inner] or [name]
    return found


@pytest.mark.parametrize("hook", hookspecs.HOOKS)
def test_a_hook_has_a_manual_page_and_stands_in_the_readme(hook: str) -> None:
    """When it is asked, its parameters, what it returns, what a fault counts as."""
    page = getattr(hookspecs, hook).__doc__

    for part in ("Asked ", "Args:", "Returns:", "fault"):
        assert part in page
    assert f"| `{hook}` |" in README


@pytest.mark.parametrize("setting", list(Schema()), ids=lambda setting: setting.key)
def test_a_setting_stands_in_the_readme_with_its_default(setting: object) -> None:
    """The table holds key, default and meaning."""
    assert f"| `{setting.key}` |" in README


def test_the_readme_names_no_setting_that_is_not_there() -> None:
    """A key in the settings table exists."""
    known = {setting.key for setting in Schema()}
    table = README.partition("| setting | default |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([\w.]+)` \|", table, re.MULTILINE)) == known


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_a_profile_stands_in_the_readme(profile: object) -> None:
    """So does the choice of `agguard install --profile`."""
    assert f"| `{profile.name}` |" in README
    assert profile.name in list(ProfileName)


@pytest.mark.parametrize("command", commands())
def test_a_command_has_help_with_an_example_and_stands_in_the_readme(command: str) -> None:
    """`agguard COMMAND --help` explains it, and README mentions it."""
    done = subprocess.run(
        [sys.executable, "-m", "agguard", *command.split(), "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "200"},
    )
    assert f"Example: agguard {command}" in " ".join(done.stdout.split())
    assert f"agguard {command}" in README


def test_the_changelog_has_a_section_for_what_comes() -> None:
    """Keep-a-changelog form."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith("# Changelog")
    assert "## [Unreleased]" in text


def test_the_guard_in_the_readme_works(tmp_path: Path) -> None:
    """The example is importable and its implementation is found."""
    (code,) = re.findall(r"```python\n(# agguard_friday\.py.*?)```", README, re.DOTALL)
    (tmp_path / "agguard_friday.py").write_text(code, encoding="utf-8")
    check = (
        "from agguard.plugins.discovery import Found\n"
        "from agguard.plugins.registry import register\n"
        "found = register([Found('friday', 'agguard_friday')], [], ['friday'])\n"
        "print(found.plugins[0].state, found.rows[0]['hook'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", check],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}"},
    )
    assert done.stdout == "active judge_tool\n"
