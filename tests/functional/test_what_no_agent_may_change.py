"""File tools of every role leave the guard, the host's hooks and the host's records alone.

The tables hold spellings: of agguard's own files, of every hooks.json, of the engine's records; by
name, through links, in other letter case, as URIs. The other half is what looks alike and is not.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fakes.guarded import Guarded
from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agguard.doctor.stage import Conversation

ROLES = ["primary", "coordinator", "worker", "read-only", "unknown"]

WRITERS: dict[str, str] = {
    "write_to_file": "TargetFile",
    "replace_file_content": "TargetFile",
    "multi_replace_file_content": "TargetFile",
    "sed_file": "target_file",
    "edit_notebook": "NotebookPath",
    "notebook_edit": "NotebookPath",
}
"""Tools that change a file, and the argument that names it."""

PROTECTED: dict[str, str] = {
    "the user's hooks": "{home}/.gemini/config/hooks.json",
    "the launcher": "{home}/.gemini/config/agguard-hook",
    "the launcher for Windows": "{home}/.gemini/config/agguard-hook.cmd",
    "the plugin's manifest": "{home}/.gemini/config/plugins/agguard/plugin.json",
    "the plugin's rules": "{home}/.gemini/config/plugins/agguard/rules/AGENTS.md",
    "the plugin's hooks": "{home}/.gemini/config/plugins/agguard/hooks.json",
    "another plugin's hooks": "{home}/.gemini/config/plugins/other/hooks.json",
    "the configuration": "{home}/.config/agguard/config.toml",
    "a new file beside it": "{home}/.config/agguard/new/deep.toml",
    "the configuration's folder": "{home}/.config/agguard",
    "the ledger": "{home}/.local/state/agguard/ledger.db",
    "the ledger's log": "{home}/.local/state/agguard/ledger.db-wal",
    "the manifest": "{home}/.local/state/agguard/manifest.json",
    "the folders": "{home}/.local/state/agguard/paths.json",
    "the installer's record": "{home}/.local/state/agguard/install/record.json",
    "the cache": "{home}/.cache/agguard/rtk.json",
    "a workspace's hooks": "{workspace}/.agents/hooks.json",
    "a workspace's launcher": "{workspace}/.agents/agguard-hook",
    "a workspace's launcher for Windows": "{workspace}/.agents/agguard-hook.cmd",
    "a launcher on its way": "{workspace}/bin/agguard-hook",
    "a workspace's hooks, old": "{workspace}/.agent/hooks.json",
    "a workspace's hooks, older": "{workspace}/_agents/hooks.json",
    "a workspace's hooks, oldest": "{workspace}/_agent/hooks.json",
    "a workspace plugin's hooks": "{workspace}/.agents/plugins/p/hooks.json",
    "hooks further up": "{workspace}/../.agents/hooks.json",
    "the CLI's hooks": "{home}/.gemini/antigravity-cli/hooks.json",
    "the own transcript": "{folder}/.system_generated/logs/transcript.jsonl",
    "the own full transcript": "{folder}/.system_generated/logs/transcript_full.jsonl",
    "a subagent's record": "{folder}/.system_generated/subagents/c.json",
    "another one's transcript": "{brain}/c2/.system_generated/logs/transcript.jsonl",
    "another product's transcript": (
        "{home}/.gemini/antigravity-ide/brain/c/.system_generated/logs/transcript.jsonl"
    ),
    "the own MCP schemas": "{folder}/mcp/server/tool.json",
    "another one's MCP schemas": "{brain}/c2/mcp/server/tool.json",
    "the MCP schema cache": "{home}/.gemini/antigravity/mcp/server/tool.json",
    "through a link to the configuration": "{workspace}/link-config/config.toml",
    "through a link to the state": "{workspace}/link-state/manifest.json",
    "a link to the hooks": "{workspace}/link-hooks",
    "a link to a link": "{workspace}/link-to-link",
    "a link to what is not there yet": "{workspace}/link-new",
    "through a link to a transcript": "{workspace}/link-logs/transcript.jsonl",
    "through a link out and dots": "{workspace}/link-config/../agguard/config.toml",
    "with dots": "{workspace}/../.config/agguard/config.toml",
    "with many dots": "{home}/a/b/../../.gemini/./config//hooks.json",
    "in capitals": "{home}/.GEMINI/CONFIG/HOOKS.JSON",
    "a folder in capitals": "{home}/.config/AGGUARD/config.toml",
    "records in capitals": "{folder}/.SYSTEM_GENERATED/logs/transcript.jsonl",
    "schemas in capitals": "{folder}/MCP/server/tool.json",
    "as a URI": "file://{home}/.gemini/config/hooks.json",
    "as a URI with a host": "file://localhost{home}/.gemini/config/hooks.json",
    "as a URI in capitals": "FILE://{home}/.config/agguard/config.toml",
    "as a URI with escapes": "file://{home}/.gemini/config/hooks%2Ejson",
    "as a URI with an escaped dot folder": "file://{home}/%2econfig/agguard/config.toml",
    "as a URI with escaped dots": "file://{workspace}/%2e%2e/.config/agguard/config.toml",
    "with a tilde": "~/.gemini/config/hooks.json",
    "the configuration with a tilde": "~/.config/agguard/config.toml",
    "with backslashes": "{home}\\.gemini\\config\\hooks.json",
    "with one backslash": "{home}/.gemini/config\\hooks.json",
    "with backslashes and dots": "{workspace}/x\\..\\..\\.config\\agguard\\config.toml",
    "as a URI with backslashes": "file://{workspace}\\..\\.config\\agguard\\config.toml",
    "as a URI with escaped backslashes": "file://{home}/.gemini%5Cconfig%5Chooks.json",
    "as a URI whose host is a folder": "file:/{home}/.gemini/config/hooks.json",
    "as a URI of a user": "file://me@{home_in_root}/.config/agguard/config.toml",
    "as a URI with a dot for host": "file://.{home}/.config/agguard/config.toml",
    "as a URI with a query": "file://{home}/.gemini/config/hooks.json?x=1",
    "as a URI with a fragment": "file://{home}/.gemini/config/hooks.json#x",
    "with two slashes": "/{home}/.config/agguard/config.toml",
    "with a slash at its end": "{home}/.gemini/config/hooks.json/",
    "with a dot at its end": "{home}/.gemini/config/hooks.json/.",
    "through a process": "/proc/self/root{home}/.config/agguard/config.toml",
    "through a process's folder": "/proc/self/cwd/.config/agguard/config.toml",
    "through a descriptor": "/dev/fd/3",
    "relative": "../.gemini/config/hooks.json",
    "relative to the workspace": ".agents/hooks.json",
    "records, relative": ".gemini/antigravity/brain/c2/.system_generated/logs/transcript.jsonl",
}

NOWHERE: dict[str, str] = {
    "relative": "../.config/agguard/config.toml",
    "a name": "app.py",
    "a drive": "C:/../.config/agguard/config.toml",
    "a drive in a path": "/c:/app.py",
    "a drive in a URI": "file:///C:/app.py",
    "a drive for a URI's host": "file://C:/..{home}/.config/agguard/config.toml",
    "a variable": "$HOME/.config/agguard/config.toml",
    "quoted": "'{home}/.config/agguard/config.toml'",
    "with a blank": " {home}/.config/agguard/config.toml",
    "another scheme": "vscode-file://{home}/.config/agguard/config.toml",
    "half a scheme": "file:{home}/.config/agguard/config.toml",
    "with a zero": "{workspace}/app.py\0.md",
}
"""What names no place that a hook could know; the engine refuses most of it, too."""

OPEN: dict[str, str] = {
    "code": "{workspace}/app.py",
    "new code": "{workspace}/new/deep/app.py",
    "a project's own hooks": "{workspace}/hooks.json",
    "hooks of another tool": "{workspace}/.claude/hooks.json",
    "rules of the workspace": "{workspace}/.agents/rules/style.md",
    "an agent of the workspace": "{workspace}/.agents/agents/coder.md",
    "a document about hooks": "{workspace}/.agents/hooks.json.md",
    "another program's configuration": "{home}/.config/other/config.toml",
    "a name that begins alike": "{home}/.config/agguard-notes/config.toml",
    "a name that ends alike": "{home}/.config/my-agguard/config.toml",
    "a project called agguard": "{workspace}/agguard/config.toml",
    "a launcher's namesake": "{workspace}/bin/agguard-hooks",
    "an MCP server's code": "{workspace}/mcp/server.py",
    "a link to code": "{workspace}/link-code",
    "code as a URI": "file://{workspace}/app.py",
    "code with dots": "{workspace}/sub/../app.py",
    "code with a tilde": "~/project/app.py",
}
"""What a worker may write: none of it is the guard's or the host's."""

READERS: list[tuple[str, str]] = [
    ("view_file", "AbsolutePath"),
    ("list_dir", "DirectoryPath"),
    ("grep_search", "SearchPath"),
    ("find_by_name", "SearchDirectory"),
]


@pytest.fixture(scope="module")
def home(
    tmp_path_factory: pytest.TempPathFactory, install_at: Callable[[Path], Guarded]
) -> Guarded:
    """A home with a project full of links into what is protected."""
    found = install_at(tmp_path_factory.mktemp("home-of-links"))
    paths, workspace = found.paths, found.workspace
    found.configure("[delegation]\nmax_depth = 2\n")
    links = {
        "link-config": paths.config,
        "link-state": paths.state,
        "link-hooks": paths.host.hooks,
        "link-to-link": f"{workspace}/link-hooks",
        "link-new": f"{paths.config}/not-there-yet.toml",
        "link-logs": f"{found.stage.brain}/c2/.system_generated/logs",
        "link-code": f"{workspace}/app.py",
    }
    for name, target in links.items():
        os.symlink(target, os.path.join(workspace, name))
    for name in ("sub", ".agents"):
        os.mkdir(os.path.join(workspace, name))
    return found


def agent(home: Guarded, role: str) -> Conversation:
    """Begin a conversation of that role."""
    if role == "primary":
        return home.primary()
    if role == "unknown":
        return home.stage.conversation()
    if role == "read-only":
        return home.child(home.primary(), "Work.")
    parent = home.primary()
    kind = "DeepCoder" if role == "coordinator" else "executor"
    return home.child(parent, home.spawn(parent, {"Prompt": "Work.", "Role": kind}).prompts[0])


@pytest.fixture(scope="module")
def agents(home: Guarded) -> dict[str, Conversation]:
    """One agent of each role, for the whole table."""
    found = {role: agent(home, role) for role in ROLES}
    expected = {"coordinator": "allow", "worker": "allow"}
    for role, who in found.items():
        assert home.run(who, "make").decision == expected.get(role, "deny"), role
    return found


def spelled(text: str, home: Guarded, who: Conversation) -> str:
    return text.format(
        home=home.home,
        home_in_root=str(home.home).lstrip("/"),
        workspace=home.workspace,
        folder=who.folder,
        brain=home.stage.brain,
    )


@pytest.mark.parametrize("name", PROTECTED)
def test_what_is_protected_is_denied_to_a_worker(
    home: Guarded, agents: dict[str, Conversation], name: str
) -> None:
    """Whoever may write everything else may not write this, and is told why and what to do."""
    who = agents["worker"]
    target = spelled(PROTECTED[name], home, who)
    found = home.write(who, target)

    assert found.decision == "deny", target
    assert "no agent may change it" in found.reason
    assert "ask the user" in found.reason


@pytest.mark.parametrize("name", NOWHERE)
@pytest.mark.parametrize("role", ["worker", "primary"])
def test_a_file_that_nobody_can_tell_the_place_of_is_not_written(
    home: Guarded, agents: dict[str, Conversation], name: str, role: str
) -> None:
    """Unknown is never allowed, and the way that is open is an absolute path."""
    found = home.write(agents[role], spelled(NOWHERE[name], home, agents[role]))

    assert found.decision == "deny"
    assert "by its absolute path" in found.reason


@pytest.mark.parametrize(
    "other", ["targetfile", "TARGETFILE", "targetFile", "Target_File", "absolutepath", "PATH"]
)
def test_no_argument_hides_another(
    home: Guarded, agents: dict[str, Conversation], other: str
) -> None:
    """The engine does not mind the letter case of arguments and takes the last: all are read."""
    code = f"{home.workspace}/app.py"
    for who in (agents["worker"], agents["primary"]):
        args = {"TargetFile": code, other: home.paths.host.hooks, "CodeContent": "x"}
        found = home.call(who, "write_to_file", args)
        assert found.decision == "deny"
        assert "no agent may change it" in found.reason
    primary = agents["primary"]
    args = {"TargetFile": f"{primary.folder}/plan.md", other: code, "CodeContent": "x"}
    assert home.call(primary, "write_to_file", args).decision == "deny"


@pytest.mark.parametrize("name", OPEN)
def test_what_only_looks_alike_is_left_to_a_worker(
    home: Guarded, agents: dict[str, Conversation], name: str
) -> None:
    """Protection is not in the way of work."""
    who = agents["worker"]
    target = spelled(OPEN[name], home, who)

    assert home.write(who, target).answer == {"decision": "allow"}, target


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    "name",
    [
        "the user's hooks",
        "the launcher",
        "the configuration",
        "the ledger",
        "the cache",
        "the plugin's rules",
        "a workspace's hooks",
        "the own transcript",
        "the own MCP schemas",
        "a link to the hooks",
    ],
)
def test_no_role_may_change_it(
    home: Guarded, agents: dict[str, Conversation], name: str, role: str
) -> None:
    """From the primary, in whose own folder some of it lies, to one that nobody knows."""
    who = agents[role]

    assert home.write(who, spelled(PROTECTED[name], home, who)).decision == "deny"


@pytest.mark.parametrize("tool", WRITERS)
@pytest.mark.parametrize("name", ["the user's hooks", "through a link to the state", "in capitals"])
def test_no_file_tool_may_change_it(
    home: Guarded, agents: dict[str, Conversation], tool: str, name: str
) -> None:
    """Each names its file by an argument of its own."""
    who = agents["worker"]
    args = {WRITERS[tool]: spelled(PROTECTED[name], home, who)}
    assert home.call(who, tool, args).decision == "deny"

    args = {WRITERS[tool]: f"{home.workspace}/app.py"}
    assert home.call(who, tool, args).decision == "allow"


@pytest.mark.parametrize("tool", ["default_api:write_to_file", "write_file_of_tomorrow"])
@pytest.mark.parametrize(
    "key", ["TargetFile", "target_file", "AbsolutePath", "Path", "DirectoryPath", "NotebookPath"]
)
def test_a_tool_that_nobody_knows_may_not_change_it_either(
    home: Guarded, agents: dict[str, Conversation], tool: str, key: str
) -> None:
    """What is unknown may write; whatever names a file is looked at."""
    who = agents["worker"]
    args = {"TargetFile": f"{home.workspace}/app.py", key: home.paths.host.hooks}

    assert home.call(who, tool, args).decision == "deny"


@pytest.mark.parametrize(("tool", "key"), READERS)
@pytest.mark.parametrize("role", ["primary", "worker", "read-only"])
def test_reading_it_is_open_to_all(
    home: Guarded, agents: dict[str, Conversation], role: str, tool: str, key: str
) -> None:
    """There is nothing to hide: the reason says what may be done instead."""
    who = agents[role]
    for name in ("the user's hooks", "the configuration", "the own transcript"):
        args = {key: spelled(PROTECTED[name], home, who), "Query": "x"}
        assert home.call(who, tool, args).decision == "allow", name


def test_it_stays_denied_with_delegation_off(guarded: Guarded) -> None:
    """Switching one guard off leaves the other on; only its own switch opens it."""
    guarded.configure('[delegation]\nmode = "off"\n')
    who = guarded.primary()
    assert guarded.write(who, f"{guarded.workspace}/app.py").decision == "allow"
    assert guarded.write(who, guarded.paths.host.hooks).decision == "deny"

    guarded.configure('[delegation]\nmode = "off"\n[protection]\nmode = "off"\n')
    assert guarded.write(who, guarded.paths.host.hooks).decision == "allow"


def test_hooks_behind_a_link_are_protected_where_they_are(guarded: Guarded, tmp_path: Path) -> None:
    """Where hooks.json is a link, its target, and the launcher beside that, are the real ones."""
    real = tmp_path / "dotfiles"
    real.mkdir()
    hooks = guarded.paths.host.hooks
    os.rename(hooks, real / "my-hooks.json")
    os.symlink(real / "my-hooks.json", hooks)
    again = Guarded(guarded.home, guarded.host.environ)
    worker = again.worker()

    for target in (hooks, real / "my-hooks.json", real / "agguard-hook"):
        assert again.write(worker, str(target)).decision == "deny", target
    assert again.write(worker, str(real / "vimrc")).decision == "allow"


def test_judging_changes_none_of_it(home: Guarded, agents: dict[str, Conversation]) -> None:
    """No spelling makes the guard itself write where an agent pointed."""
    before = snapshot(home.paths.config, home.paths.host.config, home.manifest)
    for text in PROTECTED.values():
        home.write(agents["worker"], spelled(text, home, agents["worker"]))

    assert snapshot(home.paths.config, home.paths.host.config, home.manifest) == before
