"""What a conversation did since its user last spoke."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.transcript.calls import Call, calls
from agguard.transcript.head import request
from agguard.transcript.message import Message, message, shortened
from agguard.transcript.moment import epoch
from agguard.transcript.reverse import LIMITS
from agguard.transcript.spawns import Spawned, spawned_in
from agguard.transcript.tail import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agguard.transcript.reverse import Limits
    from agguard.transcript.row import Row
    from agguard.transcript.tail import Tail

_UNHEARD = ("QUEUED", "PENDING")
_UNFINISHED = ("GENERATING", "PENDING", "RUNNING")


class Turn(Value):
    """The rows after the user's last message; all of them where there is no such message.

    A subagent's transcript has none: its tasks are among `messages`, so its turn is all it ever
    did, and a step tells what belongs to which task.

    Attributes:
        user_step: Step of the user's last message, or None.
        user_text: What the user wrote.
        started_at: When, in seconds since 1970, or None.
        last_message: The model's last text that is not empty, or None.
        last_message_step: Its step, or None.
        last_message_cut: Whether the host shortened it.
        last_step: The highest step that was read, or None.
        answered: Whether the newest thing the model did is a text without tool calls. At a stop
            it is, so when it is not, the transcript is a message behind.
        calls: The tool calls with their results, by step.
        messages: What agents, tasks and the system sent to this conversation, by step.
        spawned: Its children since then, and their reports.
        complete: Whether nothing of the turn was lost.
        problem: What was lost and why, or ''.
        path: The file that was read, or ''.
    """

    user_step: int | None = None
    user_text: str = ""
    started_at: float | None = None
    last_message: str | None = None
    last_message_step: int | None = None
    last_message_cut: bool = False
    last_step: int | None = None
    answered: bool = False
    calls: tuple[Call, ...] = ()
    messages: tuple[Message, ...] = ()
    spawned: Spawned = Spawned()
    complete: bool = False
    problem: str = ""
    path: str = ""


def turn(path: str, limits: Limits = LIMITS) -> Turn:
    """Return the newest turn of the transcript at `path`, or of its sibling.

    Reads backwards until the user's last message and a little beyond (`tail.WINDOW_ROWS`), so
    the cost depends on the turn, not on the file, and is bounded by `limits`.
    """
    return turn_of(tail(path, _heard, limits))


def turn_of(read: Tail) -> Turn:
    """Return the turn that the rows of `read` make up."""
    asked = next((row for row in reversed(read.rows) if _heard(row)), None)
    rows = read.rows if asked is None else tuple(r for r in read.rows if r.step > asked.step)
    made = calls(rows)
    complete = (read.found or read.start) and not read.problem
    said = next((row for row in reversed(rows) if row.by_model and row.content.strip()), None)
    return Turn(
        user_step=asked.step if asked else None,
        user_text=request(asked.content) if asked else "",
        started_at=epoch(asked.created_at) if asked else None,
        last_message=said.content if said else None,
        last_message_step=said.step if said else None,
        last_message_cut=shortened(said) if said else False,
        last_step=read.rows[-1].step if read.rows else None,
        answered=_is_answered(rows),
        calls=made,
        messages=tuple(sent for row in rows if (sent := message(row)) is not None),
        spawned=spawned_in(rows, made, complete=complete, problem=read.problem),
        complete=complete,
        problem=read.problem,
        path=read.path,
    )


def _heard(row: Row) -> bool:
    """Whether `row` is a user's message that has reached the agent."""
    return row.by_user and row.status not in _UNHEARD


def _is_answered(rows: Sequence[Row]) -> bool:
    last = next((row for row in reversed(rows) if row.source == "MODEL"), None)
    return (
        last is not None
        and last.by_model
        and last.status not in _UNFINISHED
        and not last.tool_calls
        and bool(last.content.strip())
    )
