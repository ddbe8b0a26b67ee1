"""The rows of the ledger, as values. Times are epoch seconds, given by the caller."""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.ledger.fsm import State, Status, TurnEvent
    from agguard.model.session import Role


class Conversation(Value):
    """An agent whose role is established; `unknown` is never stored (design, section 3)."""

    id: str
    role: Role
    parent: str = ""
    remaining_depth: int = 0
    read_only: bool = False
    bound_by: str = ""
    """Which evidence established the role."""
    first_seen: float = 0.0
    last_seen: float = 0.0


class WorkItem(Value):
    """One task that one agent gave to another."""

    id: str
    token: str
    """Proves to agguard that a conversation does this work; empty when none was handed out."""
    issuer: str
    step: int
    position: int
    """Its place in the call's list, from 0."""
    digest: str
    """Of the prompt; what two fires of one call have in common."""
    role: Role
    remaining_depth: int
    read_only: bool
    status: Status = "ISSUED"
    child: str = ""
    """The conversation that does it; empty until it is known."""
    type_name: str = ""
    agent_role: str = ""
    model: str = ""
    created_at: float = 0.0
    updated_at: float = 0.0
    """The last sign of life."""
    turn: int = 0
    """The issuer's turn that it was issued in."""
    origin: str = "spawn"
    """`spawn`, or `message` for a further task of a child that exists."""
    accepted: bool = False
    """The host has started the child, or its own claim says so."""
    cause: str = ""
    """Why it ended, when it did not end well."""
    words: str = ""
    """What the task is about, as hashes of its words."""


class Delivery(Value):
    """One report of a child about one task. The caller has redacted every text."""

    item: str
    issuer: str
    child: str
    at: float
    way: str
    """How it came: `stop`, `message`, or `record` (read in the issuer's transcript)."""
    standing: str
    """`valid`, `unverified` (something it claims is not borne out) or `invalid`."""
    status: str
    """How the child says that it ended; empty for what is no report."""
    summary: str
    detail: str
    """JSON: a list of texts, what is wrong with it or not borne out."""
    body: str
    """JSON: the report itself."""
    digest: str
    """Of the report as it was sent; the same one is stored once."""
    told: float = 0.0
    """When the issuer was told of it; 0 when it was not."""
    seq: int = 0
    """Its number; given by the ledger."""


class Turn(Value):
    """Where a conversation stands in its state machine (see `agguard.ledger.fsm`)."""

    conversation: str
    turn: int = 0
    state: State = "CLOSED"
    answered: int = 0
    """The event up to which dead work has been dealt with."""
    updated_at: float = 0.0


class Fact(Value):
    """What happened to a conversation's turn, before the state machine has judged it."""

    type: TurnEvent
    conversation: str
    """Whose turn it is: for an item's event, the issuer's."""
    at: float
    turn: int | None = None
    """The turn that begins; None for the latest one."""
    item: str = ""
    child: str = ""
    from_status: str = ""
    to_status: str = ""
    detail: str = ""


class Event(Value):
    """One step of a turn's state machine, and of a work item's where it concerns one."""

    seq: int
    at: float
    conversation: str
    turn: int
    type: TurnEvent
    before: State
    after: State
    item: str = ""
    child: str = ""
    from_status: str = ""
    to_status: str = ""
    pending: int = 0
    """Items of the conversation that wait for the host, after this event."""
    running: int = 0
    dead: int = 0
    """Items that failed or timed out and were not dealt with yet."""
    detail: str = ""


class Entry(Value):
    """One decision in the audit log. The caller has redacted every text."""

    at: float
    conversation: str
    event: str
    """The host's event: PreToolUse, Stop, ..."""
    step: int = 0
    turn: int = 0
    tool: str = ""
    subject: str = ""
    """What the call was about: a command line, a path."""
    effect: int = 0
    decision: str = ""
    reasons: str = "[]"
    """JSON: a list of [guard, decision, text]."""
    faults: str = "[]"
    """JSON: a list of [plugin, hook, kind, text]."""
    micros: int = 0
    role: str = ""
    inert: bool = False
    """A call that must not count for anything, such as a forged one: logged, nothing else."""
    answers: str = "[]"
    """JSON: a list of [hook, guard, answer, microseconds], of the guards that had an opinion."""
    seq: int = 0
    """Its number in the log; given by the ledger."""
