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

    def offsets(self) -> dict[Path, int]:
        """Return for each path where its last part is first written."""
        found: dict[Path, int] = {}
        written: tuple[Written, ...] = (*self.entries, *self.headers)
        for item in written:
            above = len(item.path) - len(item.parts)
            for depth, offset in enumerate(item.parts, above + 1):
                path = item.path[:depth]
                found[path] = min(offset, found.get(path, offset))
        return found

    def value_offsets(self) -> dict[Path, int]:
        """Return for each path that has a value of its own where that begins."""
        return {entry.path: entry.value for entry in reversed(self.entries)}

    def entry(self, path: Path) -> Entry | None:
        """Return the entry of exactly this path."""
        return next((entry for entry in self.entries if entry.path == path), None)

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1, the column in characters."""
        before = self.text.rfind("\n", 0, offset)
        return self.text.count("\n", 0, offset) + 1, offset - before
