"""Messages between agents: the engine's SYSTEM_MESSAGE rows.

The engine writes `[Message] timestamp=… sender=… priority=… content=<text>` inside a wrapper of
its own, one message in one row. The text is written by an agent and may hold whatever the
wrapper and the header look like, so only a header that the row begins with counts, and only in
a row that the engine says is from the system.
"""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.transcript.row import Row

SYSTEM = "system"
_PREAMBLE = "The following is a <SYSTEM_MESSAGE> not actually sent by the user."
_OPEN = "\n\n<SYSTEM_MESSAGE>\n"
_CLOSE = "\n</SYSTEM_MESSAGE>"
_HEADER = ("[Message] timestamp=", " sender=", " priority=", " content=")
_HEX = frozenset("0123456789abcdefABCDEF")
_CUT = "\n<truncated "
_NOTE_LENGTH = 250


class Message(Value):
    """One message: who sent it and what it says.

    `sender` is a conversation's id, 'system', or `<conversation>/task-<step>` for a task in the
    background. `sent` is the header's timestamp. `cut` says that the host shortened the text.
    """

    step: int
    sender: str
    text: str
    sent: str = ""
    cut: bool = False


def message(row: Row) -> Message | None:
    """Return the message that the engine recorded in `row`, or None when it recorded none."""
    if row.type != "SYSTEM_MESSAGE" or row.source != "SYSTEM":
        return None
    body, wrapped = _unwrapped(row.content)
    fields = _header(body)
    if fields is None:
        return None
    sent, sender, _, text = fields
    if wrapped and text.endswith(_CLOSE):
        text = text[: -len(_CLOSE)]
    return Message(row.step, sender, text, sent, cut=shortened(row))


def is_conversation(name: str) -> bool:
    """Whether `name` has the form of a conversation's id: 32 hex digits, or a dashed UUID.

    The SDK writes the former, the products the latter (contract, facts at the head).
    """
    digits = name
    if len(name) == 36:  # noqa: PLR2004 - a UUID with its four dashes
        digits = name[:8] + name[9:13] + name[14:18] + name[19:23] + name[24:]
        if (name[8], name[13], name[18], name[23]) != ("-", "-", "-", "-"):
            return False
    return len(digits) == 32 and _HEX.issuperset(digits)  # noqa: PLR2004 - 128 bits


def shortened(row: Row) -> bool:
    """Whether the host cut the row's content.

    transcript.jsonl says so in `truncated_fields`. The engine also cuts what reaches both files
    (measured: a user's request at 192 kB, a message at 48 kB) and leaves this note at the end.
    """
    if "content" in row.cut:
        return True
    note = row.content[-_NOTE_LENGTH:].rpartition(_CUT)[2]
    return note.partition(" bytes>\n\n")[2].startswith("NOTE: The output was truncated")


def _unwrapped(content: str) -> tuple[str, bool]:
    preamble, found, body = content.partition(_OPEN)
    if found and preamble.startswith(_PREAMBLE) and "\n" not in preamble:
        return body, True
    return content, False  # older builds write the message without a wrapper


def _header(body: str) -> list[str] | None:
    """Split `body` into timestamp, sender, priority and text."""
    if not body.startswith(_HEADER[0]):
        return None
    fields, rest = [], body[len(_HEADER[0]) :]
    for mark in _HEADER[1:]:
        value, found, rest = rest.partition(mark)
        if not found or not value or any(sign.isspace() for sign in value):
            return None
        fields.append(value)
    return [*fields, rest]
