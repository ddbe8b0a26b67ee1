"""Antigravity's hook payloads, read tolerantly (contract, sections 2 and 4).

Unknown fields, unknown tools and fields of a wrong type are no reason to fail: versions drift, and
a hook that dies is a guard that is off. What cannot be read at all is a `PayloadError`.
"""

from __future__ import annotations

from agguard import jsontext
from agguard.errors import PayloadError
from agguard.model.call import ToolCall
from agguard.model.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PREFIX = "default_api:"
"""Some builds name tools with it (contract, section 4)."""

MARK = b"\xef\xbb\xbf"
"""The byte order mark that some callers write before UTF-8."""


def parse(name: str, data: bytes) -> Event:
    """Read the payload of the event `name`.

    Args:
        name: The event; hooks.json hands it over as an argument, for payloads do not hold it.
        data: Standard input, whole.

    Raises:
        PayloadError: `data` is not one JSON object.
    """
    payload = _object(data)
    call = _call(payload)
    return Event(
        name=name,
        conversation=_text(payload, "conversationId"),
        parent=_text(payload, "parentConversationId"),
        workspaces=_texts(payload, "workspacePaths"),
        artifact_dir=_text(payload, "artifactDirectoryPath"),
        transcript=_text(payload, "transcriptPath"),
        model=_text(payload, "modelName"),
        step=_whole(payload, "stepIdx") or _whole(payload, "initialNumSteps"),
        call=call,
        error=_text(payload, "error"),
        invocation=_whole(payload, "invocationNum"),
        termination=_text(payload, "terminationReason"),
        fully_idle=payload.get("fullyIdle") is not False,
        continuation=_whole(payload, "executionNum"),
    )


def _object(data: bytes) -> dict[str, Any]:
    # The host writes valid UTF-8; a byte that is none must not end the hook (ai-memory issue 611).
    # "utf-8-sig" would be a codec to import.
    text = data.removeprefix(MARK).decode("utf-8", "replace").strip()
    if not text:
        msg = "the hook's standard input was empty; expected one JSON object"
        raise PayloadError(msg)
    try:
        payload = jsontext.loads(text)
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        msg = f"the hook's standard input was not JSON ({what})"
        raise PayloadError(msg) from error
    if not isinstance(payload, dict):
        msg = f"the hook's standard input was a JSON {type(payload).__name__}; expected an object"
        raise PayloadError(msg)
    return payload


def _call(payload: dict[str, Any]) -> ToolCall | None:
    found = payload.get("toolCall")
    if not isinstance(found, dict):
        return None
    args = found.get("args")
    return ToolCall(
        name=_text(found, "name").removeprefix(PREFIX),
        args=args if isinstance(args, dict) else {},
        step=_whole(payload, "stepIdx"),
    )


def _text(payload: dict[str, Any], key: str) -> str:
    found = payload.get(key)
    return found if isinstance(found, str) else ""


def _texts(payload: dict[str, Any], key: str) -> tuple[str, ...]:
    found = payload.get(key)
    return tuple(x for x in found if isinstance(x, str)) if isinstance(found, list) else ()


def _whole(payload: dict[str, Any], key: str) -> int:
    """Read a number; they arrive as doubles (contract, section 2.2)."""
    found = payload.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return 0
    return int(found) if abs(found) < 2**53 else 0
