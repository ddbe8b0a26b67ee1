"""Who may do what: tables of calls that are denied, and calls that are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agguard.model.call import ToolCall
from agguard.model.effect import Effect
from agguard.model.session import Role, Session
from agguard.model.verdict import Decision, Verdict
from agguard_builtin.delegation.classify import classify as classify_any
from agguard_builtin.delegation.guard import judge
from agguard_builtin.delegation.tools import BY_ACTION, TOOLS, classify

if TYPE_CHECKING:
    from pathlib import Path

RUN = ("run_command", {"CommandLine": "git status", "Cwd": "/w"})
WRITE = ("write_to_file", {"TargetFile": "/w/app.py", "CodeContent": "x"})
SPAWN = ("invoke_subagent", {"Subagents": [{"Prompt": "p"}]})
READ = ("view_file", {"AbsolutePath": "/w/app.py"})
MCP = ("call_mcp_tool", {"ServerName": "s", "ToolName": "get", "Arguments": {}})

Call = tuple[str, dict[str, object]]


def judged(call: Call, **session: object) -> Verdict | None:
    settings = {"delegation": session.pop("delegation", {})}
    tool = ToolCall(call[0], call[1])
    return judge(tool, classify(tool), Session("c", settings=settings, **session))


def decide(call: Call, **session: object) -> Decision:
    verdict = judged(call, **session)
    return verdict.decision if verdict else Decision.ABSTAIN


DENIED_TO_A_PRIMARY: list[Call] = [
    RUN,
    WRITE,
    MCP,
    ("replace_file_content", {"TargetFile": "/w/app.py"}),
    ("multi_replace_file_content", {"TargetFile": "/w/app.py"}),
    ("sed_file", {"target_file": "/w/app.py", "expressions": ["s/a/b/"]}),
    ("notebook_edit", {"NotebookPath": "/w/a.ipynb"}),
    ("notebook_execute", {"NotebookPath": "/w/a.ipynb"}),
    ("send_command_input", {}),
    ("manage_task", {"Action": "send_input", "TaskId": "t", "Input": "rm -rf ."}),
    ("manage_task", {"Action": "KILL"}),
    ("manage_task", {}),
    ("run_workflow", {"Script": "print()"}),
    ("mcp_jira_get_issue", {}),
    ("a_tool_of_tomorrow", {}),
    ("", {}),
    ("run_command", {}),
    ("run_command", {"command_line": "ls", "exit_code": 0}),
    ("view_file", {}),
    ("view_file", {"AbsolutePath": None}),
    # A tool with an argument of another: it writes no artifact by that.
    ("run_command", {"CommandLine": "rm -rf x", "Cwd": "/w", "TargetFile": "/b/c/a.md"}),
    ("run_command", {"CommandLine": "git status", "Cwd": "/w", "Path": "/b/c/a.md"}),
    ("send_command_input", {"TargetFile": "/b/c/a.md"}),
    ("mcp_fs_write_file", {"TargetFile": "/b/c/a.md", "Path": "/b/c/a.md"}),
    ("call_mcp_tool", {"ServerName": "s", "ToolName": "write", "TargetFile": "/b/c/a.md"}),
    ("a_tool_of_tomorrow", {"TargetFile": "/b/c/a.md"}),
    ("sed_file", {"target_file": "/b/c/a.md", "expressions": ["s/a/b/w /w/app.py"]}),
    ("sed_file", {"target_file": "/b/c/a.md", "expressions": ["1e rm -rf x"]}),
    ("sed_file", {"target_file": "/b/c/a.md", "expressions": "s/a/b/"}),
    # Names of what is made that are paths.
    ("generate_image", {"Prompt": "p", "ImageName": "/w/logo"}),
    ("generate_image", {"Prompt": "p", "ImageName": "../../w/logo"}),
    ("generate_image", {"Prompt": "p", "ImageName": "a", "OutputPath": "/w/logo.png"}),
    ("generate_image", {"Prompt": "p", "imagename": "a"}),
    ("browser_subagent", {"Task": "t", "RecordingName": "/w/film"}),
]

LEFT_ALONE_FOR_A_PRIMARY: list[Call] = [
    READ,
    SPAWN,
    ("list_dir", {"DirectoryPath": "/w"}),
    ("grep_search", {"SearchPath": "/w", "Query": "x"}),
    ("find_by_name", {"SearchDirectory": "/w", "Pattern": "*"}),
    ("search_web", {"query": "x"}),
    ("read_url_content", {"Url": "https://x.example"}),
    ("send_message", {"Recipient": "c", "Message": "m"}),
    ("ask_question", {"questions": [{"question": "?"}]}),
    ("manage_task", {"Action": "status", "TaskId": "t"}),
    ("manage_subagents", {"Action": "list"}),
    ("manage_subagents", {"Action": "kill", "ConversationIds": ["c"]}),
    ("define_subagent", {"name": "n", "system_prompt": "s"}),
    ("generate_image", {"Prompt": "p"}),
    ("generate_image", {"Prompt": "p", "ImageName": "logo_dark", "ImagePaths": ["/w/a.png"]}),
    ("browser_subagent", {"Task": "t", "RecordingName": "film"}),
    ("sed_file", {"target_file": "/b/c/a.md", "expressions": ["s/a/b/g"]}),
    ("schedule", {"Prompt": "p", "DurationSeconds": 300}),
]


@pytest.mark.parametrize("call", DENIED_TO_A_PRIMARY, ids=repr)
@pytest.mark.parametrize("role", [Role.PRIMARY, Role.UNKNOWN])
def test_a_primary_has_no_execution(call: Call, role: Role) -> None:
    """It cannot edit, run, or call what nobody knows; nor can a caller of unknown role."""
    assert decide(call, role=role, artifact_dir="/b/c") == Decision.DENY


@pytest.mark.parametrize("call", LEFT_ALONE_FOR_A_PRIMARY, ids=repr)
def test_a_primary_looks_speaks_and_delegates(call: Call) -> None:
    """Nothing that plans or reads is in its way."""
    assert decide(call, role=Role.PRIMARY, artifact_dir="/b/c") == Decision.ABSTAIN


QUESTIONS = [
    ("agguard explain 'git push'", Decision.ABSTAIN),
    ("agguard explain 'rm -rf x' --role worker --json", Decision.ABSTAIN),
    ("agguard explain x > f", Decision.DENY),
    ("agguard explain x; git status", Decision.DENY),
    ('agguard explain "$(git log)"', Decision.DENY),
    ("A=1 agguard explain x", Decision.DENY),
    ("./agguard explain x", Decision.DENY),
    ("agguard status", Decision.DENY),
]


@pytest.mark.parametrize(("line", "expected"), QUESTIONS)
def test_every_agent_may_ask_what_the_guard_would_say(line: str, expected: Decision) -> None:
    """`agguard explain` runs nothing, so it is open to a primary that has no shell (issue 4)."""
    tool = ToolCall("run_command", {"CommandLine": line, "Cwd": "/w"})
    session = Session("c", Role.PRIMARY, workspaces=("/w",))
    verdict = judge(tool, classify_any(tool, session), session)
    assert (verdict.decision if verdict else Decision.ABSTAIN) == expected


def test_a_read_only_primary_is_told_what_its_command_does_besides() -> None:
    """The reason names the effect, so that the agent can ask for less."""
    session = Session("c", Role.PRIMARY, settings={"delegation": {"mode": "read-only"}})
    verdict = judge(ToolCall("run_command", {"CommandLine": "rm x"}), Effect.WRITE, session)
    assert verdict is not None
    assert "just read; this one: write" in verdict.reason


@pytest.mark.parametrize("call", [RUN, WRITE, MCP, READ, ("a_tool_of_tomorrow", {})], ids=repr)
def test_a_worker_executes(call: Call) -> None:
    """The delegate is not hindered (peers, row 95)."""
    assert decide(call, role=Role.WORKER) == Decision.ABSTAIN


@pytest.mark.parametrize(
    "call",
    [
        SPAWN,
        ("define_subagent", {"name": "n"}),
        ("schedule", {"Prompt": "p"}),
        ("run_workflow", {"Script": "s"}),
        ("browser_subagent", {"Task": "t"}),
        ("manage_subagents", {"Action": "kill_all"}),
    ],
    ids=repr,
)
def test_a_worker_does_not_delegate(call: Call) -> None:
    """Whatever starts or steers agents is denied without a level left, and the depth is named."""
    tool = ToolCall(call[0], call[1])
    verdict = judge(tool, classify(tool), Session("c", role=Role.WORKER))
    assert verdict is not None
    assert verdict.decision == Decision.DENY
    assert "remaining_depth=0" in verdict.reason


def test_a_coordinator_delegates_while_a_level_is_left() -> None:
    """Depth is a number that decreases."""
    assert decide(SPAWN, role=Role.COORDINATOR, remaining_depth=1) == Decision.ABSTAIN
    assert decide(SPAWN, role=Role.COORDINATOR, remaining_depth=0) == Decision.DENY


@pytest.mark.parametrize("call", [RUN, WRITE, MCP, ("a_tool_of_tomorrow", {})], ids=repr)
def test_a_read_only_worker_changes_nothing(call: Call) -> None:
    """Without its token a child may read and report."""
    assert decide(call, role=Role.WORKER, read_only=True) == Decision.DENY
    assert decide(READ, role=Role.WORKER, read_only=True) == Decision.ABSTAIN


def test_a_known_tool_without_its_arguments_is_put_before_the_user() -> None:
    """For a worker, what cannot be read is neither allowed nor forbidden."""
    assert decide(("run_command", {"command_line": "ls"}), role=Role.WORKER) == Decision.ASK


@pytest.mark.parametrize(
    ("mode", "call", "expected"),
    [
        ("strict", RUN, Decision.DENY),
        ("read-only", RUN, Decision.DENY),
        ("advise", RUN, Decision.ALLOW),
        ("off", RUN, Decision.ABSTAIN),
        ("off", WRITE, Decision.ABSTAIN),
    ],
)
def test_the_mode_decides_how_strict_it_is(mode: str, call: Call, expected: Decision) -> None:
    """`[delegation] mode` goes from strict to off."""
    assert decide(call, role=Role.PRIMARY, delegation={"mode": mode}) == expected


@pytest.mark.parametrize(
    ("role", "call"),
    [(Role.PRIMARY, RUN), (Role.PRIMARY, WRITE), (Role.UNKNOWN, RUN), (Role.WORKER, SPAWN)],
)
def test_what_is_only_observed_is_not_enforced(role: Role, call: Call) -> None:
    """`[delegation] observe` has no opinion and keeps what it would have been."""
    assert decide(call, role=role) == Decision.DENY
    found = judged(call, role=role, delegation={"observe": True})
    assert found is not None
    assert found.decision == Decision.ABSTAIN
    assert found.reason.startswith("only observed, would be deny: agguard: ")


def test_an_unknown_caller_is_judged_as_configured() -> None:
    """`[delegation] unknown_role = worker` lets it execute and not delegate."""
    settings = {"unknown_role": "worker"}
    assert decide(RUN, role=Role.UNKNOWN, delegation=settings) == Decision.ABSTAIN
    assert decide(SPAWN, role=Role.UNKNOWN, delegation=settings) == Decision.DENY


def test_the_operators_message_stands_in_the_reason() -> None:
    """`[delegation] message` is added to every denial of a primary."""
    settings = {"delegation": {"message": "See docs/agents.md."}}
    verdict = judge(ToolCall(*RUN), Effect.EXECUTE, Session("c", Role.PRIMARY, settings=settings))
    assert isinstance(verdict, Verdict)
    assert verdict.reason.endswith("See docs/agents.md.")


def test_a_read_only_shell_runs_what_certainly_reads() -> None:
    """In `read-only` mode a command that was classified as READ passes; in `strict` none does."""
    call = ToolCall(*RUN)
    for mode, expected in (("read-only", None), ("strict", Decision.DENY)):
        session = Session("c", Role.PRIMARY, settings={"delegation": {"mode": mode}})
        verdict = judge(call, Effect.READ, session)
        assert (verdict and verdict.decision) == expected


def test_every_tool_of_the_table_has_an_effect() -> None:
    """No entry is empty, and none claims to be unknown."""
    flags = [effect for effect, _ in TOOLS.values()]
    flags += [effect for actions in BY_ACTION.values() for effect in actions.values()]
    assert all(flags)
    assert not any(effect & Effect.UNKNOWN for effect in flags)


@pytest.fixture
def brain(tmp_path: Path) -> Path:
    folder = tmp_path / "brain" / "c1"
    for name in (".system_generated/logs", "mcp/s", ".git", "notes", ".hidden"):
        (folder / name).mkdir(parents=True)
    (tmp_path / "project").mkdir()
    (folder / "out").symlink_to(tmp_path / "project")
    (folder / "log.md").symlink_to(folder / ".system_generated" / "logs" / "transcript.jsonl")
    return folder


OWN = ["plan.md", "notes/a.md", "new/deep/x.md", "../c1/plan.md", "Mcp.md", "notes/mcp/x.md"]
NOT_OWN = [
    ".system_generated/logs/transcript.jsonl",
    ".SYSTEM_GENERATED/x",
    "mcp/s/tool.json",
    "MCP/x",
    ".git/config",
    ".hidden/x",
    ".envrc",
    "notes/.envrc",
    "out/app.py",
    "log.md",
    "../../project/app.py",
    "../c1-evil/plan.md",
    "../c2/plan.md",
    "",
]


@pytest.mark.parametrize("name", OWN)
def test_a_primary_writes_its_artifacts(brain: Path, name: str) -> None:
    """Files inside the artifact directory, by their real path."""
    call = ("write_to_file", {"TargetFile": str(brain / name)})
    assert decide(call, role=Role.PRIMARY, artifact_dir=str(brain)) == Decision.ABSTAIN


@pytest.mark.parametrize("name", NOT_OWN)
def test_a_primary_writes_nothing_else(brain: Path, name: str) -> None:
    """Not the engine's records, not dot folders, not through a link, not a neighbor's folder."""
    call = ("write_to_file", {"TargetFile": f"{brain}/{name}"})
    assert decide(call, role=Role.PRIMARY, artifact_dir=str(brain)) == Decision.DENY


@pytest.mark.parametrize("spelling", ["file://{}", "FILE://{}", "{}", "{}/../c1", "{}/notes/../"])
def test_a_file_uri_is_resolved(brain: Path, spelling: str) -> None:
    """Both fields may be URIs."""
    target = spelling.format(brain) + "/plan.md"
    call = ("write_to_file", {"TargetFile": target})
    assert decide(call, role=Role.PRIMARY, artifact_dir=f"file://{brain}") == Decision.ABSTAIN


@pytest.mark.parametrize(
    "spelling",
    [
        "file://localhost{}/plan.md",  # the engine writes below /localhost
        "file:{}/plan.md",
        "C:{}/plan.md",
        "{}/x\\..\\..\\..\\project\\app.py",
        "{}\\..\\..\\project\\app.py",
        "file://{}/%5C..%5C..%5C..%5Cproject%5Capp.py",
        "file://{}/%2e%2e/%2e%2e/project/app.py",
        "{}/out/../plan.md",
        "{}/../C1/plan.md",  # another folder, where letter case counts
    ],
)
def test_a_path_that_hosts_read_otherwise_is_nobodys(brain: Path, spelling: str) -> None:
    """Every reading has to lie inside: the engine takes a backslash for a slash, and more."""
    call = ("write_to_file", {"TargetFile": spelling.format(brain)})
    assert decide(call, role=Role.PRIMARY, artifact_dir=str(brain)) == Decision.DENY


@pytest.mark.parametrize(
    "other",
    ["targetfile", "TARGETFILE", "targetFile", "target_file", "Target_File", "AbsolutePath"],
)
@pytest.mark.parametrize("tool", ["write_to_file", "replace_file_content", "sed_file"])
def test_a_second_file_in_the_arguments_is_looked_at(brain: Path, tool: str, other: str) -> None:
    """The engine does not mind the letter case of arguments, and takes the last."""
    own, code = str(brain / "plan.md"), str(brain.parent / "project" / "app.py")
    for args in (
        {"TargetFile": own, "target_file": own, other: code},
        {other: code, "TargetFile": own},
    ):
        call: Call = (tool, dict(args))
        assert decide(call, role=Role.PRIMARY, artifact_dir=str(brain)) == Decision.DENY


@pytest.mark.parametrize(
    "call",
    [
        ("invoke_subagent", {"Subagents": [{"Prompt": "p"}], "subagents": [{"Prompt": "q"}]}),
        ("invoke_subagent", {"SUBAGENTS": [{"Prompt": "p"}]}),
        ("invoke_subagent", {"Subagents": [{"Prompt": "p", "prompt": "q"}]}),
        ("invoke_subagent", {"Subagents": '[{"Prompt": "p", "PROMPT": "q"}]'}),
        ("invoke_subagent", {"Subagents": "[{"}),
        ("invoke_subagent", {"Subagents": {"Prompt": "p"}}),
        ("invoke_subagent", {"Subagents": '{"Prompt": "p"}'}),
        ("invoke_subagent", {"Subagents": [{"Prompt": "p"}, "q"]}),
        ("invoke_subagent", {"Subagents": ['{"Prompt": "p"}']}),
        ("invoke_subagent", {"Subagents": 7}),
        ("invoke_subagent", {"Subagents": [{"Prompt": ["p"]}]}),
        ("invoke_subagent", {"Prompt": 5}),
        ("invoke_subagent", {"Prompt": "p", "Model": ["flash_lite"]}),
        ("define_subagent", {"name": "n", "System_Prompt": "s"}),
        ("define_subagent", {"name": "n", "system_prompt": {}}),
        ("define_subagent", {"NAME": "n"}),
        ("define_subagent", {}),
        ("schedule", {"prompt": "p"}),
        ("run_workflow", {"Script": "s", "ScriptPath": "/w", "scriptpath": "/x"}),
    ],
    ids=repr,
)
def test_an_odd_spelling_does_not_take_away_what_a_call_is_for(call: Call) -> None:
    """It is unknown besides; it does not stop being delegation, which a worker may not do."""
    effect = classify(ToolCall(*call))
    assert effect & Effect.DELEGATE
    assert effect & Effect.UNKNOWN
    assert decide(call, role=Role.WORKER) == Decision.DENY
    assert decide(call, role=Role.PRIMARY) == Decision.DENY


def test_a_call_that_cannot_be_read_is_denied_with_what_is_wrong(brain: Path) -> None:
    """A primary is told to spawn, so it has to hear why this spawn did not do."""
    session = Session("c", Role.PRIMARY, artifact_dir=str(brain))
    call = ToolCall("invoke_subagent", {"Subagents": "[{"})
    found = judge(call, classify(call), session)
    assert found is not None
    assert "arguments that nobody can read" in found.reason


@pytest.mark.parametrize("folder", ["", ".", "brain/c1", "file://other{}"])
def test_an_artifact_directory_that_is_none_allows_nothing(
    brain: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`realpath("")` is the hook's own folder; protojson sends "" for what is unset."""
    monkeypatch.chdir(brain)
    call = ("write_to_file", {"TargetFile": str(brain / "plan.md")})
    wanted = folder.format(brain)
    assert decide(call, role=Role.PRIMARY, artifact_dir=wanted) == Decision.DENY


def test_a_home_is_expanded(brain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` is the user's home, as the host resolves it."""
    monkeypatch.setenv("HOME", str(brain.parent))
    call = ("write_to_file", {"TargetFile": "~/c1/plan.md"})
    assert decide(call, role=Role.PRIMARY, artifact_dir=str(brain)) == Decision.ABSTAIN
