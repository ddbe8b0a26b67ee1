"""Which of Antigravity's tools run commands and start agents, and how to change their arguments.

`overwrite` merges its top-level keys into the arguments (contract, section 3.1), so only the keys
that change are returned, and lists are returned whole.
"""

from __future__ import annotations

from agguard import jsontext
from agguard.model.call import Command, Spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from agguard.model.call import ToolCall


def command(call: ToolCall) -> Command | None:
    """Return the shell command that a call runs, if it runs one."""
    text = call.text("CommandLine")
    if call.name != "run_command" or not text:
        return None
    return Command(text, call.text("Cwd"), call.step)


def with_command(text: str) -> dict[str, Any]:
    """Return the arguments that make the call run `text`."""
    return {"CommandLine": text}


def spawns(call: ToolCall) -> tuple[Spawn, ...]:
    """Return the subagents that an `invoke_subagent` call starts, in order."""
    if call.name != "invoke_subagent":
        return ()
    return tuple(_spawn(call, place, one) for place, one in enumerate(_entries(call)))


def message(call: ToolCall) -> tuple[str, str] | None:
    """Return the recipient and the text of a message to another agent."""
    recipient, text = call.text("Recipient"), call.text("Message")
    return (recipient, text) if call.name == "send_message" and recipient else None


def killed(call: ToolCall) -> tuple[str, ...]:
    """Return the conversations that a call ends."""
    found = call.args.get("ConversationIds")
    if call.name != "manage_subagents" or call.text("Action") != "kill":
        return ()
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def with_spawns(call: ToolCall, spawns: Sequence[Spawn]) -> Mapping[str, Any]:
    """Return the arguments that start the subagents of `call` with these prompts and models."""
    changed = [
        {**entry, **_changes(entry, spawn)}
        for entry, spawn in zip(_entries(call), spawns, strict=True)
    ]
    if "Subagents" not in call.args:
        return _changes(call.args, spawns[0])
    as_text = isinstance(call.args["Subagents"], str)
    return {"Subagents": jsontext.dumps(changed) if as_text else changed}


def _changes(entry: Mapping[str, Any], spawn: Spawn) -> dict[str, Any]:
    """Return what differs; a model that nobody asked for is not added."""
    keeps = spawn.model == (entry.get("Model") or "")
    return {"Prompt": spawn.prompt} if keeps else {"Prompt": spawn.prompt, "Model": spawn.model}


def _entries(call: ToolCall) -> list[dict[str, Any]]:
    """Return the list of subagents; some builds take one flat, and models send lists as text."""
    found = call.args.get("Subagents", [call.args])
    if isinstance(found, str):
        try:
            found = jsontext.loads(found)
        except (ValueError, RecursionError):
            return []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return []
    return found


def _spawn(call: ToolCall, place: int, entry: dict[str, Any]) -> Spawn:
    def text(key: str) -> str:
        found = entry.get(key)
        return found if isinstance(found, str) else ""

    return Spawn(
        position=place,
        type_name=text("TypeName"),
        agent_role=text("Role"),
        prompt=text("Prompt"),
        model=text("Model"),
        step=call.step,
    )
