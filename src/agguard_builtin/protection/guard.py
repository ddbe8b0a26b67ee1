"""The protection guard: file tools of every role leave the guard and the host's records alone."""

from __future__ import annotations

import os

from agguard.location import PATH_KEYS, is_inside, real, spelled
from agguard.model.effect import Effect
from agguard.model.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.model.call import ToolCall
    from agguard.model.session import Session

HOST_FOLDERS = (".gemini", ".agents", ".agent", "_agents", "_agent")
"""Where the host reads hooks.json from (contract, section 1.1)."""

RECORDS = (".system_generated", "mcp")
"""Folders of a conversation that only the engine writes; agguard takes them as evidence."""


def judge(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Deny a call that writes what is protected."""
    if session.section("protection").get("mode", "on") == "off":
        return None
    if not effect & (Effect.WRITE | Effect.UNKNOWN):
        return None
    for text in _paths(call):
        what = _protected(text, session.protected)
        if what:
            return Verdict.deny(
                f"agguard: {text!r} is {what}, and no agent may change it. Reading is fine. "
                "If the change is wanted, ask the user to make it outside the agent."
            )
    return None


def _paths(call: ToolCall) -> Iterator[str]:
    for key in PATH_KEYS:
        if text := call.text(key):
            yield text


def _protected(text: str, protected: tuple[str, ...]) -> str:
    """Say what a path is, if it is protected, by its spelling and by where it leads."""
    for path in dict.fromkeys((spelled(text), real(text))):
        if any(is_inside(path, folder) for folder in protected):
            return "a file of agguard"
        parts = path.casefold().split(os.sep)
        if parts[-1] == "hooks.json" and any(folder in parts for folder in HOST_FOLDERS):
            return "a hooks.json of the host"
        if _is_record(parts):
            return "the host's own record of a conversation"
    return ""


def _is_record(parts: list[str]) -> bool:
    """Whether it is below `.system_generated/` or `mcp/` of a brain folder, or the MCP cache."""
    if ".system_generated" in parts:
        return True
    for place, part in enumerate(parts[:-1]):
        if part == "brain" and "mcp" in parts[place + 2 : place + 3]:
            return True
        if part == ".gemini" and "mcp" in parts[place + 2 : place + 3]:
            return True
    return False
