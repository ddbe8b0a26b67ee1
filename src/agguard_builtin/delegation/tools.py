"""What each of Antigravity's tools does (contract, section 4).

The table holds every tool that the contract knows, with the arguments that it needs. A known tool
that lacks one is unknown: its call says something other than what agguard can read.
"""

from __future__ import annotations

from agguard.model.effect import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import ToolCall

READ, MESSAGE, NETWORK = Effect.READ, Effect.MESSAGE, Effect.NETWORK
DELEGATE, WRITE, EXECUTE = Effect.DELEGATE, Effect.WRITE, Effect.EXECUTE

TOOLS: dict[str, tuple[Effect, tuple[str, ...]]] = {
    "view_file": (READ, ("AbsolutePath",)),
    "view_file_outline": (READ, ()),
    "view_code_item": (READ, ()),
    "read_file": (READ, ("Path",)),
    "list_dir": (READ, ("DirectoryPath",)),
    "grep_search": (READ, ("Query",)),
    "find_by_name": (READ, ("SearchDirectory",)),
    "code_search": (READ, ()),
    "command_status": (READ, ()),
    "list_resources": (READ, ()),
    "read_resource": (READ, ("Uri",)),
    "list_permissions": (READ, ()),
    "tool_search": (READ, ()),
    "manage_inbox": (MESSAGE, ("Action",)),
    "send_message": (MESSAGE, ("Recipient", "Message")),
    "ask_question": (MESSAGE, ("questions",)),
    "ask_permission": (MESSAGE, ("Action",)),
    "ask_custom_permission": (MESSAGE, ("Grant",)),
    "notify_user": (MESSAGE, ()),
    "task_boundary": (MESSAGE, ()),
    "finish": (MESSAGE, ()),
    "search_web": (NETWORK, ("query",)),
    "read_url_content": (NETWORK, ("Url",)),
    "search_marketplace": (NETWORK, ("queries",)),
    "generate_image": (NETWORK, ("Prompt",)),
    "invoke_subagent": (DELEGATE, ()),
    "define_subagent": (DELEGATE, ("name",)),
    "schedule": (DELEGATE, ("Prompt",)),
    "browser_subagent": (DELEGATE | NETWORK, ("Task",)),
    "run_workflow": (DELEGATE | EXECUTE, ()),
    "write_to_file": (WRITE, ("TargetFile",)),
    "replace_file_content": (WRITE, ("TargetFile",)),
    "multi_replace_file_content": (WRITE, ("TargetFile",)),
    "sed_file": (WRITE, ("target_file",)),
    "edit_notebook": (WRITE, ("NotebookPath",)),
    "notebook_edit": (WRITE, ("NotebookPath",)),
    "execute_notebook": (EXECUTE, ("NotebookPath",)),
    "notebook_execute": (EXECUTE, ("NotebookPath",)),
    "run_command": (EXECUTE, ("CommandLine",)),
    "send_command_input": (EXECUTE, ()),
}

BY_ACTION: dict[str, dict[str, Effect]] = {
    "manage_task": {"list": READ, "status": READ, "kill": EXECUTE, "send_input": EXECUTE},
    "manage_subagents": {"list": READ, "kill": DELEGATE, "kill_all": DELEGATE},
}
"""Tools whose effect depends on their `Action`."""


def classify(call: ToolCall) -> Effect:
    """Say what a call of one of the host's tools does; UNKNOWN for every other tool."""
    if call.name in BY_ACTION:
        return BY_ACTION[call.name].get(call.text("Action"), Effect.UNKNOWN)
    effect, _ = TOOLS.get(call.name, (Effect.UNKNOWN, ()))
    return Effect.UNKNOWN if is_misread(call) else effect


def is_misread(call: ToolCall) -> bool:
    """Whether a tool that is known came without the arguments that it needs."""
    if call.name in BY_ACTION:
        return call.text("Action") not in BY_ACTION[call.name]
    _, needed = TOOLS.get(call.name, (Effect.UNKNOWN, ()))
    return not all(_is_given(call, key) for key in needed)


def _is_given(call: ToolCall, key: str) -> bool:
    return call.args.get(key) not in (None, "")
