"""What each of Antigravity's tools does (contract, section 4).

The table holds every tool that the contract knows, with the arguments that it needs. A known tool
that lacks one is unknown: its call says something other than what agguard can read.
"""

from __future__ import annotations

from agguard import jsontext
from agguard.location import NAME_KEYS, PATH_KEYS, made
from agguard.model.effect import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

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

WRITERS = frozenset(name for name, (effect, _) in TOOLS.items() if effect == WRITE)
"""Tools that write the files that their arguments name, and do nothing else."""

BY_ACTION: dict[str, dict[str, Effect]] = {
    "manage_task": {"list": READ, "status": READ, "kill": EXECUTE, "send_input": EXECUTE},
    "manage_subagents": {"list": READ, "kill": DELEGATE, "kill_all": DELEGATE},
}
"""Tools whose effect depends on their `Action`."""

SPAWN_KEYS = ("TypeName", "Role", "Prompt", "Model", "system_prompt")
TEXTS = (*PATH_KEYS, *SPAWN_KEYS, "CommandLine", "Cwd")
"""Arguments that agguard reads or overwrites, all of them texts."""


def classify(call: ToolCall) -> Effect:
    """Say what a call of one of the host's tools does; UNKNOWN for every other tool.

    A known tool with arguments that cannot be read does what it is for, and who knows what else.
    """
    if call.name in BY_ACTION:
        actions = BY_ACTION[call.name]
        effect = actions.get(call.text("Action"), Effect.UNKNOWN)
        needed: tuple[str, ...] = ("Action",)
    elif call.name in TOOLS:
        effect, needed = TOOLS[call.name]
    else:
        return Effect.UNKNOWN
    if made(call.args):
        effect = (effect | WRITE) & ~READ
    if all(_is_given(call, key) for key in needed) and not _is_odd(call.args, needed):
        return effect if _only_edits(call) else effect | Effect.UNKNOWN
    return effect | Effect.UNKNOWN


def _only_edits(call: ToolCall) -> bool:
    """Whether expressions for sed change the file they are for, and write or run nothing else."""
    if call.name != "sed_file":
        return True
    from agguard.shell.sedscript import only_reads

    found = call.args.get("expressions") or ()
    return isinstance(found, list | tuple) and all(
        isinstance(one, str) and only_reads(one) for one in found
    )


def is_misread(call: ToolCall) -> bool:
    """Whether a tool that is known came with arguments other than it needs."""
    return (call.name in TOOLS or call.name in BY_ACTION) and bool(classify(call) & Effect.UNKNOWN)


def _is_given(call: ToolCall, key: str) -> bool:
    return call.args.get(key) not in (None, "")


def _is_odd(args: Mapping[str, Any], needed: tuple[str, ...]) -> bool:
    """Whether an argument comes in two spellings, or a telling one in a spelling of its own.

    The engine does not mind the letter case of arguments and takes the last (measured): beside
    `TargetFile`, which we read, `targetfile` would be the file that it writes. What should be a
    text, or a list of subagents, and is none, nobody has read.
    """
    known = {key.casefold(): key for key in (*TEXTS, *NAME_KEYS, "Subagents", *needed)}
    seen = [key.casefold() for key in args]
    subagents = _subagents(args)
    return (
        len(set(seen)) < len(seen)
        or any(known.get(fold, key) != key for key, fold in zip(args, seen, strict=True))
        or any(not isinstance(args.get(key), str | None) for key in TEXTS)
        or subagents is None
        or any(_is_odd(one, needed) for one in subagents)
    )


def _subagents(args: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the entries of a list of subagents; None where it is no such list."""
    found = args.get("Subagents") or []
    if isinstance(found, str):
        try:
            found = jsontext.loads(found)
        except (ValueError, RecursionError):
            return None
    readable = isinstance(found, list) and all(isinstance(one, dict) for one in found)
    return found if readable else None
