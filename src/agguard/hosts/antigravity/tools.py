"""Which of Antigravity's tools run commands and start agents, and how to change their arguments.

`overwrite` merges its top-level keys into the arguments (contract, section 3.1), so only the keys
that change are returned, and lists are returned whole.
"""

from __future__ import annotations

from agguard import jsontext
from agguard.model.call import Command, Spawn

DISPLAY = ("toolAction", "toolSummary")
"""Arguments of every call that are for people and mean nothing (contract, section 4)."""

NOT_FLAT = (*DISPLAY, "Subagents")

MOST = 64
"""Copies that `Count` is split into; more stay one entry, whose children but one have no rights."""

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
    """Return the subagents that a call starts, in order, or the type that it defines."""
    if call.name == "define_subagent":
        name, prompt = call.text("name"), call.text("system_prompt")
        return (Spawn(0, name, prompt=prompt, step=call.step, is_definition=True),)
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


def with_prompts(
    call: ToolCall, prompts: Sequence[str], models: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return the arguments that give the subagents of `call` these prompts, and these models."""
    if call.name == "define_subagent":
        return {"system_prompt": prompts[0]}
    changed = [{**one, "Prompt": text} for one, text in zip(_entries(call), prompts, strict=True)]
    for entry, model in zip(changed, models, strict=False):
        if model != (entry.get("Model") or ""):  # what nobody asked for is not added
            entry["Model"] = model
    if _listed(call):
        is_text = isinstance(call.args["Subagents"], str)
        return {"Subagents": jsontext.dumps(changed) if is_text else changed}
    if len(changed) == 1:
        return {key: changed[0][key] for key in changed[0] if changed[0][key] != call.args.get(key)}
    # Several of a flat call become a list; a host that goes by the flat fields starts the first.
    first: dict[str, Any] = {
        key: changed[0][key] for key in ("Prompt", "Model") if key in changed[0]
    }
    return {"Subagents": changed, "Count": 1, **first}


def _entries(call: ToolCall) -> list[dict[str, Any]]:
    """Return one entry for each subagent.

    Some builds take a single one flat, with a list that is empty or none beside it; models send
    lists as text; and `Count` asks for several of a kind: each of those needs a token of its own,
    so each gets an entry of its own.
    """
    flat = {key: value for key, value in call.args.items() if key not in NOT_FLAT}
    found = _listed(call) or ([flat] if flat else [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return []
    return [copy for one in found for copy in _copies(one)]


def _listed(call: ToolCall) -> object:
    """Return what stands as the list of subagents, taken out of a text; nothing where none does."""
    found = call.args.get("Subagents")
    if not isinstance(found, str):
        return found
    try:
        return jsontext.loads(found)
    except (ValueError, RecursionError):
        return found


def _copies(entry: dict[str, Any]) -> list[dict[str, Any]]:
    count = entry.get("Count")
    if isinstance(count, bool) or not isinstance(count, int | float) or not 1 < count <= MOST:
        return [entry]
    return [{**entry, "Count": 1} for _ in range(int(count))]


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
