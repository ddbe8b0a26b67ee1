"""What the SDK hands to its hooks, as the payloads that hooks.json commands get. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

ENGINE_NAMES = {
    "create_file": "write_to_file",
    "edit_file": "replace_file_content",
    "list_directory": "list_dir",
    "search_directory": "grep_search",
    "find_file": "find_by_name",
}
"""The SDK renames some of the engine's tools (measured with google-antigravity 0.1.22)."""

ENDS = {"error": "ERROR", "max_steps": "MAX_STEPS", "cancelled": "CANCELED", "canceled": "CANCELED"}
"""Ends of a turn that are none of the agent's own, by what the SDK's name of them holds."""


def place(step_id: str | None) -> tuple[str, int]:
    """Return conversation and step; the SDK joins them as `conversation:step`."""
    conversation, _, step = (step_id or "").rpartition(":")
    return conversation, int(step) if step.isdecimal() else 0


def tool_name(name: object, server: str | None) -> str:
    """Return the engine's own name of a tool."""
    if server:
        return "call_mcp_tool"
    found = str(getattr(name, "value", name))
    return ENGINE_NAMES.get(found, found)


def common(conversation: str, app_data: str, workspaces: Sequence[str]) -> dict[str, Any]:
    """Return the fields that every payload has."""
    brain = f"{app_data}/brain/{conversation}"
    return {
        "conversationId": conversation,
        "workspacePaths": list(workspaces),
        "artifactDirectoryPath": brain,
        "transcriptPath": f"{brain}/.system_generated/logs/transcript.jsonl",
        "modelName": "auto",
    }


def call(name: str, args: Mapping[str, Any], step: int, error: str | None = None) -> dict[str, Any]:
    """Return the fields of a tool call, or of its end."""
    found: dict[str, Any] = {"toolCall": {"name": name, "args": dict(args)}, "stepIdx": step}
    return found if error is None else {**found, "error": error}


def stop(count: int, reason: object, error: str) -> dict[str, Any]:
    """Return the fields of a stop; the SDK asks when the root is fully idle."""
    name = str(getattr(reason, "value", reason)).lower()
    ended = next((word for part, word in ENDS.items() if part in name), "NO_TOOL_CALL")
    return {
        "executionNum": count,
        "terminationReason": "ERROR" if error else ended,
        "error": error,
        "fullyIdle": True,
    }
