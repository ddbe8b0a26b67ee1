"""Tool calls and what became of them.

A call stands in the model's row, its result in a row of its own. The engine gives the i-th call
of the answer at step k the step k + 1 + i, and a PreToolUse payload carries that same step
(measured with parallel, denied and unknown calls), so results are found by step, not by the
order of rows.
"""

from __future__ import annotations

from agguard import jsontext
from agguard.model.value import Value
from agguard.transcript.message import message
from agguard.transcript.row import whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from agguard.transcript.row import Row

PREFIX = "default_api:"
TEXT_LENGTH = 4096
_OWN = {"run_command": "RUN_COMMAND", "invoke_subagent": "INVOKE_SUBAGENT"}
_EXITED = "The command exited with code "
_FINISHED = 'Task id "{}" finished with result:\n\n'
_STAMPS = ("Created At: ", "Completed At: ")
_DENIED = "denied by pre-tool hook:"
_STEP = "error executing cascade step: CORTEX_STEP_TYPE_"


class Result(Value):
    """The row that answers a call.

    `status` is the host's (DONE, ERROR, RUNNING, …), `exit_code` a command's exit status. `error`
    is the host's text when the call failed, `denied` the hook's reason when a hook denied it.
    `text` is the beginning of what the model was told, `TEXT_LENGTH` characters at most.
    """

    step: int
    type: str
    status: str
    exit_code: int | None = None
    error: str = ""
    denied: str = ""
    text: str = ""


class Call(Value):
    """One tool call; `result` is None while there is none, or when it cannot be told which.

    `step` is the call's own, as in `stepIdx` of its PreToolUse payload. `args` are as the model
    wrote them: a hook's `overwrite` is not recorded. `cut` says that the host shortened them.
    """

    name: str
    args: Mapping[str, Any]
    step: int
    result: Result | None = None
    cut: bool = False


def calls(rows: Sequence[Row]) -> tuple[Call, ...]:
    """Return the calls in `rows`, which are sorted by step, each with its result."""
    found: list[Call] = []
    asked: list[Call] = []
    results: list[Row] = []
    for row in rows:
        if row.by_model:
            found += _with_results(asked, results)
            asked, results = _asked(row), []
        elif _is_result(row):
            results.append(row)
    found += _with_results(asked, results)
    return _finished(found, rows)


def arguments(raw: object, *, cut: bool = False) -> dict[str, Any]:
    """Return the arguments as values.

    transcript.jsonl holds each as JSON inside a string, the full one as it is, and there a string
    that happens to be JSON must stay one. So strings are decoded only if all of them are JSON,
    which `toolAction`, on every call, is not by itself; where the host cut some, those that are.
    """
    if isinstance(raw, str):
        raw = _decoded(raw)
    if not isinstance(raw, dict):
        return {}
    if not all(isinstance(value, str) for value in raw.values()):
        return raw
    values = {name: _decoded(value) for name, value in raw.items()}
    if cut or _NOTHING not in values.values():
        return {name: raw[name] if it is _NOTHING else it for name, it in values.items()}
    return raw


def exit_code(content: str) -> int | None:
    """Return the exit status that the engine put before a command's output.

    Only directly after its two time stamps: the output may hold the same words.
    """
    for mark in _STAMPS:
        if content.startswith(mark):
            content = content.partition("\n")[2]
    return _exited(content.lstrip("\n"))


def denied(error: str) -> str:
    """Return the reason of the hook that denied a call, or '' when none did.

    What stands before it differs by executor (contract, section 0) and must be the engine's own
    words: an error may quote the agent.
    """
    before, found, reason = error.partition(_DENIED)
    kind, named, rest = before.removeprefix(_STEP).partition(": ")
    if before.startswith(_STEP) and named and kind.replace("_", "").isupper():
        before = rest
    if not found or before.lower() not in ("", "tool call "):
        return ""
    return reason.strip() or "no reason given"


_NOTHING = object()


def _decoded(text: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return jsontext.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING


def _asked(answer: Row) -> list[Call]:
    cut = "tool_calls" in answer.cut
    return [
        Call(
            str(raw["name"]).removeprefix(PREFIX),
            arguments(raw.get("args"), cut=cut),
            answer.step + 1 + position,
            None,
            cut,
        )
        for position, raw in enumerate(answer.tool_calls)
    ]


def _with_results(asked: list[Call], rows: list[Row]) -> list[Call]:
    places = {call.step: place for place, call in enumerate(asked)}
    found = list(asked)
    for row in rows:
        place = places.get(row.step)
        if not _fits(None if place is None else asked[place], row):
            return _by_type(asked, rows)
        if place is not None:
            found[place] = asked[place].replace(result=_result(row))
    return found


def _by_type(asked: list[Call], rows: list[Row]) -> list[Call]:
    """Pair calls and rows of one type in order, where there are as many of both.

    Steps have gaps on some builds (contract, section 5). Where the numbers differ nothing is
    paired: a command's success must not be ascribed to its neighbor.
    """
    found = list(asked)
    for name, kind in _OWN.items():
        places = [place for place, call in enumerate(asked) if call.name == name]
        own = [row for row in rows if row.type == kind]
        if len(places) == len(own):
            for place, row in zip(places, own, strict=True):
                found[place] = asked[place].replace(result=_result(row), step=row.step)
    return found


def _is_result(row: Row) -> bool:
    if row.source == "SYSTEM":
        return row.type == "ERROR_MESSAGE"  # the call could not be parsed or is unknown
    return row.source == "MODEL" and not row.by_model


def _fits(call: Call | None, row: Row) -> bool:
    """Whether `row` can answer `call`; the types that prove something go with their tool only."""
    if row.type == "ERROR_MESSAGE":
        return True
    own = _OWN.get(call.name) if call else None
    return row.type == own if own else row.type not in _OWN.values()


def _result(row: Row) -> Result:
    code = row.exit_code
    if code is None and row.type == "RUN_COMMAND":
        code = exit_code(row.content)
    error = row.error
    return Result(
        row.step, row.type, row.status, code, error, denied(error), row.content[:TEXT_LENGTH]
    )


def _finished(found: list[Call], rows: Iterable[Row]) -> tuple[Call, ...]:
    """Give commands that ran in the background the exit status that came as a message.

    Its sender is `<conversation>/task-<step>`, which only the engine writes. A timer's message
    has such a sender too, with a text of the agent's choice, but a timer is no command.
    """
    codes: dict[int, int] = {}
    for row in rows:
        sent = message(row)
        if sent is None:
            continue
        step = whole_number(sent.sender.rpartition("/task-")[2])
        start = _FINISHED.format(sent.sender)
        code = _exited(sent.text.removeprefix(start)) if sent.text.startswith(start) else None
        if step is not None and code is not None:
            codes[step] = code
    return tuple(_ended(call, codes) for call in found)


def _ended(call: Call, codes: Mapping[int, int]) -> Call:
    result = call.result
    if result is None or result.type != "RUN_COMMAND" or result.step not in codes:
        return call
    return call.replace(result=result.replace(exit_code=codes[result.step], status="DONE"))


def _exited(text: str) -> int | None:
    if not text.startswith(_EXITED):
        return None
    digits, found, _ = text.removeprefix(_EXITED).partition(".")
    sign = -1 if digits.startswith("-") else 1
    code = whole_number(digits.removeprefix("-")) if found else None
    return None if code is None else sign * code
