"""The lines of a file, last first, in constant memory.

The file is read in blocks from its end. What a reader may cost is bounded by `Limits`, not by
the size of the file: reading stops when they are used up, and `stopped` says so.
"""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK = 1 << 14
GROWTH = 16
"""Blocks double from `BLOCK` up to `GROWTH` times that: most answers are near the end."""


class Limits(Value):
    """How much of a file may be read, in bytes and lines.

    `line` is the longest line that is handed out; a longer one is passed over. The engine cuts a
    tool's output below 200 kB but not a call's arguments (measured: a 1.2 MB prompt stands in its
    row in full), so 4 MiB leaves room for escaping. `total` bounds what is handed out, `passed`
    what is passed over: looking for the start of a long line costs no parsing. `rows` counts every
    line that is not empty.
    """

    line: int = 4 << 20
    total: int = 16 << 20
    passed: int = 64 << 20
    rows: int = 10_000


LIMITS = Limits()


class Reverse:
    """Iterates once over the lines of a file, from its end to its start.

    Lines come without their line feed; empty ones are left out. A run of NUL bytes ends a line
    too: JSON cannot hold one, and files that grew without being written are full of them.

    Args:
        read: Returns `size` bytes at `offset`; fewer only when the file has become shorter.
        size: Bytes in the file when reading began; what is appended later is not seen.
        limits: What reading may cost.
        block: Bytes in the first block.

    Attributes:
        long_lines: Number of lines passed over because they are longer than `limits.line`.
        stopped: Why the start of the file was not reached, or ''.
    """

    __slots__ = (
        "_block", "_end", "_held", "_limits", "_passed", "_read", "_size", "_taken",
        "long_lines", "stopped",
    )  # fmt: skip

    def __init__(
        self,
        read: Callable[[int, int], bytes],
        size: int,
        limits: Limits = LIMITS,
        block: int = BLOCK,
    ) -> None:
        self._read = read
        self._size = size
        self._limits = limits
        self._block = block
        self._held = _Held(limits.line)
        self._taken = 0
        self._passed = 0
        self._end = size
        self.long_lines = 0
        self.stopped = ""

    def __iter__(self) -> Iterator[bytes]:
        rows = 0
        for line in self._lines():
            if not line:
                continue
            if rows == self._limits.rows:
                self.stopped = f"more than {_counted(rows, 'row')}"
                return
            rows += 1
            if not line.isspace():
                yield line

    def allow(self, size: int) -> None:
        """Read at most about `size` bytes more, passed over or not."""
        self._end = min(self._end, self._taken + size)

    def _lines(self) -> Iterator[bytes]:
        for block in self._blocks():
            first, *lines = block.split(b"\n")
            while lines:
                yield self._whole(lines.pop())
            self._passed += self._held.add(first)
        if not self.stopped:
            yield self._whole(b"")

    def _whole(self, start: bytes) -> bytes:
        """Return the line that begins with `start`, or b'' when it is too long."""
        self._passed += self._held.add(start)
        line = self._held.take()
        if line is None:
            self.long_lines += 1
            return b""
        return line

    def _blocks(self) -> Iterator[bytes]:
        end, want = self._size, self._block
        while end:
            if self._spent(end):
                return
            size = min(want, end)
            block = self._read(end - size, size)
            if len(block) != size:
                self.stopped = "the file changed while it was read"
                return
            end -= size
            self._taken += size
            want = min(2 * want, GROWTH * self._block)
            yield self._without_gaps(block)

    def _spent(self, left: int) -> bool:
        if self._passed >= self._limits.passed:
            self.stopped = f"a line or gap of more than {_counted(self._limits.passed, 'byte')}"
        elif self._taken >= self._end or self._taken - self._passed >= self._limits.total:
            first = _counted(left, "byte was", "bytes were")
            self.stopped = f"the first {first} not read"
        return bool(self.stopped)

    def _without_gaps(self, block: bytes) -> bytes:
        """Turn every run of NUL bytes and line feeds into one line feed."""
        if block.endswith(b"\0") and block == bytes(len(block)):
            self._passed += len(block)
            return b"\n"
        if b"\0" in block or b"\n\n" in block:
            import re  # gaps are rare, and patterns are a fifth of a hook

            return re.sub(rb"[\0\n]+", b"\n", block)
        return block


class _Held:
    """The end of a line whose start has not been read yet."""

    __slots__ = ("_length", "_limit", "_pieces")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._length = 0
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> int:
        """Put `piece` before what is held; return how many bytes were given up for it."""
        before = self._length
        self._length += len(piece)
        if self._length <= self._limit:
            self._pieces.append(piece)
            return 0
        self._pieces.clear()
        return len(piece) if before > self._limit else self._length

    def take(self) -> bytes | None:
        """Return the line and hold nothing; None when it was longer than the limit."""
        line = b"".join(reversed(self._pieces)) if self._length <= self._limit else None
        self._pieces.clear()
        self._length = 0
        return line


def _counted(count: int, *nouns: str) -> str:
    from agguard.quantity import counted  # few transcripts are too long

    return counted(count, *nouns)
