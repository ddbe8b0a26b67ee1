"""What a path is to the guard. Pure: the path is resolved already."""

from __future__ import annotations

import os

from agguard.location import is_inside

HOST_FOLDERS = (".gemini", ".agents", ".agent", "_agents", "_agent")
"""Where the host reads hooks.json from (contract, section 1.1)."""

LAUNCHERS = ("agguard-hook", "agguard-hook.cmd")


def what(path: str, protected: tuple[str, ...]) -> str:
    """Say what a path is, if no agent may change it; empty otherwise.

    Args:
        path: Absolute, as spelled or as it really leads.
        protected: Files and folders of agguard.
    """
    if any(is_inside(path, folder) for folder in protected):
        return "a file of agguard"
    parts = path.casefold().split(os.sep)
    if parts[-1] == "hooks.json" and any(folder in parts for folder in HOST_FOLDERS):
        return "a hooks.json of the host"
    if parts[-1] in LAUNCHERS:
        return "agguard's launcher"
    if _is_record(parts):
        return "the host's own record of a conversation"
    if parts[1:2] == ["proc"] or parts[1:3] == ["dev", "fd"]:
        return "a view of a running process"
    return ""


def holds(path: str, protected: tuple[str, ...]) -> bool:
    """Whether a folder holds something protected, so that what is done to all of it is, too."""
    return any(is_inside(one, path) and one != path for one in protected)


def _is_record(parts: list[str]) -> bool:
    """Whether it is below `.system_generated/` or `mcp/` of a brain folder, or the MCP cache."""
    if ".system_generated" in parts:
        return True
    for place, part in enumerate(parts[:-1]):
        if part in ("brain", ".gemini") and "mcp" in parts[place + 2 : place + 3]:
            return True
    return False
