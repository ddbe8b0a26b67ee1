"""The state machines of a turn and of a work item: every cell decided, no I/O.

A turn's state follows from what its work is doing. Most events therefore do not name the next
state; they say SETTLE, and `settled` reads it off the counts of open and dead work. So it does
not matter in which order the host tells us that a child was started and that it has finished.
"""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    State = Literal[
        "OPEN", "HANDOFF_PENDING", "EXECUTION_ACTIVE", "REVIEWING", "RECOVERY_REQUIRED", "CLOSED"
    ]
    Cell = State | Literal["STAY", "SETTLE"]
    Status = Literal["ISSUED", "ACTIVE", "WAITING", "TERMINATED", "FAILED", "TIMED_OUT"]
    TurnEvent = Literal[
        "USER_MESSAGE",
        "WORK_ISSUED",
        "HANDOFF_ACCEPTED",
        "HANDOFF_FAILED",
        "WORK_CLAIMED",
        "WORK_WAITING",
        "WORK_RESUMED",
        "WORK_FINISHED",
        "WORK_FAILED",
        "WORK_SWEPT",
        "WORK_TIMED_OUT",
        "TOOL_DENIED",
        "STOP_REJECTED",
        "STOP_ALLOWED",
        "TURN_EXPIRED",
    ]


class Work(Value):
    """What the work items of one conversation are doing."""

    pending: int = 0
    """Issued, and the host has not said what became of them."""
    running: int = 0
    """Started and not ended."""
    dead: int = 0
    """Failed or timed out, and the agent has not dealt with it."""


STATES: tuple[State, ...] = (
    "OPEN",  # the agent works by itself
    "HANDOFF_PENDING",  # work was issued and not started yet
    "EXECUTION_ACTIVE",  # children work
    "REVIEWING",  # all work has ended well
    "RECOVERY_REQUIRED",  # all work has ended, some of it badly
    "CLOSED",  # the agent has stopped; also where a conversation begins
)

TABLE: Mapping[TurnEvent, tuple[Cell, Cell, Cell, Cell, Cell, Cell]] = {
    # What happens when, in the order of STATES. A new user message keeps open work and unanswered
    # failures; a denial is no failure; a stop with open work is a pause and closes nothing; work
    # that is issued answers the failures before it. What comes late finds its item ended, so
    # the four states without open work do not move for it.
    "USER_MESSAGE": ("OPEN", "STAY", "STAY", "OPEN", "STAY", "OPEN"),
    "WORK_ISSUED": ("SETTLE", "SETTLE", "SETTLE", "SETTLE", "SETTLE", "SETTLE"),
    "HANDOFF_ACCEPTED": ("STAY", "SETTLE", "SETTLE", "STAY", "STAY", "STAY"),
    "HANDOFF_FAILED": ("STAY", "SETTLE", "SETTLE", "STAY", "STAY", "STAY"),
    "WORK_CLAIMED": ("STAY", "SETTLE", "SETTLE", "STAY", "STAY", "STAY"),
    "WORK_WAITING": ("STAY", "STAY", "STAY", "STAY", "STAY", "STAY"),
    "WORK_RESUMED": ("STAY", "STAY", "STAY", "STAY", "STAY", "STAY"),
    "WORK_FINISHED": ("STAY", "SETTLE", "SETTLE", "STAY", "STAY", "STAY"),
    "WORK_FAILED": ("STAY", "SETTLE", "SETTLE", "STAY", "STAY", "STAY"),
    # Somebody's hook found the item silent; the issuer moves at its own next hook, which
    # brings WORK_TIMED_OUT when nothing of it is alive.
    "WORK_SWEPT": ("STAY", "STAY", "STAY", "STAY", "STAY", "STAY"),
    "WORK_TIMED_OUT": ("STAY", "SETTLE", "SETTLE", "STAY", "STAY", "STAY"),
    "TOOL_DENIED": ("STAY", "STAY", "STAY", "STAY", "STAY", "STAY"),
    "STOP_REJECTED": ("STAY", "STAY", "STAY", "STAY", "STAY", "OPEN"),
    "STOP_ALLOWED": ("CLOSED", "STAY", "STAY", "CLOSED", "CLOSED", "CLOSED"),
    "TURN_EXPIRED": ("CLOSED", "CLOSED", "CLOSED", "CLOSED", "CLOSED", "CLOSED"),
}

ANSWERS: frozenset[TurnEvent] = frozenset({"WORK_ISSUED", "TURN_EXPIRED"})
"""Events that deal with the failures before them; a stop that closes does, too."""

OPEN_STATUSES: tuple[Status, ...] = ("ISSUED", "ACTIVE", "WAITING")
DEAD_STATUSES: tuple[Status, ...] = ("FAILED", "TIMED_OUT")

PATHS: frozenset[tuple[Status, Status]] = frozenset(
    {
        ("ISSUED", "ACTIVE"),
        ("ISSUED", "FAILED"),
        ("ISSUED", "TIMED_OUT"),
        ("ACTIVE", "WAITING"),
        ("ACTIVE", "TERMINATED"),
        ("ACTIVE", "FAILED"),
        ("ACTIVE", "TIMED_OUT"),
        ("WAITING", "ACTIVE"),
        ("WAITING", "FAILED"),
        ("WAITING", "TIMED_OUT"),
    }
)
"""How a work item may move. The database enforces the same pairs (see `agguard.ledger.schema`)."""


def settled(work: Work) -> State:
    """Return the state that follows from the work alone."""
    if work.pending:
        return "HANDOFF_PENDING"
    if work.running:
        return "EXECUTION_ACTIVE"
    return "RECOVERY_REQUIRED" if work.dead else "REVIEWING"


def after(state: State, event: TurnEvent, work: Work) -> State:
    """Return the state after `event`; `work` is how the items stand after it."""
    cell = TABLE[event][STATES.index(state)]
    if cell == "STAY":
        return state
    return settled(work) if cell == "SETTLE" else cell


def answers(event: TurnEvent, state: State) -> bool:
    """Whether `event`, which led to `state`, deals with the failures before it."""
    return event in ANSWERS or (event == "STOP_ALLOWED" and state == "CLOSED")
