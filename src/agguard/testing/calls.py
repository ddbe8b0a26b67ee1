"""Builders for every tool of the host's contract (section 4), with arguments as it sends them.

call("view_file", AbsolutePath="/w/app.py")      any tool: its example, with what you change
run("git status")                                the usual ones, in short
"""

from __future__ import annotations

from typing import Any

from agguard.model.call import ToolCall

WORKSPACE = "/workspace/project"
"""Where the example calls take place; nothing is read or written there."""

FILE = f"{WORKSPACE}/app.py"
_CHUNK = {"TargetContent": "a", "ReplacementContent": "b", "StartLine": 1, "EndLine": 1}
_EDIT = {"TargetFile": FILE, "Instruction": "Change it.", "Description": "A change."}
_NOTEBOOK = f"{WORKSPACE}/notes.ipynb"

EXAMPLES: dict[str, dict[str, Any]] = {
    "run_command": {"CommandLine": "git status", "Cwd": WORKSPACE, "WaitMsBeforeAsync": 5000},
    "view_file": {"AbsolutePath": FILE, "StartLine": 1, "EndLine": 40},
    "write_to_file": {
        "TargetFile": FILE,
        "Overwrite": True,
        "CodeContent": "x = 1\n",
        "Description": "A file.",
    },
    "replace_file_content": {**_EDIT, **_CHUNK, "AllowMultiple": False},
    "multi_replace_file_content": {**_EDIT, "ReplacementChunks": [_CHUNK]},
    "sed_file": {"target_file": FILE, "expressions": ["s/a/b/"]},
    "list_dir": {"DirectoryPath": WORKSPACE},
    "grep_search": {"SearchPath": WORKSPACE, "Query": "total", "IsRegex": False},
    "find_by_name": {"SearchDirectory": WORKSPACE, "Pattern": "*.py", "Type": "file"},
    "search_web": {"query": "terraform plan", "domain": ""},
    "read_url_content": {"Url": "https://example.com/"},
    "manage_task": {"Action": "status", "TaskId": "task-1"},
    "schedule": {"DurationSeconds": 60, "Prompt": "Look again."},
    "invoke_subagent": {
        "Subagents": [{"TypeName": "self", "Role": "executor", "Prompt": "Run the tests."}]
    },
    "define_subagent": {
        "name": "Reviewer",
        "description": "Reviews.",
        "system_prompt": "You review.",
        "enable_write_tools": False,
    },
    "manage_subagents": {"Action": "list"},
    "send_message": {"Recipient": "@children", "Message": "How far are you?"},
    "ask_question": {"questions": [{"question": "Which?", "options": ["this", "that"]}]},
    "ask_permission": {"Action": "read", "Target": FILE, "Reason": "To see it."},
    "ask_custom_permission": {"Grant": "network"},
    "list_permissions": {},
    "call_mcp_tool": {"ServerName": "tracker", "ToolName": "get_issue", "Arguments": {"id": 1}},
    "list_resources": {"ServerName": "tracker"},
    "read_resource": {"ServerName": "tracker", "Uri": "tracker://issue/1"},
    "generate_image": {"Prompt": "A tree.", "ImageName": "tree", "ImagePaths": []},
    "manage_inbox": {"Action": "list"},
    "notebook_edit": {
        "NotebookPath": _NOTEBOOK,
        "Action": "replace",
        "CellIndex": 0,
        "CellType": "code",
        "Content": "1 + 1",
    },
    "notebook_execute": {"NotebookPath": _NOTEBOOK, "CellIDs": ["a"]},
    "tool_search": {"function_names": ["call_mcp_tool"]},
    "search_marketplace": {"queries": ["terraform"], "limit": 5},
    "run_workflow": {"Script": "agent('look')"},
    "browser_subagent": {"Task": "Look at the page.", "TaskName": "look"},
    "send_command_input": {"CommandId": "1", "Input": "y"},
    "command_status": {"CommandId": "1"},
    "task_boundary": {"TaskName": "Planning"},
    "notify_user": {"PathsToReview": [], "BlockedOnUser": False, "ShouldAutoProceed": True},
}
"""One call of every tool; arguments that are not established are the likeliest ones."""

DISPLAY = {"toolAction": "Acting", "toolSummary": "An action"}
"""What every call carries for people to read."""


def call(tool: str, /, **args: Any) -> ToolCall:  # noqa: ANN401 - arguments of foreign tools
    """Make a call of a tool: its example, with some arguments changed or added.

    Args:
        tool: The host's name; a tool that the contract does not know gets `args` alone.
        args: Arguments to set; None takes one away.
    """
    merged = {**DISPLAY, **EXAMPLES.get(tool, {}), **args}
    return ToolCall(tool, {key: value for key, value in merged.items() if value is not None})


def run(command: str, cwd: str = WORKSPACE) -> ToolCall:
    """Run a shell command."""
    return call("run_command", CommandLine=command, Cwd=cwd)


def view(path: str) -> ToolCall:
    """Look at a file."""
    return call("view_file", AbsolutePath=path)


def write(path: str, content: str = "x = 1\n") -> ToolCall:
    """Write a file."""
    return call("write_to_file", TargetFile=path, CodeContent=content)


def mcp(server: str, tool: str, **arguments: Any) -> ToolCall:  # noqa: ANN401 - as above
    """Call a tool of an MCP server."""
    return call("call_mcp_tool", ServerName=server, ToolName=tool, Arguments=arguments)


def spawn(*prompts: str, type_name: str = "self", agent_role: str = "executor") -> ToolCall:
    """Start one subagent for each prompt."""
    entries = [{"TypeName": type_name, "Role": agent_role, "Prompt": one} for one in prompts]
    return call("invoke_subagent", Subagents=entries)


def every() -> list[ToolCall]:
    """Return one call of every tool of the contract."""
    return [call(tool) for tool in EXAMPLES]
