"""The shipped guards, tested as a third party tests its own: tables, fixtures and the property.

The tables stand in tests/data/guards, one for each guard: what it acts on, and what it leaves.
"""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agguard.model.call import Invocation, Stop
from agguard.model.effect import Effect
from agguard.model.session import Role
from agguard.testing import (
    Guards,
    assert_asked,
    assert_continued,
    assert_denied,
    assert_injected_once,
    assert_left_alone,
    assert_no_faults,
    assert_rewritten,
    assert_within_deadline,
    calls,
    check_cases,
    check_never_fails,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.model.session import Session
    from agguard.testing import Home, Result

TABLES = Path(__file__).parents[1] / "data" / "guards"
PARTS = {
    "attention": ("attention", "recovery"),
    "delegation": ("delegation", "tools"),
    "escalation": ("escalation", "halt"),
    "handoff": ("handoff", "reports", "handed_in"),
    "injection": ("injection",),
    "protection": ("protection",),
    "rtk": ("rtk",),
}
"""The functions of each guard, which is how reasons name it."""

SUMMARY = "Summary of skills used: delegation. Verified: the tests pass."
REPORT = {"status": "completed", "summary": "x", "files_modified": [], "verify_cmd": "ls"}

needs_sh = pytest.mark.skipif(os.name == "nt", reason="the program rtk is a script here")


@pytest.fixture
def rtk(tmp_path: Path) -> str:
    """A program that says that it is rtk 1.1.0."""
    program = tmp_path / "bin" / "rtk"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'rtk 1.1.0'\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize("guard", [name for name in PARTS if name != "rtk"])
def test_a_guard_does_what_its_table_says(guard: str) -> None:
    """Every row of both halves."""
    assert check_cases(str(TABLES / f"{guard}.toml")) >= 20


@needs_sh
def test_rtk_does_what_its_table_says(rtk: str) -> None:
    """With an rtk that is there; without one every row of it is left alone."""
    table = str(TABLES / "rtk.toml")
    assert check_cases(table, Guards(config=f"rtk.path = '{rtk}'")) >= 20
    with pytest.raises(AssertionError, match="11 of 24 cases failed"):
        check_cases(table, Guards(config="rtk.path = '/nowhere/rtk'"))


def test_every_shipped_guard_has_a_table_of_both_halves(guards: Guards) -> None:
    """A new guard needs one, or this fails."""
    assert {path.stem for path in TABLES.glob("*.toml")} == set(PARTS)
    (shipped,) = guards.plugins
    rows = {one.guard.partition(".")[2] for one in guards._rows}
    assert rows == {part for parts in PARTS.values() for part in parts}
    assert shipped.state == "active"
    for guard, parts in PARTS.items():
        table = tomllib.loads((TABLES / f"{guard}.toml").read_text(encoding="utf-8"))
        for half in ("acts", "leaves_alone"):
            assert len(table[half]) >= 10, (guard, half)
            assert all("name" in case or guard == "rtk" for case in table[half])
        named = {case.get("guard", table["guard"]) for case in table["acts"]}
        assert named <= {f"builtin.{part}" for part in parts}


STRICTEST = """
escalation.mode = "enforce"
[delegation]
worker_scope = "workspace"
mode = "read-only"
[attention]
after = 0
remind_every = 1
artifacts = ["walkthrough.md"]
[injection]
project_rules = "always"
"""


@pytest.mark.parametrize("config", ["", STRICTEST, "profile = 'adaptive'"])
@pytest.mark.parametrize("seed", range(3))
def test_no_payload_makes_a_shipped_guard_fail(config: str, seed: int) -> None:
    """Whatever the settings: a fault of a shipped guard would deny."""
    check_never_fails(Guards(config=config), by="builtin", rounds=120, seed=seed)


def test_every_tool_of_the_contract_is_known_to_the_shipped_guards(
    dispatch: Callable[..., Result],
) -> None:
    """None of them is unknown, servers of MCP aside, and nobody runs out of time."""
    for call in calls.every():
        found = dispatch(call, Role.WORKER)
        assert_no_faults(found)
        assert_within_deadline(found)
        foreign = call.name in {"call_mcp_tool", "list_resources", "read_resource"}
        assert foreign or not found.effect & Effect.UNKNOWN, call.name


def test_the_sessions_of_the_kit_are_told_apart(
    guards: Guards, primary: Session, coordinator: Session, worker: Session, unknown: Session
) -> None:
    """One call, four answers; the fixtures are what they say."""
    spawn = calls.spawn("Run the tests.")
    assert_injected_once(guards.dispatch(spawn, session=primary), "[AGGUARD_TOKEN:")
    assert_injected_once(guards.dispatch(spawn, session=coordinator), "[AGGUARD_TOKEN:")
    assert_denied(guards.dispatch(spawn, session=worker), by="builtin.delegation")
    write = calls.write("/workspace/project/app.py")
    assert_denied(guards.dispatch(write, session=unknown), by="builtin.delegation")
    assert_left_alone(guards.dispatch(write, session=worker))


def test_a_stop_is_sent_back_three_times_and_then_let_go(guards: Guards) -> None:
    """The guard still objects; nobody is sent back for ever."""
    stop = Stop(work=Effect.WRITE, last_message="Done.", seconds=600.0)
    for rejections in range(3):
        found = guards.stop(stop.replace(rejections=rejections))
        assert_continued(found, by="builtin.attention")
    assert guards.stop(stop.replace(rejections=3)).decision.word == "allow"


def test_what_a_primary_is_reminded_of_is_said_once(guards: Guards) -> None:
    """The parts of one reminder are one text to the agent."""
    assert_injected_once(guards.remind(Invocation(number=25)), "you are the primary agent")
    assert not guards.remind(Invocation(number=24)).texts


@needs_sh
class TestThroughTheRegisteredCommand:
    """One behavior of each guard in real processes, with the kit's own home."""

    def test_delegation_and_its_open_way(self, agguard_home: Home) -> None:
        """What the reason suggests is then let pass."""
        primary = agguard_home.primary()
        app = os.path.join(agguard_home.workspace, "app.py")
        denied = agguard_home.call(primary, calls.write(app))
        assert_denied(denied, by="builtin.delegation", because="invoke_subagent")
        plan = os.path.join(primary.folder, "plan.md")
        assert_left_alone(agguard_home.call(primary, calls.write(plan)))
        spawned = agguard_home.call(primary, calls.spawn("Edit app.py."))
        assert_injected_once(spawned, "[AGGUARD_TOKEN:")
        assert_injected_once(spawned, "<agguard_rules")

    def test_protection_of_what_is_really_there(
        self, agguard_home: Home, run_hook: Callable[..., Result]
    ) -> None:
        """The paths are this home's own."""
        paths = agguard_home.paths
        for target in (paths.host.hooks, paths.config_file, f"{paths.state}/ledger.db"):
            assert_denied(run_hook("write_to_file", TargetFile=target), by="builtin.protection")
            line = f"rm {os.path.dirname(target)}/{os.path.basename(target)[:3]}*"
            assert_denied(run_hook("run_command", CommandLine=line), by="builtin.protection")
            assert_left_alone(run_hook("view_file", AbsolutePath=target))

    def test_rtk(self, agguard_home: Home, rtk: str) -> None:
        """The rewritten command is the answer's, and the others are left as they are."""
        agguard_home.configure(f"rtk.path = '{rtk}'\n")
        worker = agguard_home.worker()
        where = agguard_home.workspace
        found = agguard_home.call(worker, calls.run("git status", where))
        assert_rewritten(found, "rtk git status", by="builtin.rtk")
        assert_left_alone(agguard_home.call(worker, calls.run("make", where)))

    def test_attention(self, agguard_home: Home) -> None:
        """A turn without an account goes back, and passes with one."""
        agguard_home.configure("attention.after = 0\n")
        primary = agguard_home.primary()
        plan = os.path.join(primary.folder, "plan.md")
        agguard_home.call(primary, calls.write(plan))
        assert_continued(agguard_home.stop(primary, "Done."), by="builtin.attention")
        assert_left_alone(agguard_home.stop(primary, SUMMARY))

    def test_handoff(self, agguard_home: Home) -> None:
        """Prose goes back, and a report that its record bears out ends the task."""
        worker = agguard_home.worker("List the files.")
        agguard_home.call(worker, calls.run("ls", agguard_home.workspace))
        worker.result("RUN_COMMAND", "The command completed with exit code 0.")
        assert_continued(agguard_home.stop(worker, "All is well."), by="builtin.reports")
        assert_left_alone(agguard_home.stop(worker, json.dumps(REPORT)))

    def test_escalation(self, agguard_home: Home) -> None:
        """After three failures it may look and report, and change nothing."""
        agguard_home.configure("escalation.mode = 'enforce'\n")
        worker = agguard_home.worker("Build it.")
        where = agguard_home.workspace
        for _ in range(3):
            assert_left_alone(agguard_home.call(worker, calls.run("make", where)))
            worker.result("RUN_COMMAND", "The command exited with code 2.")
        patch = agguard_home.call(worker, calls.write(os.path.join(where, "app.py")))
        assert_denied(patch, by="builtin.escalation", because="halt")
        assert_left_alone(agguard_home.call(worker, calls.view(os.path.join(where, "app.py"))))

    def test_what_is_asked_is_asked(self, agguard_home: Home) -> None:
        """No shipped guard asks; so an assertion that one does has to fail."""
        found = agguard_home.call(agguard_home.primary(), calls.run("ls", agguard_home.workspace))
        with pytest.raises(AssertionError, match="expected ask"):
            assert_asked(found)
