"""The protection guard: file tools of every role leave the guard and the host's records alone."""

from __future__ import annotations

import os

from agguard.location import is_inside, leads, named, readings
from agguard.model.effect import Effect
from agguard.model.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import ToolCall
    from agguard.model.session import Session

HOST_FOLDERS = (".gemini", ".agents", ".agent", "_agents", "_agent")
"""Where the host reads hooks.json from (contract, section 1.1)."""

HOST_FILES = ("hooks.json", "agguard-hook", "agguard-hook.cmd")
"""What it reads there, and what our entry in it runs."""

RECORDS = (".system_generated", "mcp")
"""Folders of a conversation that only the engine writes; agguard takes them as evidence."""


def judge(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Deny a call that writes what is protected, or nobody knows where."""
    if session.section("protection").get("mode", "on") == "off":
        return None
    if not effect & (Effect.WRITE | Effect.UNKNOWN):
        return None
    for text in named(call.args):
        what = _protected(text, session.protected)
        if what:
            return Verdict.deny(
                f"agguard: {text!r} is {what}, and no agent may change it. Reading is fine. "
                "If the change is wanted, ask the user to make it outside the agent."
            )
        if effect & Effect.WRITE and not readings(text):
            return Verdict.deny(
                f"agguard: nobody can tell where {text!r} leads; name the file by its absolute path"
            )
    return None


def _protected(text: str, protected: tuple[str, ...]) -> str:
    """Say what a path is, if it is protected, by its spellings and by where they lead."""
    spelled = [os.path.normpath(one) for one in readings(text)]
    # A relative path names at least what it ends with.
    for path in dict.fromkeys((*spelled, *leads(text))) or [os.path.normpath(text)]:
        if any(is_inside(path, folder) for folder in protected):
            return "a file of agguard"
        parts = path.casefold().split(os.sep)
        if parts[-1] in HOST_FILES and any(folder in parts for folder in HOST_FOLDERS):
            return "a hooks.json of the host, or a launcher that it runs"
        if _is_record(parts):
            return "the host's own record of a conversation"
        if parts[1:2] == ["proc"] or parts[1:3] == ["dev", "fd"]:
            return "a view of a running process"
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
