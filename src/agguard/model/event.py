"""One firing of one hook, in the framework's own words."""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import ToolCall


class Event(Value):
    """What a host told us. Fields that it did not send are empty."""

    name: str
    """One of: SessionStart, PreInvocation, PreToolUse, PostToolUse, PostInvocation, Stop."""
    conversation: str = ""
    parent: str = ""
    """The parent's conversation, should the host ever send it."""
    workspaces: tuple[str, ...] = ()
    artifact_dir: str = ""
    transcript: str = ""
    model: str = ""
    step: int = 0
    """The step of a tool call; of a model call, how many steps there were before it."""
    call: ToolCall | None = None
    error: str = ""
    invocation: int = 0
    termination: str = ""
    fully_idle: bool = True
    continuation: int = 0
