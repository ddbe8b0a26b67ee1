"""What an agent is reminded of before its model is called. Pure."""

from __future__ import annotations

from agguard.model.session import Role
from agguard_builtin.attention.checks import recovery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Invocation
    from agguard.model.session import Session

ROLE = (
    "agguard reminder: you are the primary agent: you plan, decide and delegate; subagents edit "
    "and execute, and a turn that changed something ends with its summary."
)


def lines(invocation: Invocation, session: Session, every: int) -> list[str]:
    """Return what to say; nothing when there is nothing to say.

    Args:
        invocation: The model call that is about to happen.
        session: Whose.
        every: After how many model calls of a turn the primary is reminded of its role; 0 never.
    """
    found = [f"agguard: {recovery(invocation.dead)}"] if _is_told(invocation, every) else []
    if _is_due(invocation, session, every):
        found += [ROLE, open_work(invocation)]
    return found


def open_work(invocation: Invocation) -> str:
    """Say in one line what the agent waits for."""
    count = len(invocation.running)
    if not count:
        return "Open work: none."
    return f"Open work: {count} of your subagents at work: {'; '.join(invocation.running[:5])}."


def _is_told(invocation: Invocation, every: int) -> bool:
    """Whether an agent is told of its dead: once, with every turn, and with each reminder."""
    if not invocation.dead or invocation.repeated:
        return False
    begins = invocation.number <= 0 or invocation.dead_is_new
    return begins or invocation.rejected or _is_periodic(invocation, every)


def _is_periodic(invocation: Invocation, every: int) -> bool:
    return every > 0 and invocation.number > 0 and invocation.number % every == 0


def _is_due(invocation: Invocation, session: Session, every: int) -> bool:
    if session.role != Role.PRIMARY or invocation.event != "PreInvocation" or invocation.repeated:
        return False
    return _is_periodic(invocation, every) or (every > 0 and invocation.rejected)
