"""How many of a subagent's commands failed one after another, read from the end of its record."""

from __future__ import annotations

from agguard.model.call import Failures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agguard.ledger.records import Entry
    from agguard.model.session import Session
    from agguard.pipeline.books import Books
    from agguard.transcript.calls import Call
    from agguard.transcript.row import Row

MOST = 100
"""Commands that are counted, and entries of the log that are looked at."""


def failures(session: Session, books: Books) -> Failures:
    """Return the commands of a subagent that failed in a row, in its present task.

    A command's exit status stands in its row of the transcript. Where the host says in PostToolUse
    that it failed, that counts as well; some hosts write no transcript before the turn ends.
    """
    from agguard.transcript.calls import calls
    from agguard.transcript.tail import tail

    rows = _since(tail(session.transcript, _is_enough(session.parent)).rows, session.parent)
    told = books.ask(lambda x: x.entries(conversation=session.conversation, limit=MOST)) or []
    runs = [call for call in calls(rows) if call.name == "run_command"]
    answered = max((row.step for row in rows if row.by_model), default=-1)
    return counted(runs, {entry.step: entry for entry in told if _is_failure(entry)}, answered)


def counted(runs: Iterable[Call], told: dict[int, Entry], answered: int) -> Failures:
    """Count the failures at the end of a list of commands. Pure.

    Args:
        runs: Commands, by step.
        told: The log's entry of each step at which PostToolUse named an error.
        answered: The step of the model's newest answer.
    """
    found = Failures()
    for call in sorted(runs, key=lambda one: one.step, reverse=True):
        code = call.result.exit_code if call.result else None
        denied = call.result is not None and bool(call.result.denied)
        if denied or (code is None and call.step not in told and _is_open(call)):
            continue
        if code == 0 or (code is None and call.step not in told):
            break
        if not found.count:
            line = str(call.args.get("CommandLine", ""))
            found = Failures(0, line, code, is_fresh=call.step > answered)
        found = found.replace(count=found.count + 1)
    return found


def _is_open(call: Call) -> bool:
    """Whether a command may still be running."""
    return call.result is None or call.result.status in ("RUNNING", "PENDING", "GENERATING")


def _is_failure(entry: Entry) -> bool:
    return entry.event == "PostToolUse" and entry.tool == "run_command" and entry.faults == "[]"


def _is_enough(parent: str) -> Callable[[Row], bool]:
    """Return what tells, row by row from the end, that older rows do not matter."""
    seen = 0

    def enough(row: Row) -> bool:
        nonlocal seen
        if row.type == "RUN_COMMAND":
            seen += 1
            from agguard.transcript.calls import exit_code

            code = exit_code(row.content) if row.exit_code is None else row.exit_code
            return code == 0 or seen >= MOST
        return _is_task(row, parent)

    return enough


def _since(rows: tuple[Row, ...], parent: str) -> tuple[Row, ...]:
    """Return the rows of the present task: a new one begins without failures."""
    steps = [row.step for row in rows if _is_task(row, parent)]
    return tuple(row for row in rows if row.step > max(steps, default=-1))


def _is_task(row: Row, parent: str) -> bool:
    from agguard.transcript.message import message

    sent = message(row)
    return sent is not None and bool(parent) and sent.sender == parent
