"""The google-antigravity SDK: the same engine as Antigravity's, with hooks in the same process.

    from agguard.hosts.antigravity_sdk import guard_hooks
    from google.antigravity import Agent, LocalAgentConfig

    guards = guard_hooks(app_data_dir=app_data, workspaces=[folder])
    config = LocalAgentConfig(
        workspaces=[folder], app_data_dir=app_data, hooks=guards, triggers=guards.triggers
    )
    async with Agent(config) as agent:
        print(await (await agent.chat("Fix the bug.")).text())

Guards, ledger and configuration are the user's own, as for hooks.json; a project and the
environment tighten them as there. The SDK has no prompt of its own, so what is to be asked goes to
`approve`, and is denied where there is none. It has no hook before a model call either: reminders
are said through its triggers, to the root agent alone, at the ends of tool calls and before the
turns after the first; see `agguard.hosts.antigravity_sdk.reminders`.
"""

from __future__ import annotations

from agguard.hosts.antigravity import (
    answer,
    command,
    killed,
    message,
    parse,
    spawns,
    with_command,
    with_prompts,
)
from agguard.hosts.antigravity_sdk.hooks import guard_hooks

__all__ = [
    "answer",
    "command",
    "guard_hooks",
    "killed",
    "message",
    "parse",
    "spawns",
    "with_command",
    "with_prompts",
]
