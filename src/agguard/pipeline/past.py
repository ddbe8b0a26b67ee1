"""Past sessions as the host recorded them: what each agent asked for, and where its turns ended."""

from __future__ import annotations

import os

from agguard.model.call import ToolCall
from agguard.model.value import Value
from agguard.transcript import files
from agguard.transcript.calls import arguments
from agguard.transcript.head import Opening, opening_of
from agguard.transcript.moment import epoch
from agguard.transcript.row import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agguard.transcript.row import Row

LOGS = os.path.join(".system_generated", "logs")
PREFIX = "default_api:"


class Ended(Value):
    """A turn that ended: the agent wanted to stop."""

    step: int
    last_message: str
    seconds: float | None
    """How long the turn took, where the record tells."""


class Past(Value):
    """One conversation of the past."""

    conversation: str
    folder: str
    """Its artifact folder."""
    transcript: str
    opening: Opening | None
    moments: tuple[ToolCall | Ended, ...]
    """Calls and ends of turns, in order."""

    @property
    def workspaces(self) -> tuple[str, ...]:
        """The folders in which its commands ran: the record does not hold the workspaces."""
        calls = (one for one in self.moments if isinstance(one, ToolCall))
        return tuple(dict.fromkeys(cwd for one in calls if (cwd := one.text("Cwd"))))

    @property
    def artifacts(self) -> str:
        """Its artifact folder as it was then: the record may have been copied since."""
        mark = f"{os.sep}brain{os.sep}{self.conversation}{os.sep}"
        for one in self.moments:
            target = one.text("TargetFile") if isinstance(one, ToolCall) else ""
            if mark in target:
                return target[: target.index(mark) + len(mark) - 1]
        return self.folder


def transcripts(target: str) -> list[str]:
    """Find the transcripts that a path means, the oldest conversation first.

    Args:
        target: A transcript, the folder of a conversation, a folder of such (`brain`), or the
            folder of a product.
    """
    if os.path.isfile(target):
        return [target]
    if os.path.isdir(os.path.join(target, "brain")):
        target = os.path.join(target, "brain")
    if own := _of(target):
        return [own]
    try:
        names = os.listdir(target)
    except OSError:
        return []
    found = [path for name in names if (path := _of(os.path.join(target, name)))]
    return sorted(found, key=os.path.getmtime)


def past(transcript: str) -> Past | None:
    """Read a whole transcript; None when it holds nothing that can be read."""
    rows = sorted(_rows(transcript), key=lambda row: row.step)
    if not rows:
        return None
    folder = os.path.dirname(os.path.abspath(transcript))
    if folder.endswith(LOGS):
        folder = folder[: -len(LOGS) - 1]
    opening = opening_of(rows[0]) if rows[0].step == 0 else None
    name = os.path.basename(folder)
    return Past(name, folder, transcript, opening, tuple(_moments(rows)))


def _of(folder: str) -> str:
    """Return the transcript of a conversation's folder; '' when there is none."""
    for name in (files.FULL, files.COMPACT):
        path = os.path.join(folder, LOGS, name)
        if os.path.isfile(path):
            return path
    return ""


def _rows(transcript: str) -> Iterator[Row]:
    try:
        with open(transcript, "rb") as file:
            for line in file:
                if row := parse(line):
                    yield row
    except OSError:
        return


def _moments(rows: Iterable[Row]) -> Iterator[ToolCall | Ended]:
    begun: Row | None = None
    said: Row | None = None
    for row in rows:
        if row.by_user:
            if said is not None:
                yield _ended(begun, said)
            begun, said = row, None
        elif row.by_model:
            said = row
            for raw in row.tool_calls:
                args = arguments(raw.get("args"), cut="tool_calls" in row.cut)
                yield ToolCall(str(raw["name"]).removeprefix(PREFIX), args, row.step)
    if said is not None:
        yield _ended(begun, said)


def _ended(begun: Row | None, said: Row) -> Ended:
    start = epoch(begun.created_at) if begun else None
    end = epoch(said.created_at)
    seconds = end - start if start is not None and end is not None else None
    return Ended(said.step, said.content, seconds)
