"""What guards are asked about."""

from __future__ import annotations

from agguard.model.effect import Effect
from agguard.model.session import Role, Session
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.model.report.reading import Report
    from agguard.model.verdict import Outcome


class Failures(Value):
    """Commands of an agent that failed one after another, up to now."""

    count: int = 0
    command: str = ""
    """The newest of them."""
    exit_code: int | None = None
    """Its exit status, where it is known."""
    is_fresh: bool = False
    """The model has not answered since it failed."""


class ToolCall(Value):
    """One tool call that the agent wants to make."""

    name: str
    """The host's own name of the tool, without a `default_api:` prefix."""
    args: Mapping[str, Any] = {}
    step: int = 0
    """The step of the conversation, from 0."""
    denials: int = 0
    """How often in a row this tool was denied to this agent; counted for messages to others."""
    spawns: tuple[Spawn, ...] = ()
    """The subagents that it would start."""
    failures: Failures = Failures()
    """Failed commands of a subagent; counted where `[escalation] mode` is `enforce`."""

    def text(self, key: str) -> str:
        """Return the argument `key` if it is a string, else an empty one."""
        found = self.args.get(key)
        return found if isinstance(found, str) else ""


class Command(Value):
    """A shell command line, and the folder that it runs in."""

    text: str
    cwd: str = ""
    step: int = 0


class Failed(Value):
    """A task that a child has reported as failed and that was not escalated since."""

    who: str
    """The child, as its parent knows it."""
    model: str
    """The tier that it ran on, as the host spells it; empty when none was asked for."""
    summary: str


class Spawn(Value):
    """One subagent that is about to be started."""

    position: int
    """Its place in the call's list, from 0."""
    type_name: str = ""
    agent_role: str = ""
    """The role as the parent describes it: free text."""
    prompt: str = ""
    model: str = ""
    is_definition: bool = False
    """Only a type is defined, from which subagents may be started later; it gets no token."""
    token: str = ""
    """What will prove to agguard that a conversation is this subagent."""
    role: Role = Role.WORKER
    remaining_depth: int = 0
    read_only: bool = False
    step: int = 0
    failed: Failed | None = None
    """The same task as it failed before."""


def tier(model: str) -> str:
    """Return a model tier as `[tiers]` spells it; a host that takes other spellings means it."""
    return model.strip().lower().replace("-", "_")


class Artifact(Value):
    """A file that the configuration wants in the artifact folder, as it stands there."""

    name: str
    size: int | None = None
    """Bytes; None when there is no such file."""
    is_fresh: bool = False
    """It was written since the user's last message."""


class Stop(Value):
    """An agent wants to stop."""

    reason: str = ""
    """The host's terminationReason, such as NO_TOOL_CALL or ERROR."""
    error: str = ""
    fully_idle: bool = True
    continuation: int = 0
    """How often the host was already told to continue, as it counts."""
    rejections: int = 0
    """How often in a row agguard has sent this turn back, as the ledger counts."""
    work: Effect = Effect(0)
    """What the agent did since the user's last message."""
    running: tuple[str, ...] = ()
    """Subagents of its that still work, as people call them."""
    dead: tuple[str, ...] = ()
    """Subagents that failed or fell silent and that it has not dealt with, and why."""
    last_message: str | None = None
    """The agent's last words; None when the transcript does not hold them."""
    seconds: float | None = None
    """How long ago the user's last message was; None when the transcript does not tell."""
    artifacts: tuple[Artifact, ...] = ()
    """The files that `[attention] artifacts` asks for."""
    report: Report | None = None
    """What a child that ends its task reports, and how far its record bears it out."""
    reports: tuple[Report, ...] = ()
    """What the agent's own children have reported lately."""
    problem: str = ""
    """Why the facts above are incomplete, if they are."""


class Invocation(Value):
    """The host is about to call the model, or a session starts."""

    event: str = "PreInvocation"
    number: int = 0
    """Counts model calls from 0 in every user turn."""
    repeated: bool = False
    """This very call was announced before: the host fires twice when it is registered twice."""
    rejected: bool = False
    """The agent's stop was sent back, and this is the first call since."""
    running: tuple[str, ...] = ()
    """Subagents of the agent that still work, as people call them."""
    dead: tuple[str, ...] = ()
    """Subagents that failed or fell silent and that it has not dealt with, and why."""
    dead_is_new: bool = True
    """These are not the ones that the last model call was reminded of."""
    reports: tuple[Report, ...] = ()
    """What the agent's children have reported lately."""
    failures: Failures = Failures()
    """Failed commands of a subagent."""


class Record(Value):
    """What happened: a decision of agguard, or the end of a tool call."""

    event: str
    session: Session
    call: ToolCall | None = None
    outcome: Outcome | None = None
    error: str = ""
    """The tool's own error, for PostToolUse."""
