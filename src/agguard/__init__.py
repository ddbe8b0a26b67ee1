"""agguard: deterministic guards for AI coding agents, at the host's lifecycle hooks.

The names below are what a plugin author needs; they are resolved when first used, because a hook
process imports this package for every tool call.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.marker import hookimpl
    from agguard.model.call import Command, Invocation, Record, Spawn, Stop, ToolCall
    from agguard.model.contribution import Addition, Reminder, Rewrite
    from agguard.model.effect import Effect
    from agguard.model.session import Role, Session
    from agguard.model.verdict import Decision, StopVerdict, Verdict

__all__ = [
    "Addition",
    "Command",
    "Decision",
    "Effect",
    "Invocation",
    "Record",
    "Reminder",
    "Rewrite",
    "Role",
    "Session",
    "Spawn",
    "Stop",
    "StopVerdict",
    "ToolCall",
    "Verdict",
    "__version__",
    "hookimpl",
]

__version__ = "0.1.0"

_HOMES = {
    "Addition": "agguard.model.contribution",
    "Command": "agguard.model.call",
    "Decision": "agguard.model.verdict",
    "Effect": "agguard.model.effect",
    "Invocation": "agguard.model.call",
    "Record": "agguard.model.call",
    "Reminder": "agguard.model.contribution",
    "Rewrite": "agguard.model.contribution",
    "Role": "agguard.model.session",
    "Session": "agguard.model.session",
    "Spawn": "agguard.model.call",
    "Stop": "agguard.model.call",
    "StopVerdict": "agguard.model.verdict",
    "ToolCall": "agguard.model.call",
    "Verdict": "agguard.model.verdict",
    "hookimpl": "agguard.marker",
}


def __getattr__(name: str) -> object:
    """Resolve a public name (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        msg = f"module 'agguard' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    return getattr(import_module(home), name)
