"""What MCP tools do, by their names, and which tools the host knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.model.call import ToolCall
from agguard.model.effect import Effect
from agguard.model.session import Session
from agguard_builtin.delegation import mcp, schemas
from agguard_builtin.delegation.classify import classify

SEED = """write edit create update delete remove push move fork insert modify set put patch deploy
add transition fill merge submit approve publish archive send commit upload"""

WRITES = [
    "jira_create_issue",
    "createIssue",
    "issue.create",
    "issue-delete",
    "CREATE_ISSUE",
    "createIssue2",
    "transitionIssue",
    "find_or_create_user",
    "get_and_delete",
    "issue.list.delete",
    "HTTPPost",
    *SEED.split(),
]

READS = [
    "get_settings",
    "list_added",
    "address_lookup",
    "budget_get",
    "getJiraIssue",
    "list_merge_requests",
    "get_commit",
    "search_code",
    "read_file",
    "listFiles",
    "describe-stack",
]

UNKNOWN = [
    "",
    "settings",
    "added",
    "asset",
    "resetting",
    "doit",
    "日本",
    "123",
    "sequentialthinking",
]


@pytest.mark.parametrize("name", WRITES)
def test_a_name_with_a_writing_verb_writes(name: str) -> None:
    """Wherever the verb stands in the name's words."""
    assert mcp.effect("server", name) == Effect.WRITE


@pytest.mark.parametrize("name", READS)
def test_a_name_that_reads_is_no_write(name: str) -> None:
    """Words that only look like a writing verb do not count."""
    assert mcp.effect("server", name) == Effect.READ


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_name_without_a_verb_is_unknown(name: str) -> None:
    """Nobody can tell."""
    assert mcp.effect("server", name) == Effect.UNKNOWN


def test_the_servers_name_is_no_verb() -> None:
    """`deploy_get_status` of the server `deploy` reads."""
    assert mcp.effect("deploy", "deploy_get_status") == Effect.READ


@given(st.text(), st.text())
def test_no_name_raises(server: str, tool: str) -> None:
    """Any text has an effect."""
    assert mcp.effect(server, tool) in (Effect.READ, Effect.WRITE, Effect.UNKNOWN)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    brain = tmp_path / "antigravity" / "brain" / "c1"
    own = brain / "mcp" / "jira"
    shared = tmp_path / "antigravity" / "mcp" / "git_lab"
    for folder, names in ((own, ["get_issue", "create_issue"]), (shared, ["list_projects"])):
        folder.mkdir(parents=True)
        for name in names:
            text = json.dumps({"name": name, "description": "", "parameters": {}})
            (folder / f"{name}.json").write_text(text, encoding="utf-8")
    renamed = json.dumps({"name": "issue.get", "parameters": {}})
    (own / "issue_get.json").write_text(renamed, encoding="utf-8")
    (own / "broken.json").write_text("{", encoding="utf-8")
    return Session("c1", artifact_dir=str(brain), cache_dir=str(tmp_path / "cache"))


def call(server: str, tool: str) -> ToolCall:
    return ToolCall("call_mcp_tool", {"ServerName": server, "ToolName": tool, "Arguments": {}})


@pytest.mark.parametrize(
    ("server", "tool", "expected"),
    [
        ("jira", "get_issue", Effect.READ),
        ("jira", "create_issue", Effect.WRITE),
        ("jira", "issue.get", Effect.READ),
        ("git_lab", "list_projects", Effect.READ),
        ("jira", "get_secrets", Effect.READ | Effect.UNKNOWN),
        ("other", "get_issue", Effect.READ | Effect.UNKNOWN),
        ("../jira", "get_issue", Effect.READ | Effect.UNKNOWN),
        ("jira", "../jira/get_issue", Effect.READ | Effect.UNKNOWN),
        ("", "", Effect.UNKNOWN),
    ],
)
def test_only_a_tool_that_the_host_knows_reads(
    session: Session, server: str, tool: str, expected: Effect
) -> None:
    """An unknown tool is unknown, whatever its name promises."""
    assert classify(call(server, tool), session) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mcp_jira_get_issue", Effect.READ),
        ("mcp_git_lab_list_projects", Effect.READ),
        ("mcp_jira_get_secrets", Effect.READ | Effect.UNKNOWN),
        ("mcp_nobody_get", Effect.UNKNOWN),
    ],
)
def test_an_eager_tool_is_found_by_its_servers_name(
    session: Session, name: str, expected: Effect
) -> None:
    """Underscores may stand in both parts of the name."""
    assert classify(ToolCall(name), session) == expected


def test_the_configuration_says_what_names_do_not(session: Session) -> None:
    """`[mcp] read` and `write` name pairs; writing wins."""
    settings = {"mcp": {"read": ["think/*", "jira/*"], "write": ["jira/get_issue"]}}
    configured = session.replace(settings=settings)
    assert classify(call("think", "sequentialthinking"), configured) == Effect.READ
    assert classify(call("jira", "get_issue"), configured) == Effect.WRITE


def test_a_folder_is_read_once_while_it_does_not_change(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The listing is remembered by the folder's time of change."""
    assert schemas.is_known("jira", "issue.get", session)
    reads: list[str] = []
    monkeypatch.setattr(schemas, "_read", lambda folder: reads.append(folder) or [])
    assert schemas.is_known("jira", "issue.get", session)
    assert reads == []


@pytest.mark.parametrize("folder", ["", "brain/c1", "/nowhere/brain/c1"])
def test_without_an_artifact_folder_nothing_is_known(session: Session, folder: str) -> None:
    """A relative or missing folder knows no tool."""
    assert not schemas.is_known("jira", "get_issue", session.replace(artifact_dir=folder))
