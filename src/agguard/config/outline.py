"""Where things stand in a TOML text: what the scanner finds and how it is asked."""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Path: TypeAlias = tuple[str | int, ...]


class Written(Value):
    """Something with a key.

    Args:
        path: the whole path.
        parts: the offset of each part of the key that is written here; the parts before them
            come from the header or from the value around.
    """

    path: Path
    parts: tuple[int, ...]

    @property
    def start(self) -> int:
        """Offset of the key's first character."""
        return self.parts[0]

    def writes(self, path: Path) -> bool:
        """Return whether the last part of `path` is written here."""
        above = len(self.path) - len(self.parts)
        return self.path[: len(path)] == path and len(path) > above

    def part(self, path: Path) -> int:
        """Return the offset of the last part of a path that is written here."""
        return self.parts[len(path) - len(self.path) - 1]


class Entry(Written):
    """One `key = value`, or one item of an array: its key is its index, its place the value's.

    Args:
        value: offset of the value's first character.
        end: offset after the value.
        header: path of the header that it stands below, () at the top.
        inside: path of the array or inline table that it is written in, or None.
    """

    value: int
    end: int
    header: Path
    inside: Path | None = None


class Header(Written):
    """One `[table]` or `[[array of tables]]`.

    Args:
        end: offset after the last bracket.
        array: whether it is an array of tables.
    """

    end: int
    array: bool


class Outline(Value):
    """All entries and headers of a text, in their order.

    Args:
        text: the text that was scanned.
        entries: every entry, those inside values included.
        headers: every header.
        lost: offset where the scanner gave up, or -1; the text is not TOML there, or the
            `refusal` says why it is not read.
        refusal: '' or the limit that the text exceeds.
    """

    text: str
    entries: tuple[Entry, ...]
    headers: tuple[Header, ...]
    lost: int = -1
    refusal: str = ""

    def offset(self, path: Path) -> int:
        """Return where the last part of a path is first written; 0 if it is nowhere."""
        written: tuple[Written, ...] = (*self.entries, *self.headers)
        return min((item.part(path) for item in written if item.writes(path)), default=0)

    def value_offset(self, path: Path) -> int:
        """Return where the value of a path begins; where its key stands if it has no own value."""
        entry = self.entry(path)
        return entry.value if entry else self.offset(path)

    def entry(self, path: Path) -> Entry | None:
        """Return the entry of exactly this path."""
        return next((entry for entry in self.entries if entry.path == path), None)

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1, the column in characters."""
        before = self.text.rfind("\n", 0, offset)
        return self.text.count("\n", 0, offset) + 1, offset - before
