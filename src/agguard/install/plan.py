"""What an installation or its end would change: decided here, shown as a diff, done by `apply`."""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.install.files import FileChange, FileState
    from agguard.install.record import Record

_CONTEXT = 3


class Note(Value):
    """Something that the user should know."""

    text: str
    loud: bool = False
    """Whether it must not be overlooked."""


class Kept(Value):
    """Something that stays behind, and why."""

    path: str
    why: str


class Plan(Value):
    """Changes in the order in which they are made; what they would leave is in `record`."""

    hooks: FileState
    """The hooks file that the plan was made for."""
    changes: tuple[FileChange, ...]
    record: Record
    notes: tuple[Note, ...] = ()
    kept: tuple[Kept, ...] = ()
    original: bytes | None = None
    """The hooks file's content before agguard, to be kept for the way back."""
    folders: tuple[str, ...] = ()
    """Folders to be removed afterwards if nothing is left in them, innermost first."""
    paste: str = ""
    """What a person can put into the hooks file when it cannot be written."""

    @property
    def diff(self) -> str:
        """All changes as one unified diff; '' when there are none."""
        return "".join(unified(change) for change in self.changes)


def unified(change: FileChange) -> str:
    """Show one change as a unified diff of one hunk.

    What we change is one region, so that files of 5 MB need no search for more.
    """
    before, after = _lines(change.before), _lines(change.after)
    limit = min(len(before), len(after))
    head = next((i for i in range(limit) if before[i] != after[i]), limit)
    rest = range(1, limit - head + 1)
    tail = next((i - 1 for i in rest if before[-i] != after[-i]), limit - head)
    start = max(head - _CONTEXT, 0)
    stop = max(tail - _CONTEXT, 0)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old and not new:
        return f"--- {change.path}\n+++ {change.path}\n(mode {change.mode:o})\n"
    hunk = [
        *(" " + line for line in before[start:head]),
        *("-" + line for line in old),
        *("+" + line for line in new),
        *(" " + line for line in before[len(before) - tail : len(before) - stop]),
    ]
    names = (
        f"--- {change.path if change.before is not None else '/dev/null'}\n"
        f"+++ {change.path if change.after is not None else '/dev/null'}\n"
    )
    spans = (_span(start, len(before) - stop), _span(start, len(after) - stop))
    return names + f"@@ -{spans[0]} +{spans[1]} @@\n" + "".join(map(_ended, hunk))


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode("utf-8", "replace").split("\n")
    return [f"{line}\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]


def _span(start: int, stop: int) -> str:
    """Write a range of lines, counted from 1, as diff does."""
    return f"{start + 1 if stop > start else start},{stop - start}"


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
