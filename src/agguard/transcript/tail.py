"""The newest rows of a transcript, back to one that was asked for."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.transcript import files
from agguard.transcript.reverse import LIMITS, Reverse
from agguard.transcript.row import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.transcript.reverse import Limits
    from agguard.transcript.row import Row

WINDOW_ROWS = 64
WINDOW_BYTES = 1 << 18
"""How far to read on behind the row that was looked for.

A row is written when its step is finished, so it is out of place only against steps that ran at
the same time: the calls of one answer, and messages that came meanwhile. Measured: a denied
call's row stands before its answer's, a failed parse before its neighbors' results; reported:
0, 1, 3, 2, 4. A user's request is finished at once, so nothing of its turn should stand before
it; 64 rows is several times what a model calls in one answer.
"""


class Tail(Value):
    """Rows sorted by step, one for each step: of several the one written last.

    `found` says that the wanted row was met, `start` that the file's start was. `problem` names
    all that was lost in between; with '' nothing was. `path` is the file that was read.
    """

    rows: tuple[Row, ...] = ()
    found: bool = False
    start: bool = False
    problem: str = ""
    path: str = ""


def tail(path: str, wanted: Callable[[Row], bool], limits: Limits = LIMITS) -> Tail:
    """Return the rows from the end of a transcript back to the last `wanted` one.

    Of the transcript's two files the better one is read; the other when that is missing, or does
    not reach back far enough within `limits` and the other does.
    """
    best = Tail(problem=f"no transcript at {path!r}")
    for candidate in files.candidates(path):
        try:
            with files.File(candidate) as file:
                read = tail_in(file.read, file.size, wanted, limits).replace(path=candidate)
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            read = Tail(problem=f"cannot read {candidate!r}: {error}")
        if read.found or read.start:
            return read
        if not best.rows:
            best = read
    return best


def tail_in(
    read: Callable[[int, int], bytes],
    size: int,
    wanted: Callable[[Row], bool],
    limits: Limits = LIMITS,
) -> Tail:
    """Do the same for a file of `size` bytes that `read(offset, size)` reads."""
    lines = Reverse(read, size, limits)
    unread = iter(lines)
    seen = _Seen()
    found = any(seen.takes(line, wanted) for line in unread)
    start = not found and not lines.stopped
    problem = seen.problem(lines)
    if found:
        lines.allow(WINDOW_BYTES)
        for _, line in zip(range(WINDOW_ROWS), unread, strict=False):
            seen.take_late(line)
    return Tail(seen.sorted_rows(), found, start, problem)


class _Seen:
    """The rows read so far, newest first."""

    __slots__ = ("_cut", "_rows", "_top", "_unreadable")

    def __init__(self) -> None:
        self._rows: dict[int, Row] = {}
        self._top = 0
        self._cut = False
        self._unreadable = 0

    def takes(self, line: bytes, wanted: Callable[[Row], bool]) -> bool:
        """Take one more line; True when it is a row that is wanted."""
        row = parse(line)
        if row is None:
            if self._rows or self._cut:
                self._unreadable += 1
            else:
                self._cut = True
            return False
        self._rows.setdefault(row.step, row)
        self._top = max(self._top, row.step)
        return wanted(row)

    def take_late(self, line: bytes) -> None:
        """Take a line of the window, unless its number shows that it belongs elsewhere.

        A step far above all that were written after it would be of another numbering.
        """
        row = parse(line)
        if row is not None and row.step <= self._top + WINDOW_ROWS:
            self._rows.setdefault(row.step, row)

    def problem(self, lines: Reverse) -> str:
        """Return what was lost, or ''."""
        if not (self._cut or self._unreadable or lines.long_lines or lines.stopped):
            return ""
        from agguard.quantity import counted

        long = counted(lines.long_lines, "line is", "lines are")
        lost = (
            (self._cut, "the last line is cut"),
            (self._unreadable, f"{counted(self._unreadable, 'line is', 'lines are')} unreadable"),
            (lines.long_lines, f"{long} too long and passed over"),
            (lines.stopped, lines.stopped),
        )
        return "; ".join(text for is_so, text in lost if is_so)

    def sorted_rows(self) -> tuple[Row, ...]:
        """Return the rows in the order of their steps."""
        return tuple(self._rows[step] for step in sorted(self._rows))
