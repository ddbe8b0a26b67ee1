"""agguard's own entry in hooks.json: one handler for each event that it answers.

The command names the launcher relative to the folder of hooks.json, where the host runs it, for
the quoting of paths with spaces differs between the host's versions (contract, section 10.1).
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "agguard"
"""The key of our entry, which is the hook's name for the host."""
TOOL_EVENTS = ("PreToolUse", "PostToolUse")
"""Events whose handlers stand in groups with a matcher."""
LIFECYCLE_EVENTS = ("SessionStart", "PreInvocation", "PostInvocation", "Stop")
"""Events whose handlers stand in a flat list; a group there costs the host the whole file."""
EVENTS = ("SessionStart", "PreInvocation", "PreToolUse", "PostToolUse", "Stop")
"""The events that agguard answers, in the order in which a session meets them."""
TIMEOUT = 30
"""Seconds that the host grants a hook; agguard's own deadline is far below."""
LAUNCHER = "agguard-hook"


def launcher_name(*, windows: bool) -> str:
    """Return the launcher's file name."""
    return f"{LAUNCHER}.cmd" if windows else LAUNCHER


def command(event: str, *, windows: bool) -> str:
    """Return the command that the host runs, by `sh -c` or `cmd /c`, for one event."""
    return f"{LAUNCHER}.cmd {event}" if windows else f"./{LAUNCHER} {event}"


def entry(*, windows: bool = False) -> dict[str, Any]:
    """Return our entry as it has to stand in hooks.json."""
    return {event: _handlers(event, windows=windows) for event in EVENTS}


def snippet(*, windows: bool = False) -> str:
    """Return our entry as text to be pasted into hooks.json between its braces."""
    text = json.dumps({NAME: entry(windows=windows)}, indent=2)
    return text[1:-1].strip("\n")


def runs_launcher(value: object) -> bool:
    """Whether an entry runs agguard's launcher, whatever else is in it and whatever its name."""
    return LAUNCHER in json.dumps(value)


def _handlers(event: str, *, windows: bool) -> list[dict[str, Any]]:
    handler = {
        "type": "command",
        "command": command(event, windows=windows),
        "timeout": TIMEOUT,
    }
    return [{"matcher": "*", "hooks": [handler]}] if event in TOOL_EVENTS else [handler]
