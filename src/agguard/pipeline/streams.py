"""Standard input and output of a hook, kept away from the guards."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.dispatch.deadline import Clock

QUIET = 0.2
"""Seconds without a byte after which a complete document is taken for the whole input."""

CHUNK = 1 << 20


def claim_output() -> int:
    """Take standard output for the answer alone; whatever else is printed goes to stderr.

    Returns:
        The descriptor that the answer must be written to.
    """
    _complete()
    answer = os.dup(1)
    os.dup2(2, 1)
    return answer


def read_input(clock: Clock) -> bytes:
    """Read standard input to its end, then leave guards an empty one.

    Some callers never close the pipe (peers, row 77): once a whole document has arrived and the
    line stays quiet, that is the input.
    """
    data = bytearray()
    while chunk := _next(data, clock):
        data += chunk
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return bytes(data)


def write_line(descriptor: int, text: str) -> None:
    """Write one line whole. A reader that is gone is no reason to fail: nobody is listening."""
    view = memoryview(text.encode() + b"\n")
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError:
        return


def _complete() -> None:
    """Open what the caller has closed of the standard files, so that nothing else takes its place.

    A hook without stderr must answer as well, and a ledger must not become anybody's stderr.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free


def _next(data: bytearray, clock: Clock) -> bytes:
    if os.name == "posix":
        import select

        patience = QUIET if data else clock.left
        while not select.select([0], [], [], min(patience, clock.left))[0]:
            if _is_whole(data) or not clock.left:
                return b""
    try:
        return os.read(0, CHUNK)
    except OSError:
        return b""


def _is_whole(data: bytearray) -> bool:
    import json

    if not data.rstrip().endswith(b"}"):
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
