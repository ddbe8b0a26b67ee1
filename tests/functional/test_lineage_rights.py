"""Roles, depth, tiers and scope come from the configuration, through the registered command."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from fakes.family import COORDINATOR, Bound, bound, coordinator, spawn, worker

if TYPE_CHECKING:
    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded


def started(guarded: Guarded, parent: Conversation, **entry: str) -> Conversation:
    """Have an agent start one subagent that has fired its first hook."""
    (prompt,) = spawn(guarded, parent, {"Prompt": "p", **entry})
    found = guarded.child(parent, prompt)
    parent.spawned(found)
    guarded.view(found)
    return found


class TestDepth:
    @pytest.mark.parametrize("levels", [1, 2, 3, 4])
    def test_is_what_the_configuration_says(self, guarded: Guarded, levels: int) -> None:
        """Every level has one less; the last one starts nobody, and the reason names the depth."""
        guarded.configure(f"[delegation]\nmax_depth = {levels}\n")
        who = guarded.primary()
        for depth in reversed(range(levels)):
            who = started(guarded, who, **COORDINATOR)
            found = bound(guarded, who)
            assert found is not None
            assert (found.role, found.depth) == ("coordinator" if depth else "worker", depth)
        found = guarded.spawn(who, {"Prompt": "p", **COORDINATOR})
        assert found.decision == "deny"
        assert "remaining_depth=0" in found.reason

    def test_zero_leaves_the_primary_alone(self, guarded: Guarded) -> None:
        """It starts nobody, in no spelling; ending and listing are left."""
        guarded.configure("[delegation]\nmax_depth = 0\n")
        who = guarded.primary()
        for tool, args in SPAWNING.items():
            found = guarded.call(who, tool, args)
            assert found.decision == "deny", tool
        assert "max_depth = 0" in guarded.spawn(who, {"Prompt": "p"}).reason
        assert guarded.call(who, "manage_subagents", {"Action": "list"}).decision == "allow"

    def test_that_is_lowered_holds_at_once(self, guarded: Guarded) -> None:
        """A session that began with more gets what the configuration says now."""
        parent = guarded.primary()
        guarded.view(parent)
        guarded.configure("[delegation]\nmax_depth = 1\n")
        child = started(guarded, parent, **COORDINATOR)
        assert bound(guarded, child) == Bound("worker", parent.name, 0, read_only=False)

    def test_that_is_raised_raises_nobody(self, guarded: Guarded) -> None:
        """What was stored never rises; new sessions get more."""
        guarded.configure("[delegation]\nmax_depth = 1\n")
        parent = guarded.primary()
        guarded.view(parent)
        guarded.configure("[delegation]\nmax_depth = 3\n")
        child = started(guarded, parent, **COORDINATOR)
        assert bound(guarded, child) == Bound("worker", parent.name, 0, read_only=False)
        fresh = started(guarded, guarded.primary(), **COORDINATOR)
        found = bound(guarded, fresh)
        assert found is not None
        assert (found.role, found.depth) == ("coordinator", 2)


class TestCoordinators:
    @pytest.mark.parametrize(
        ("entry", "role"),
        [
            ({"TypeName": "DeepCoder"}, "coordinator"),
            ({"TypeName": "DeepInvestigator", "Role": "x"}, "coordinator"),
            ({"Role": "DeepCoder"}, "coordinator"),
            ({"Role": "executor"}, "worker"),
            ({"Role": "deepcoder"}, "worker"),
            ({"TypeName": "DeepCoder2"}, "worker"),
        ],
        ids=str,
    )
    def test_are_two_type_names_by_default(
        self, shared: Guarded, entry: dict[str, str], role: str
    ) -> None:
        """`DeepCoder` and `DeepInvestigator`, as TypeName or as Role."""
        found = bound(shared, started(shared, shared.primary(), **entry))
        assert found is not None
        assert found.role == role

    def test_are_configured_by_patterns(self, guarded: Guarded) -> None:
        """Of the TypeName or the Role; the defaults are replaced."""
        guarded.configure("[delegation]\ncoordinators = ['lead-*', 'self']\n")
        parent = guarded.primary()
        names = {"lead-tests": "coordinator", "leader": "worker", "DeepCoder": "worker"}
        for name, role in names.items():
            found = bound(guarded, started(guarded, parent, TypeName="custom", Role=name))
            assert found is not None
            assert found.role == role, name
        found = bound(guarded, started(guarded, parent, TypeName="self", Role="any"))
        assert found is not None
        assert found.role == "coordinator"


SPAWNING: dict[str, dict[str, Any]] = {
    "invoke_subagent": {"Subagents": [{"TypeName": "self", "Role": "r", "Prompt": "p"}]},
    "define_subagent": {"name": "n", "description": "d", "system_prompt": "s"},
    "schedule": {"Prompt": "p", "DurationSeconds": 5},
    "run_workflow": {"Script": "await agent('p', {'type': 'string'})"},
    "browser_subagent": {"Task": "t", "TaskName": "n"},
}
"""Every tool that starts agents (contract, section 4)."""

SPELLINGS: list[tuple[str, dict[str, Any]]] = [
    *SPAWNING.items(),
    ("default_api:invoke_subagent", SPAWNING["invoke_subagent"]),
    ("invoke_subagent", {"TypeName": "self", "Role": "r", "Prompt": "p"}),
    ("invoke_subagent", {"Subagents": json.dumps(SPAWNING["invoke_subagent"]["Subagents"])}),
    ("invoke_subagent", {"Subagents": "no list"}),
    ("invoke_subagent", {"Subagents": []}),
    ("invoke_subagent", {}),
    ("invoke_subagent", {"Subagents": [{"TypeName": "DeepCoder", "Prompt": "p", "Count": 3}]}),
    ("run_workflow", {"ScriptPath": "/w/flow.py"}),
    ("manage_subagents", {"Action": "kill_all"}),
]


@pytest.mark.parametrize(("tool", "args"), SPELLINGS, ids=str)
def test_a_workers_spawning_is_denied_in_any_spelling(
    shared: Guarded, tool: str, args: dict[str, Any]
) -> None:
    """And the reason says at which depth."""
    child = worker(shared, shared.primary())
    found = shared.call(child, tool, args)
    assert found.decision == "deny"
    assert "remaining_depth=0" in found.reason
    assert tool.removeprefix("default_api:") in found.reason


@pytest.mark.parametrize(
    "command",
    [
        "agy -p 'do it'",
        "gemini -p x",
        "claude -p x",
        "codex exec x",
        "/usr/local/bin/agy -p x",
        "cd sub && env A=1 agy -p x",
        "echo x | agy",
        "nohup agy -p x &",
        "sh -c 'agy -p x'",
        'bash -c "exec claude -p x"',
        "timeout 60 agy -p x",
        "~/.local/bin/claude -p x",
        "$HOME/.npm-global/bin/codex exec x",
        "./node_modules/.bin/gemini -p x",
        "npx -y @google/gemini-cli -p x",
    ],
)
def test_an_agent_cli_in_a_workers_shell_is_spawning(shared: Guarded, command: str) -> None:
    """Whatever starts agents delegates."""
    found = shared.run(worker(shared, shared.primary()), command)
    assert found.decision == "deny"
    assert "remaining_depth=0" in found.reason


@pytest.mark.parametrize(
    "command",
    ["make", "git status", "ls agy", "grep claude README.md", "./build.sh claude", "npx tsc codex"],
)
def test_a_workers_other_commands_are_left_alone(shared: Guarded, command: str) -> None:
    """A name among the arguments starts nobody."""
    assert shared.run(worker(shared, shared.primary()), command).decision == "allow"


@pytest.mark.parametrize("tool", ["invoke_subagent", "define_subagent", "schedule"])
def test_a_coordinator_is_left_alone_when_it_delegates(shared: Guarded, tool: str) -> None:
    """It has a level left."""
    assert shared.call(coordinator(shared), tool, SPAWNING[tool]).decision == "allow"


class TestTiers:
    WRITING = (
        ("write_to_file", {"TargetFile": "{}/a.py", "CodeContent": "x"}),
        ("replace_file_content", {"TargetFile": "{}/a.py"}),
        ("multi_replace_file_content", {"TargetFile": "{}/a.py"}),
        ("sed_file", {"target_file": "{}/a.py", "expressions": ["s/a/b/"]}),
        ("notebook_edit", {"NotebookPath": "{}/a.ipynb"}),
        ("notebook_execute", {"NotebookPath": "{}/a.ipynb"}),
        ("run_command", {"CommandLine": "make", "Cwd": "{}"}),
        ("call_mcp_tool", {"ServerName": "s", "ToolName": "set", "Arguments": {}}),
        ("a_tool_of_tomorrow", {}),
    )
    READING = (
        ("view_file", {"AbsolutePath": "{}/a.py"}),
        ("grep_search", {"SearchPath": "{}", "Query": "x"}),
        ("search_web", {"query": "x"}),
        ("send_message", {"Recipient": "c", "Message": "found it"}),
    )

    def use(self, guarded: Guarded, who: Conversation, tool: str, args: dict[str, Any]) -> str:
        filled = {
            key: value.format(guarded.workspace) if isinstance(value, str) else value
            for key, value in args.items()
        }
        return guarded.call(who, tool, filled).decision

    @pytest.mark.parametrize("model", ["flash_lite", "Flash-Lite", " flash_lite "])
    def test_the_lightest_one_only_reads(self, shared: Guarded, model: str) -> None:
        """A spawn with `Model: flash_lite` gives a child whose writing calls are denied."""
        child = started(shared, shared.primary(), Model=model)
        assert {self.use(shared, child, *call) for call in self.WRITING} == {"deny"}
        assert {self.use(shared, child, *call) for call in self.READING} == {"allow"}

    @pytest.mark.parametrize("model", ["flash", "pro", "inherit", ""])
    def test_the_others_write(self, shared: Guarded, model: str) -> None:
        """By the shipped table."""
        child = started(shared, shared.primary(), Model=model)
        assert shared.write(child, f"{shared.workspace}/a.py").decision == "allow"
        assert shared.run(child, "make").decision == "allow"

    def test_the_table_is_configurable(self, guarded: Guarded) -> None:
        """`[tiers.<name>] access`."""
        guarded.configure(
            "[tiers.flash]\naccess = 'read-only'\n[tiers.flash_lite]\naccess='full'\n"
        )
        parent = guarded.primary()
        light, flash = (started(guarded, parent, Model=m) for m in ("flash_lite", "flash"))
        assert guarded.run(light, "make").decision == "allow"
        assert guarded.run(flash, "make").decision == "deny"

    def test_a_reading_coordinators_children_read(self, shared: Guarded) -> None:
        """The tier never rises on the way down."""
        leader = started(shared, shared.primary(), Model="flash_lite", **COORDINATOR)
        child = started(shared, leader, Model="pro")
        assert bound(shared, child) == Bound("worker", leader.name, 0, read_only=True)
        assert "read-only" in shared.run(child, "make").reason


class TestScope:
    INSIDE = ("a.py", "new/deep/a.py", "../project/a.py", "link in/a.py")
    OUTSIDE = ("../a.py", "../project-2/a.py", "link out/a.py", "link out", "a/../../a.py")

    @pytest.fixture
    def confined(self, guarded: Guarded) -> Guarded:
        guarded.configure("[delegation]\nworker_scope = 'workspace'\n")
        os.makedirs(os.path.join(guarded.workspace, "sub"))
        os.makedirs(os.path.join(guarded.home, "elsewhere"))
        for name, target in {"in": "sub", "out": "../elsewhere"}.items():
            os.symlink(target, os.path.join(guarded.workspace, f"link {name}"))
        return guarded

    @pytest.mark.parametrize("spelling", ["{}", "file://{}"])
    def test_a_confined_worker_writes_in_the_workspace(
        self, confined: Guarded, spelling: str
    ) -> None:
        """By the real path, whatever the spelling."""
        child = worker(confined, confined.primary())
        for name in self.INSIDE:
            target = spelling.format(os.path.join(confined.workspace, name))
            assert confined.write(child, target).decision == "allow", name

    @pytest.mark.parametrize("spelling", ["{}", "file://{}"])
    def test_a_confined_worker_writes_nowhere_else(self, confined: Guarded, spelling: str) -> None:
        """Not through a link or `..`, not beside it; the reason says where it may."""
        child = worker(confined, confined.primary())
        for name in self.OUTSIDE:
            target = spelling.format(os.path.join(confined.workspace, name))
            found = confined.write(child, target)
            assert found.decision == "deny", name
            assert confined.workspace in found.reason
            assert "worker_scope" in found.reason

    @pytest.mark.parametrize(
        ("tool", "key"),
        [
            ("replace_file_content", "TargetFile"),
            ("multi_replace_file_content", "TargetFile"),
            ("sed_file", "target_file"),
            ("edit_notebook", "NotebookPath"),
        ],
    )
    def test_every_file_tool_is_confined(self, confined: Guarded, tool: str, key: str) -> None:
        """And a relative path, which leads nowhere that is known, is outside."""
        child = worker(confined, confined.primary())
        inside, outside = f"{confined.workspace}/a.py", f"{confined.home}/a.py"
        assert confined.call(child, tool, {key: inside}).decision == "allow"
        assert confined.call(child, tool, {key: outside}).decision == "deny"
        assert confined.call(child, tool, {key: "a.py"}).decision == "deny"

    def test_a_coordinator_is_confined_as_well(self, confined: Guarded) -> None:
        """It is a subagent like its workers."""
        leader = coordinator(confined)
        assert confined.write(leader, f"{confined.home}/a.py").decision == "deny"
        assert confined.write(leader, f"{confined.workspace}/a.py").decision == "allow"

    def test_without_a_workspace_nothing_is_inside(self, confined: Guarded) -> None:
        """`agy -p` sends no workspacePaths; the own artifacts are left."""
        child = worker(confined, confined.primary())
        args = {"TargetFile": f"{confined.workspace}/a.py", "CodeContent": "x"}
        payload = {**child.calls("write_to_file", args), "workspacePaths": []}
        found = confined.fire("PreToolUse", payload)
        assert found.decision == "deny"
        assert "no workspace" in found.reason
        assert confined.write(child, f"{child.folder}/report.md").decision == "allow"

    def test_reading_and_commands_are_not_confined(self, confined: Guarded) -> None:
        """A command does not say with certainty what it writes."""
        child = worker(confined, confined.primary())
        assert confined.view(child).decision == "allow"
        assert confined.call(child, "view_file", {"AbsolutePath": "/etc/hosts"}).decision == "allow"
        assert confined.run(child, "make").decision == "allow"

    def test_by_default_a_worker_writes_anywhere(self, shared: Guarded) -> None:
        """But for what is protected."""
        child = worker(shared, shared.primary())
        assert shared.write(child, f"{shared.home}/a.py").decision == "allow"


class TestTheModelsName:
    def asks(self, guarded: Guarded, who: Conversation, model: str) -> tuple[str, str]:
        """Return what is said about running a command and about spawning."""
        args = {"CommandLine": "make"}
        run = {**who.calls("run_command", args), "modelName": model}
        start = {**who.calls("invoke_subagent", SPAWNING["invoke_subagent"]), "modelName": model}
        return (
            guarded.fire("PreToolUse", run).decision,
            guarded.fire("PreToolUse", start).decision,
        )

    def test_says_nothing_by_default(self, shared: Guarded) -> None:
        """A primary on a flash model is a primary."""
        assert self.asks(shared, shared.primary(), "gemini-3.7-flash-high") == ("deny", "allow")

    def test_makes_a_subagent_where_it_is_configured(self, guarded: Guarded) -> None:
        """`[delegation] flash_is_subagent` restores the first rule; others are not touched."""
        guarded.configure("[delegation]\nflash_is_subagent = true\n")
        flash, pro = "gemini-3.7-flash-high", "gemini-3.7-pro"
        assert self.asks(guarded, guarded.primary(), flash) == ("allow", "deny")
        assert self.asks(guarded, guarded.primary(), pro) == ("deny", "allow")
        leader = coordinator(guarded)
        assert self.asks(guarded, leader, flash) == ("allow", "allow")
        reader = started(guarded, guarded.primary(), Model="flash_lite")
        assert self.asks(guarded, reader, flash) == ("deny", "deny")
