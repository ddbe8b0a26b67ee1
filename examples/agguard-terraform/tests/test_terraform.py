"""What is denied, what is asked, and what is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agguard.testing import (
    Guards,
    assert_asked,
    assert_denied,
    assert_left_alone,
    calls,
    check_cases,
    check_never_fails,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.testing import Home, Result

PLUGIN = "terraform=agguard_terraform"


def test_the_table_holds() -> None:
    """Every line of cases.toml."""
    assert check_cases(str(Path(__file__).with_name("cases.toml"))) > 10


@pytest.fixture
def in_production(tmp_path: Path) -> str:
    (tmp_path / ".terraform").mkdir()
    (tmp_path / ".terraform" / "environment").write_text("prod")
    return str(tmp_path)


def test_a_change_in_production_is_asked(guards: Guards, in_production: str) -> None:
    """Even with a plan; what only looks is left alone."""
    assert_asked(
        guards.dispatch(calls.run("terraform apply plan.bin", in_production)), by="terraform"
    )
    assert_asked(guards.dispatch(calls.run("terraform state rm x", in_production)), by="terraform")
    assert_left_alone(guards.dispatch(calls.run("terraform plan", in_production)), by="terraform")


def test_the_user_says_what_production_is(in_production: str) -> None:
    """The setting is the plugin's own table."""
    guards = Guards(PLUGIN, config='[plugins.terraform]\nproduction = ["live"]\n')
    call = calls.run("terraform apply plan.bin", in_production)
    assert_left_alone(guards.dispatch(call), by="terraform")


def test_no_payload_makes_it_fail(guards: Guards) -> None:
    """Hosts drift."""
    check_never_fails(guards, by="terraform")


def test_it_decides_through_the_real_command(run_hook: Callable[..., Result]) -> None:
    """Installed, trusted, and asked in a process of its own."""
    denied = run_hook("run_command", CommandLine="terraform apply")
    assert_denied(denied, by="terraform", because="saved plan")


def test_a_project_adds_to_what_production_is(agguard_home: Home) -> None:
    """Its file moves the setting in the direction that is declared, and takes nothing away."""
    project = Path(agguard_home.workspace)
    (project / ".terraform").mkdir()
    (project / ".agguard.toml").write_text('[plugins.terraform]\nproduction = ["staging"]\n')
    apply = calls.run("terraform apply plan.bin", str(project))
    for name in ("staging", "prod"):
        (project / ".terraform" / "environment").write_text(name)
        found = agguard_home.call(agguard_home.worker(), apply)
        assert_asked(found, by="terraform", because=f"production workspace '{name}'")
