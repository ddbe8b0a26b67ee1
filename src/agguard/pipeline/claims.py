"""Looks up what a report claims in the child's own record. Pure: the record comes as a `Turn`.

A report is not taken for the truth (design, section 7). The record is the engine's, and no agent
can write it.
"""

from __future__ import annotations

import os

from agguard.location import PATH_KEYS, is_inside, spelled
from agguard.model.report.schema import EXECUTOR
from agguard.pipeline.proof import is_last, proves, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.model.report.reading import Report
    from agguard.transcript.calls import Call
    from agguard.transcript.turns import Turn

EDITORS = (
    "write_to_file",
    "replace_file_content",
    "multi_replace_file_content",
    "sed_file",
    "edit_notebook",
    "notebook_edit",
)
"""Tools that change the file that they name (contract, section 4)."""


def unproven(report: Report, turn: Turn, since: int, folder: str) -> tuple[str, ...]:
    """Return the claims of a report that the record does not bear out; () when it bears out all.

    Only a success of somebody who executes claims anything that can be looked up.

    Args:
        report: A valid report.
        turn: The child's record.
        since: The step at which its task began; what stands before it proves nothing.
        folder: The child's artifact folder: notes that it writes there are no edits.
    """
    if report.role != EXECUTOR or report.status != "completed":
        return ()
    if turn.problem:
        return (f"its record could not be read whole ({turn.problem}), so nothing is proven",)
    calls = [call for call in turn.calls if call.step > since and _took_place(call)]
    edits = [(call.step, path) for call in calls for path in _paths(call)]
    own = [step for step, path in edits if not is_inside(path, folder)]
    return (
        *_unwritten(report.document["files_modified"], [path for _, path in edits]),
        *_unverified(report.document["verify_cmd"], calls, max(own, default=since)),
    )


def _unverified(claimed: str, calls: list[Call], last_edit: int) -> Iterator[str]:
    """Yield why the command does not prove the result; nothing when it does."""
    runs = [call for call in calls if call.name == "run_command" and _is_run_of(call, claimed)]
    what = f"verify_cmd {claimed!r}"
    if not runs:
        yield f"{what} is not among the commands that it ran"
        return
    late = [call for call in runs if call.step > last_edit or _is_after(call, claimed, last_edit)]
    if not late:
        yield f"{what} was not run after its last edit (step {last_edit})"
        return
    codes = [call.result.exit_code if call.result else None for call in late]
    if codes[-1] is None:
        yield f"{what} has no known exit status"
    elif codes[-1]:
        yield f"{what} ended with exit status {codes[-1]}"


def _is_run_of(call: Call, claimed: str) -> bool:
    line = call.args.get("CommandLine")
    return isinstance(line, str) and proves(line, claimed)


def _is_after(call: Call, claimed: str, last_edit: int) -> bool:
    """Whether a line changes files itself, and then runs the claimed command: `cp a b && make`."""
    return call.step == last_edit and is_last(call.args["CommandLine"], claimed)


def _unwritten(claimed: list[str], paths: list[str]) -> Iterator[str]:
    """Yield a claim for each file that was not written."""
    for name in claimed:
        if not any(_is_same(name, path) for path in paths):
            yield f"files_modified names {name!r}, which it did not write"


def _is_same(name: str, path: str) -> bool:
    """Whether a report's name of a file can mean a path; a relative one means the end of it.

    Letter case is ignored, as file systems may.
    """
    full = spelled(name)
    if full:
        return full.casefold() == path.casefold()
    relative = os.path.normpath(name).casefold()
    return f"{os.sep}{path.casefold()}".endswith(f"{os.sep}{relative}")


def _paths(call: Call) -> Iterator[str]:
    """Yield the paths that a call has written, absolute where that is known."""
    if call.name in EDITORS:
        named = (call.args.get(key) for key in PATH_KEYS)
        yield from (spelled(text) or text for text in named if isinstance(text, str) and text)
    elif call.name == "run_command":
        line, folder = call.args.get("CommandLine"), call.args.get("Cwd")
        base = folder if isinstance(folder, str) else ""
        for text in written(line) if isinstance(line, str) else ():
            yield spelled(text) or os.path.normpath(os.path.join(base, text))


def _took_place(call: Call) -> bool:
    """Whether a call was not denied and did not fail as a call; a command's status is its own."""
    result = call.result
    return result is None or not (result.denied or result.type == "ERROR_MESSAGE" or result.error)
