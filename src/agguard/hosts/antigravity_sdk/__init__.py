"""The google-antigravity SDK: the same engine as Antigravity's, with hooks in the same process.

    from google.antigravity import Agent, LocalAgentConfig
    from agguard.hosts.antigravity_sdk import guard_hooks

    config = LocalAgentConfig(
        workspaces=[folder],
        app_data_dir=app_data,
        hooks=guard_hooks(app_data_dir=app_data, workspaces=[folder]),
    )
    async with Agent(config) as agent:
        print(await (await agent.chat("Fix the bug.")).text())

Guards, ledger and configuration are the user's own, as for hooks.json. The SDK has no hook before
a model call that could say something to the agent, so `remind` is not asked; and it has no prompt
of its own, so what is to be asked goes to `approve`, and is denied where there is none.
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
