"""What any call does: the host's tools by the table, commands by the shell, MCP tools by name."""

from __future__ import annotations

from agguard.model.effect import Effect
from agguard_builtin.delegation import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import ToolCall
    from agguard.model.session import Session

EAGER = "mcp_"
"""Eagerly loaded MCP tools are named `mcp_<server>_<tool>` (contract, the table)."""


def classify(call: ToolCall, session: Session) -> Effect:
    """Say what a call does, as far as it can be known."""
    if call.name == "run_command" and not tools.is_misread(call):
        from agguard_builtin.delegation.commands import effect

        return effect(call, session)
    if call.name == "call_mcp_tool":
        return _mcp(call.text("ServerName"), call.text("ToolName"), session)
    if call.name.startswith(EAGER):
        return _eager(call.name.removeprefix(EAGER), session)
    return tools.classify(call)


def _mcp(server: str, tool: str, session: Session) -> Effect:
    """Say what an MCP tool does: as the user says, else by its name, if the host knows it."""
    from fnmatch import fnmatchcase

    from agguard_builtin.delegation import mcp, schemas

    pair = f"{server}/{tool}"
    settings = session.section("mcp")
    if any(fnmatchcase(pair, one) for one in settings.get("write", ())):
        return Effect.WRITE
    if any(fnmatchcase(pair, one) for one in settings.get("read", ())):
        return Effect.READ
    found = mcp.effect(server, tool)
    # A name that promises to read says nothing about a tool that nobody has seen.
    return found if schemas.is_known(server, tool, session) else found | Effect.UNKNOWN


def _eager(rest: str, session: Session) -> Effect:
    """Find where the server's name ends: underscores stand in both."""
    from agguard_builtin.delegation import schemas

    for server in schemas.servers(session):
        tool = rest.removeprefix(f"{server}_")
        if tool != rest:
            return _mcp(server, tool, session)
    return Effect.UNKNOWN
