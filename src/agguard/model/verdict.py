"""Opinions of guards, and what the dispatcher makes of them."""

from __future__ import annotations

from agguard.model.effect import Effect
from agguard.model.members import IntEnum
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Decision(IntEnum):
    """Decisions about a tool call, from the mildest to the strictest."""

    ABSTAIN = 0
    ALLOW = 1
    ASK = 2
    FORCE_ASK = 3
    DENY = 4

    @property
    def word(self) -> str:
        """The decision as hosts and people spell it: `force_ask`."""
        return self.name.lower()


class Verdict(Value):
    """One guard's opinion of a tool call; no opinion is None."""

    decision: Decision
    reason: str = ""
    """What the agent and the user read. It names the way that is open."""

    @classmethod
    def allow(cls, reason: str = "") -> Verdict:
        """Have no objection."""
        return cls(Decision.ALLOW, reason)

    @classmethod
    def ask(cls, reason: str) -> Verdict:
        """Let the user decide, unless the user has decided before."""
        return cls(Decision.ASK, reason)

    @classmethod
    def force_ask(cls, reason: str) -> Verdict:
        """Let the user decide, whatever was decided before."""
        return cls(Decision.FORCE_ASK, reason)

    @classmethod
    def deny(cls, reason: str) -> Verdict:
        """Stop the call."""
        return cls(Decision.DENY, reason)


class StopVerdict(Value):
    """One guard's opinion of a stop; no opinion is None."""

    again: bool
    """True sends the agent back to work."""
    reason: str = ""

    @classmethod
    def go_on(cls, reason: str) -> StopVerdict:
        """Send the agent back, and say what is missing."""
        return cls(again=True, reason=reason)


class Fault(Value):
    """A guard that broke its contract, as data."""

    plugin: str
    hook: str
    kind: str
    """One of: exception, exit, deadline, died, garbage, output, import, budget."""
    text: str


class Reason(Value):
    """Why, and who says so."""

    guard: str
    text: str
    decision: Decision = Decision.ABSTAIN


class Outcome(Value):
    """What the dispatcher answers, with everything that led there."""

    decision: Decision = Decision.ALLOW
    """For a stop: ALLOW lets it stop and DENY continues."""
    reasons: tuple[Reason, ...] = ()
    effect: Effect = Effect(0)
    overwrite: Mapping[str, Any] = {}
    """Arguments of the call to replace."""
    messages: tuple[str, ...] = ()
    """Text for the agent, where the event can carry it."""
    faults: tuple[Fault, ...] = ()

    @property
    def reason(self) -> str:
        """The reasons of the strictest decision, each once, in the order of the guards."""
        texts = (r.text for r in self.reasons if r.decision == self.decision and r.text)
        return "\n".join(dict.fromkeys(texts))
