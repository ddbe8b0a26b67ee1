"""The protection guard: every agent leaves the guard and the host's records alone."""

from __future__ import annotations

from agguard.location import PATH_KEYS, real, spelled
from agguard.model.effect import Effect
from agguard.model.verdict import Verdict
from agguard_builtin.protection.what import what

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agguard.model.call import ToolCall
    from agguard.model.session import Session

CHANGING = Effect.WRITE | Effect.EXECUTE | Effect.CONTROL | Effect.UNKNOWN
DEEPEST = 20
"""How deep in the arguments of an MCP tool paths are looked for."""


def judge(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Deny a call that changes what is protected."""
    if session.section("protection").get("mode", "on") == "off":
        return None
    if call.name == "run_command" and effect != Effect.READ:
        from agguard_builtin.protection.shell import touched

        return _denied(*touched(call.text("CommandLine"), call.text("Cwd"), session))
    if not effect & CHANGING:
        return None
    for text in _paths(call):
        for path in dict.fromkeys((spelled(text), real(text))):
            found = what(path, session.protected) if path else ""
            if found:
                return _denied(text, found)
    return None


def _denied(text: str, found: str) -> Verdict | None:
    if not text:
        return None
    return Verdict.deny(
        f"agguard: {text!r} is {found}, and no agent may change it. Reading is fine. "
        "If the change is wanted, ask the user to make it outside the agent."
    )


def _paths(call: ToolCall) -> Iterator[str]:
    for key in PATH_KEYS:
        if text := call.text(key):
            yield text
    if call.name == "call_mcp_tool" or call.name.startswith("mcp_"):
        yield from _texts(call.args.get("Arguments", call.args), DEEPEST)


def _texts(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Return the texts in an MCP tool's arguments that may be paths."""
    if isinstance(value, str):
        if value[:1] in ("/", "~") or value[:7].lower() == "file://":
            yield value
    elif depth and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner, depth - 1)
