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
    seen = _Seen(wanted)
    for line in lines:
        if not seen.takes(line):
            break
        if not seen.found:
            seen.long_lines = lines.long_lines
    if not seen.found:
        seen.long_lines = lines.long_lines
    start = not seen.found and not lines.stopped
    problem = seen.problem("" if seen.found else lines.stopped)
    return Tail(seen.sorted_rows(), seen.found, start, problem)


class _Seen:
    """What has been read so far, newest first."""

    __slots__ = (
        "_bytes", "_lines", "_rows", "_top", "_wanted", "cut", "found", "long_lines", "unreadable",
    )  # fmt: skip

    def __init__(self, wanted: Callable[[Row], bool]) -> None:
        self._wanted = wanted
        self._rows: dict[int, Row] = {}
        self._top = 0
        self._lines = self._bytes = 0  # of the window
        self.cut = self.found = False
        self.long_lines = self.unreadable = 0

    def takes(self, line: bytes) -> bool:
        """Take one more line; False when no more are needed."""
        row = parse(line)
        if self.found:
            self._lines += 1
            self._bytes += len(line)
            self._take_late(row)
            return self._lines < WINDOW_ROWS and self._bytes < WINDOW_BYTES
        if row is None:
            self._lose()
        else:
            self._rows.setdefault(row.step, row)
            self._top = max(self._top, row.step)
            self.found = self._wanted(row)
        return True

    def problem(self, stopped: str) -> str:
        """Return what was lost, or ''."""
        lost = (
            (self.cut, "the last line is cut in half"),
            (self.unreadable, f"{self.unreadable} unreadable lines"),
            (self.long_lines, f"{self.long_lines} lines are too long and were passed over"),
            (stopped, stopped),
        )
        return "; ".join(text for is_so, text in lost if is_so)

    def sorted_rows(self) -> tuple[Row, ...]:
        """Return the rows in the order of their steps."""
        return tuple(self._rows[step] for step in sorted(self._rows))

    def _take_late(self, row: Row | None) -> None:
        """Take a row of the window, unless its number shows that it belongs elsewhere.

        A step far above all that were written after it would be of another numbering.
        """
        if row is not None and row.step <= self._top + WINDOW_ROWS:
            self._rows.setdefault(row.step, row)

    def _lose(self) -> None:
        if self._rows or self.unreadable or self.cut:
            self.unreadable += 1
        else:
            self.cut = True
