"""What a host is to the framework."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    from agguard.model.call import Command, Spawn, ToolCall
    from agguard.model.event import Event
    from agguard.model.verdict import Outcome

    class Host(Protocol):
        """A translator; a module with these functions is one."""

        def parse(self, name: str, data: bytes) -> Event:
            """Read a payload; PayloadError when it cannot be read."""

        def answer(self, event: str, outcome: Outcome) -> dict[str, Any]:
            """Return the one JSON document that answers `event`."""

        def command(self, call: ToolCall) -> Command | None:
            """Return the shell command that a call runs, if it runs one."""

        def with_command(self, text: str) -> dict[str, Any]:
            """Return the arguments that make the call run `text`."""

        def spawns(self, call: ToolCall) -> tuple[Spawn, ...]:
            """Return the subagents that a call starts or defines."""

        def message(self, call: ToolCall) -> tuple[str, str] | None:
            """Return the recipient and the text of a message to another agent."""

        def killed(self, call: ToolCall) -> tuple[str, ...]:
            """Return the conversations that a call ends."""

        def with_prompts(
            self, call: ToolCall, prompts: Sequence[str], models: Sequence[str] = ()
        ) -> Mapping[str, Any]:
            """Return the arguments that give the subagents of `call` these prompts and models."""


HOSTS = {
    "antigravity": "agguard.hosts.antigravity",
    "antigravity_sdk": "agguard.hosts.antigravity_sdk",
}
"""Where each host's translator is; imported when it is used."""


def host(name: str) -> Host:
    """Return the translator of a host; KeyError when there is none of that name."""
    module = HOSTS[name]
    __import__(module)
    found: Any = sys.modules[module]
    return found  # type: ignore[no-any-return] # mypy cannot see which module it is
