"""The opening record of a conversation: who started it, and with what words."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.transcript import files
from agguard.transcript.message import is_conversation, message, shortened
from agguard.transcript.row import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agguard.transcript.row import Row

LIMIT = 8 << 20
"""Bytes of the head that are read at most: a prompt of 1 MB, escaped sixfold, still fits."""

NEIGHBORS = 64
"""Rows among which the opening is looked for when the first is not step 0.

Rows are written when they are finished. Only steps that run at the same time can change places,
which are the calls of one answer and what arrives meanwhile: a handful.
"""

_BLOCK = 1 << 16


class Opening(Value):
    """The record with the lowest step.

    `kind` is 'user' for a request by the user, 'agent' for a message that another conversation
    sent, else 'other'. `sender` is that conversation's id, or ''. `text` is the request or the
    message itself, without the engine's wrapping; `cut` says that the host shortened it.

    `step` is 0 unless the host rewrote the file and its real opening is gone. Such a record says
    nothing about who started the conversation.
    """

    kind: str
    sender: str = ""
    text: str = ""
    step: int = 0
    created_at: str = ""
    cut: bool = False


def opening(path: str, limit: int = LIMIT) -> Opening | None:
    """Return the opening record, or None when the file is missing or does not hold it yet.

    Args:
        path: The transcript that the host named; its sibling is tried too. The full one comes
            first: in the compact one a prompt is cut to 4 kB.
        limit: Bytes to read at most, whatever the file's size.
    """
    for candidate in files.candidates(path):
        try:
            with files.File(candidate) as file:
                found = opening_in(file.read, min(limit, file.size))
        except (OSError, ValueError):
            continue
        if found is not None:
            return found
    return None


def opening_in(read: Callable[[int, int], bytes], limit: int) -> Opening | None:
    """Return the opening record of the file whose bytes `read(offset, size)` returns."""
    first: Row | None = None
    for count, line in enumerate(_lines(read, limit)):
        row = parse(line)
        if row is not None and (first is None or row.step < first.step):
            first = row
        if (first is not None and first.step == 0) or count == NEIGHBORS:
            break
    return None if first is None else opening_of(first)


def opening_of(row: Row) -> Opening:
    """Say what `row` opens a conversation with."""
    if row.by_user:
        text = request(row.content)
        return Opening("user", "", text, row.step, row.created_at, shortened(row))
    sent = message(row)
    if sent is not None and is_conversation(sent.sender):
        return Opening("agent", sent.sender, sent.text, row.step, row.created_at, sent.cut)
    return Opening("other", "", row.content, row.step, row.created_at, shortened(row))


def request(content: str) -> str:
    """Return what the user wrote: the content of <USER_REQUEST>, or all of it without one.

    The user may write the tag too; the engine's own is the first and the last of them.
    """
    if not content.startswith("<USER_REQUEST>"):
        return content
    body = content.removeprefix("<USER_REQUEST>")
    end = body.rfind("</USER_REQUEST>")
    return (body if end < 0 else body[:end]).removeprefix("\n").removesuffix("\n")


def _lines(read: Callable[[int, int], bytes], limit: int) -> Iterator[bytes]:
    """Yield the lines within the first `limit` bytes; the last may be cut."""
    held: list[bytes] = []
    offset = 0
    while offset < limit:
        block = read(offset, min(_BLOCK, limit - offset))
        if not block:
            break
        offset += len(block)
        *lines, rest = block.split(b"\n")
        for line in lines:
            yield b"".join([*held, line])
            held.clear()
        held.append(rest)
    yield b"".join(held)
