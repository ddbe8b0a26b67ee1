"""The protection guard: every agent leaves the guard and the host's records alone."""

from __future__ import annotations

import os

from agguard.location import leads, named, readings
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
    for text in _paths(call, effect):
        for path in _places(text):
            found = what(path, session.protected)
            if found:
                return _denied(text, found)
    lost = [text for text in named(call.args) if effect & Effect.WRITE and not readings(text)]
    return _lost(lost[0]) if lost else None


def _places(text: str) -> list[str]:
    """Return the paths that a text may mean, as spelled and as they lead."""
    spelled = [os.path.normpath(one) for one in readings(text)]
    # A relative path names at least what it ends with.
    return list(dict.fromkeys((*spelled, *leads(text)))) or [os.path.normpath(text)]


def _lost(text: str) -> Verdict:
    return Verdict.deny(
        f"agguard: nobody can tell where {text!r} leads; name the file by its absolute path"
    )


def _denied(text: str, found: str) -> Verdict | None:
    if not text:
        return None
    return Verdict.deny(
        f"agguard: {text!r} is {found}, and no agent may change it. Reading is fine. "
        "If the change is wanted, ask the user to make it outside the agent."
    )


def _paths(call: ToolCall, effect: Effect) -> Iterator[str]:
    yield from named(call.args)
    if call.name == "call_mcp_tool" or call.name.startswith("mcp_"):
        yield from _texts(call.args.get("Arguments", call.args), DEEPEST)
    elif call.name == "sed_file" and effect & Effect.UNKNOWN:
        # An expression that does more than edit: `w FILE`.
        for one in _all_texts(call.args.get("expressions"), DEEPEST):
            yield from (word for word in one.split() if word[:1] in ("/", "~"))


def _texts(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Return the texts in an MCP tool's arguments that may be paths."""
    for text in _all_texts(value, depth):
        if text[:1] in ("/", "~") or text[:7].lower() == "file://":
            yield text


def _all_texts(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _all_texts(inner, depth - 1)
