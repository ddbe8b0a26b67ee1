"""Google Antigravity: the IDE, the app and the `agy` CLI share one hooks.json contract."""

from __future__ import annotations

from agguard.hosts.antigravity.answer import answer
from agguard.hosts.antigravity.payload import parse
from agguard.hosts.antigravity.tools import (
    command,
    killed,
    message,
    spawns,
    with_command,
    with_prompts,
)

__all__ = [
    "answer",
    "command",
    "killed",
    "message",
    "parse",
    "spawns",
    "with_command",
    "with_prompts",
]
