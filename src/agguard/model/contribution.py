"""What guards hand in besides verdicts."""

from __future__ import annotations

from agguard.model.value import Value


class Rewrite(Value):
    """A cheaper spelling of a command line."""

    text: str
    reason: str = ""


class Addition(Value):
    """Text for a subagent's prompt."""

    before: str = ""
    after: str = ""


class Reminder(Value):
    """Text for the agent itself, before its next model call."""

    text: str
