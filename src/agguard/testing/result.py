"""What came of one event, whether it was asked in this process or through the real command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agguard.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.model.effect import Effect
    from agguard.model.verdict import Decision, Fault, Outcome, Reason


class Result(Value):
    """An outcome with everything that the guards said."""

    event: str
    outcome: Outcome
    answer: Mapping[str, Any]
    """The JSON document that the host gets."""
    opinions: tuple[Reason, ...] = ()
    """What each guard said, verdicts of the losing side included."""
    limit: float = 0.0
    """Seconds that the event had."""
    seconds: float = 0.0
    """Seconds that it took."""
    problem: str = ""
    """Why the host would not take the answer; empty when it would."""

    @property
    def decision(self) -> Decision:
        """The decision; for a stop, DENY goes on."""
        return self.outcome.decision

    @property
    def reason(self) -> str:
        """What the agent reads."""
        return self.outcome.reason

    @property
    def effect(self) -> Effect:
        """What the call does."""
        return self.outcome.effect

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every fault."""
        return self.outcome.faults

    @property
    def overwrite(self) -> Mapping[str, Any]:
        """Arguments that are changed."""
        return self.outcome.overwrite

    @property
    def texts(self) -> tuple[str, ...]:
        """What each agent is told: its reminders together, and prompts as they were changed."""
        entries = self.overwrite.get("Subagents", ())
        prompts = [one.get("Prompt", "") for one in entries if isinstance(one, dict)]
        reminders = "\n\n".join(self.outcome.messages)
        return (*((reminders,) if reminders else ()), *prompts)

    def said_by(self, guard: str) -> tuple[Reason, ...]:
        """Return what a plugin said, or one part of it as `plugin.part`."""
        return tuple(one for one in self.opinions if is_of(one.guard, guard))

    def faults_of(self, guard: str) -> tuple[Fault, ...]:
        """Return the faults of a plugin."""
        return tuple(one for one in self.faults if is_of(one.plugin, guard))

    def shown(self) -> str:
        """Describe the result, for the message of a failed assertion."""
        lines = [f"{self.event}: {self.decision.word} ({self.effect.words or 'no effect'})"]
        lines += [f"  {one.guard} says {one.decision.word}: {one.text}" for one in self.opinions]
        lines += [f"  {one.plugin} failed ({one.kind}): {one.text}" for one in self.faults]
        lines += [f"  {key} becomes {value!r}" for key, value in self.overwrite.items()]
        lines += [f"  the host: {self.problem}"] if self.problem else []
        return "\n".join(lines)


def is_of(guard: str, plugin: str) -> bool:
    """Whether `guard` is `plugin` or a part of it."""
    return not plugin or guard == plugin or guard.startswith(f"{plugin}.")
