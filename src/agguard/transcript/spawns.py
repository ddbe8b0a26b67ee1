"""What a conversation's subagents are, and what they reported."""

from __future__ import annotations

from agguard import jsontext
from agguard.model.value import Value
from agguard.transcript.calls import calls
from agguard.transcript.message import SYSTEM, is_conversation, message
from agguard.transcript.reverse import LIMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agguard.transcript.calls import Call
    from agguard.transcript.reverse import Limits
    from agguard.transcript.row import Row
    from agguard.transcript.turns import Turn

_KIND = "INVOKE_SUBAGENT"
_FAILED = ("ERROR", "INVALID", "CANCELED", "INTERRUPTED")
_IDLE = " has gone idle. This was the subagent's most recent response: "


class Child(Value):
    """A subagent that an `invoke_subagent` call started.

    `step` is that call's, `position` the child's place in its `Subagents` (contract, section 2.3:
    the order is the same), `log` the URI of its transcript.
    """

    step: int
    position: int
    conversation: str
    log: str = ""
    workspaces: tuple[str, ...] = ()


class FailedSpawn(Value):
    """An `invoke_subagent` call that failed, was denied or could not be parsed.

    It fails as a whole, yet the engine may have started some of its children before it came to
    the one that failed (measured); no row names those.
    """

    step: int
    error: str


class Report(Value):
    """The last message of a child that went idle, as the engine told the parent."""

    step: int
    child: str
    text: str
    sent: str = ""
    cut: bool = False


class Spawned(Value):
    """Children, failed spawns and reports, each in the order of steps.

    With `complete` nothing was lost; `problem` says what was.
    """

    children: tuple[Child, ...] = ()
    failed: tuple[FailedSpawn, ...] = ()
    reports: tuple[Report, ...] = ()
    complete: bool = False
    problem: str = ""


def spawned(source: str | Turn, since: int = -1, limits: Limits = LIMITS) -> Spawned:
    """Return what became of the subagents that a conversation started.

    Args:
        source: A turn, or the path of the parent's transcript.
        since: With a path: only rows with a higher step, which is how far the file is read back.
        limits: With a path: what reading may cost.
    """
    if not isinstance(source, str):
        return source.spawned
    from agguard.transcript.tail import tail

    read = tail(source, lambda row: row.step <= since, limits)
    rows = [row for row in read.rows if row.step > since]
    complete = (read.found or read.start) and not read.problem
    return spawned_in(rows, calls(rows), complete=complete, problem=read.problem)


def spawned_in(
    rows: Sequence[Row], made: Sequence[Call], *, complete: bool, problem: str
) -> Spawned:
    """Return what `rows`, sorted by step, say; `made` are the calls in them."""
    own = [row for row in rows if row.type == _KIND and row.source == "MODEL"]
    children = tuple(child for row in own for child in _children(row))
    failed = [FailedSpawn(row.step, row.error or row.status) for row in own if _has_failed(row)]
    failed += [
        FailedSpawn(call.step, call.result.denied or call.result.error)
        for call in made
        if call.name == "invoke_subagent" and call.result and call.result.type == "ERROR_MESSAGE"
    ]
    silent = {row.step for row in own if row.status == "DONE"} - {one.step for one in children}
    if silent:
        complete, silence = False, f"spawns at steps {sorted(silent)} name no child"
        problem = f"{problem}; {silence}" if problem else silence
    return Spawned(
        children,
        tuple(sorted(failed, key=lambda one: one.step)),
        tuple(one for row in rows if (one := report(row)) is not None),
        complete,
        problem,
    )


def report(row: Row) -> Report | None:
    """Return the report that the engine recorded in `row`, or None.

    Only a message of the system's counts, and only from its first word on: a child may send its
    parent the same words, with its own id as sender, or put them into its report.
    """
    sent = message(row)
    if sent is None or sent.sender != SYSTEM or not sent.text.startswith("Subagent "):
        return None
    child, found, text = sent.text.removeprefix("Subagent ").partition(_IDLE)
    if not found or not is_conversation(child):
        return None
    return Report(row.step, child, text, sent.sent, sent.cut)


def _has_failed(row: Row) -> bool:
    return row.status in _FAILED or bool(row.error)


def _children(row: Row) -> Iterator[Child]:
    if _has_failed(row):
        return
    named = (item for item in _objects(row.content) if is_conversation(_id(item)))
    for position, item in enumerate(named):
        uris = item.get("workspaceUris")
        yield Child(
            row.step,
            position,
            _id(item),
            str(item.get("logAbsoluteUri", "")),
            tuple(map(str, uris)) if isinstance(uris, list) else (),
        )


def _id(item: dict[str, Any]) -> str:
    return str(item.get("conversationId", ""))


def _objects(content: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that stand one after another in `content`, each on lines of its own.

    What stands between two of them ends the list: prose follows the last one.
    """
    at = 0 if content.startswith("{") else content.find("\n{") + 1
    while at < len(content) and content[at] == "{":
        try:
            found, at = jsontext.first(content, at)
        except (ValueError, RecursionError):
            return
        yield found
        while at < len(content) and content[at].isspace():
            at += 1
