"""One row of a transcript."""

from __future__ import annotations

from agguard import jsontext
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeGuard


class Row(Value):
    """The fields of one line that anybody here asks for (contract, section 5).

    `step` is the engine's `step_index`; rows stand in the file in the order in which they were
    finished, not in this order. `cut` names the fields that the host shortened.
    """

    step: int
    source: str = ""
    type: str = ""
    status: str = ""
    created_at: str = ""
    content: str = ""
    error: str = ""
    exit_code: int | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    cut: tuple[str, ...] = ()

    @property
    def by_user(self) -> bool:
        """Whether the user wrote it; what agents and the system send has another type.

        USER_IMPLICIT is left out: taking what nobody typed for a new turn would hide the work
        before it.
        """
        return self.type == "USER_INPUT" and self.source in ("USER_EXPLICIT", "USER")

    @property
    def by_model(self) -> bool:
        """Whether it is the model's own answer: a text, tool calls or both."""
        return self.type == "PLANNER_RESPONSE" and self.source == "MODEL"


def parse(line: bytes) -> Row | None:
    """Return the row that `line` holds, or None when it holds none; never raises.

    A byte order mark, a carriage return and invalid UTF-8 are tolerated; a line that was cut in
    half, or is nested too deeply to be the host's, is no row.
    """
    try:
        found = jsontext.loads(line.decode("utf-8", "replace").lstrip("\ufeff"))
        if b"\\u" in line:
            found = _encodable(found)
    except (ValueError, RecursionError):
        return None
    step = whole_number(found.get("step_index")) if isinstance(found, dict) else None
    return None if step is None else _row(step, found)


def _row(step: int, found: dict[str, Any]) -> Row:
    calls, cut = found.get("tool_calls"), found.get("truncated_fields")
    return Row(
        step,
        _text(found.get("source")),
        _text(found.get("type")),
        _text(found.get("status")),
        _text(found.get("created_at")),
        _text(found.get("content")),
        _text(found.get("error")),
        whole_number(found.get("exit_code"), least=-(1 << 31)),
        tuple(call for call in calls if _is_call(call)) if isinstance(calls, list) else (),
        tuple(name for name in cut if isinstance(name, str)) if isinstance(cut, list) else (),
    )


def whole_number(value: object, least: int = 0) -> int | None:
    """Return a JSON number as int; protojson writes 64-bit ones as strings, Struct ones as 5.0."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:  # noqa: PLR2004 - fits 64 bits
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if least <= value < 1 << 63 else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_call(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict) and isinstance(value.get("name"), str)


def _encodable(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Replace half surrogates, which json.loads lets through and no database takes."""
    if isinstance(value, str):
        return (
            value
            if value.isascii()
            else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return value
