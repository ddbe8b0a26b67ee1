"""The kit's home runs the registered command, and its results read like those of this process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from agguard.model.session import Role
from agguard.testing import (
    Home,
    assert_continued,
    assert_denied,
    assert_injected_once,
    assert_left_alone,
    assert_within_deadline,
    calls,
)
from fakes.distribution import Packages

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the command is run with sh here")

GUARD = """
@hookimpl
def judge_tool(call):
    if "forbidden" in call.text("CommandLine"):
        return Verdict.deny("forbidden things are forbidden")
    if "crash" in call.text("CommandLine"):
        raise RuntimeError("boom")

@hookimpl
def judge_stop(stop):
    return StopVerdict.go_on("say more") if stop.last_message == "I am done." else None
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    packages = Packages(tmp_path / "site")
    packages.add("sample", GUARD)
    return Home(str(tmp_path / "home"), path=[str(packages.site)])


def test_a_third_party_decides_through_the_real_command(home: Home) -> None:
    """The reason names it, a fault of its is shown, and what it leaves alone passes."""
    worker = home.worker()

    denied = home.call(worker, calls.run("echo forbidden", home.workspace))
    assert_denied(denied, by="sample", because="forbidden things")
    assert_within_deadline(denied)
    assert_left_alone(home.call(worker, calls.run("echo hello", home.workspace)), by="sample")
    crashed = home.call(worker, calls.run("echo crash", home.workspace))
    assert [fault.kind for fault in crashed.faults_of("sample")] == ["exception"]


@pytest.mark.parametrize("role", list(Role))
def test_every_role_is_what_it_says(home: Home, role: Role) -> None:
    """The ledger gives the agent of each fixture its role."""
    who = home.agent(role)
    home.call(who, calls.view("/w/app.py"))
    assert home.entries(who.name)[0].role == str(role)


def test_spawns_and_stops_are_read_as_well(home: Home) -> None:
    """A subagent's prompt is augmented once; a stop is sent back and passes."""
    asked = home.call(home.primary(), calls.spawn("Run the tests."))
    assert_injected_once(asked, "[AGGUARD_TOKEN:")

    primary = home.primary()
    home.call(primary, calls.view(f"{home.workspace}/app.py"))
    assert_continued(home.stop(primary, "I am done."), by="sample", because="say more")
    assert_left_alone(home.stop(primary, "I am done with it."), by="sample")
