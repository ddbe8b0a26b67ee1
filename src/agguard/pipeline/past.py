"""Past sessions as the host recorded them: what each agent asked for, and where its turns ended."""

from __future__ import annotations

import os

from agguard.location import named, root_of, spelled
from agguard.model.call import ToolCall
from agguard.model.value import Value
from agguard.transcript import files
from agguard.transcript.calls import arguments, calls
from agguard.transcript.head import Opening, opening_of
from agguard.transcript.message import Message, message
from agguard.transcript.moment import epoch
from agguard.transcript.row import Row, parse
from agguard.transcript.spawns import Spawned, spawned_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LOGS = os.path.join(".system_generated", "logs")
PREFIX = "default_api:"


class Ended(Value):
    """A turn that ended: the agent wanted to stop."""

    step: int
    last_message: str
    seconds: float | None
    """How long the turn took, where the record tells."""
    task: Message | None = None
    """The message that began a subagent's turn, where it was not its first one."""


class Past(Value):
    """One conversation of the past."""

    conversation: str
    folder: str
    """Its artifact folder."""
    transcript: str
    opening: Opening | None
    rows: tuple[Row, ...]
    """What is recorded, by step."""
    moments: tuple[ToolCall | Ended, ...]
    """Calls and ends of turns, in order."""
    spawned: Spawned
    lost: int = 0
    """How many lines are no records."""

    @property
    def is_child(self) -> bool:
        """Whether another agent started it."""
        return self.opening is not None and self.opening.kind == "agent"

    @property
    def workspaces(self) -> tuple[str, ...]:
        """Where it worked: the record does not hold a conversation's own workspaces.

        Those that its subagents were given, and the folders in which its commands ran; without
        either the repositories, as far as they are still here, of the files that it named.
        """
        made = [one for one in self.moments if isinstance(one, ToolCall)]
        given = [spelled(uri) for child in self.spawned.children for uri in child.workspaces]
        places = [*given, *(spelled(one.text("Cwd")) for one in made)]
        if not any(places):
            paths = (spelled(text) for one in made for text in named(one.args))
            places = [_repository(path) for path in dict.fromkeys(paths) if path]
        return tuple(dict.fromkeys(place for place in places if place))

    @property
    def artifacts(self) -> str:
        """Its artifact folder as it was then: the record may have been copied since."""
        mark = f"{os.sep}brain{os.sep}{self.conversation}{os.sep}"
        for one in self.moments:
            target = one.text("TargetFile") if isinstance(one, ToolCall) else ""
            if mark in target:
                return target[: target.index(mark) + len(mark) - 1]
        return self.folder


class Skipped(Value):
    """A path that cannot be read as a session."""

    path: str
    why: str


class Found(Value):
    """What lies at a path."""

    transcripts: tuple[str, ...] = ()
    """The oldest conversation first."""
    bare: tuple[str, ...] = ()
    """Folders of conversations that hold no transcript."""
    skipped: tuple[Skipped, ...] = ()


def look(target: str) -> Found:
    """Find the transcripts that a path means.

    Args:
        target: A transcript, the folder of a conversation, a folder of such (`brain`), or the
            folder of a product.
    """
    if os.path.isfile(target):
        return Found((target,))
    if os.path.isdir(os.path.join(target, "brain")):
        target = os.path.join(target, "brain")
    if own := _of(target):
        return Found((own,))
    try:
        names = sorted(os.listdir(target))
    except OSError as error:
        return Found(skipped=(Skipped(target, _reason(error)),))
    folders = [path for name in names if os.path.isdir(path := os.path.join(target, name))]
    found = [path for folder in folders if (path := _of(folder))]
    bare = tuple(folder for folder in folders if not _of(folder))
    return Found(tuple(sorted(found, key=os.path.getmtime)), bare)


def past(transcript: str) -> Past | Skipped:
    """Read a whole transcript, or say why it cannot be read."""
    rows: dict[int, Row] = {}
    lost = 0
    try:
        with open(transcript, "rb") as file:
            for line in file:
                if row := parse(line):
                    rows[row.step] = row  # of several for one step the last one counts
                elif line.strip():
                    lost += 1
    except OSError as error:
        return Skipped(transcript, _reason(error))
    if not rows:
        return Skipped(transcript, "it holds no record" if lost else "it is empty")
    return _past(transcript, tuple(rows[step] for step in sorted(rows)), lost)


def _past(transcript: str, rows: tuple[Row, ...], lost: int) -> Past:
    folder = os.path.dirname(os.path.abspath(transcript))
    if folder.endswith(LOGS):
        folder = folder[: -len(LOGS) - 1]
    opening = opening_of(rows[0]) if rows[0].step == 0 else None
    parent = opening.sender if opening and opening.kind == "agent" else ""
    moments = tuple(_moments(rows, parent))
    spawned = spawned_in(rows, calls(rows), complete=not lost, problem="")
    name = os.path.basename(folder)
    return Past(name, folder, transcript, opening, rows, moments, spawned, lost)


def _of(folder: str) -> str:
    """Return the transcript of a conversation's folder; '' when there is none."""
    for name in (files.FULL, files.COMPACT):
        path = os.path.join(folder, LOGS, name)
        if os.path.isfile(path):
            return path
    return ""


def _repository(path: str) -> str:
    """Return the root of the repository that a file is in; '' where there is none here."""
    root = root_of(os.path.dirname(path))
    return root if os.path.lexists(os.path.join(root, ".git")) else ""


def _reason(error: OSError) -> str:
    return (error.strerror or "it cannot be read").lower()


def _moments(rows: Iterable[Row], parent: str) -> Iterator[ToolCall | Ended]:
    """Yield calls and ends of turns.

    Args:
        rows: The record.
        parent: Whose messages begin a subagent's turns, as a user's begin a primary's.
    """
    begun: Row | None = None
    said: Row | None = None
    for row in rows:
        if row.by_user or (_is_task(row, parent) and (said is None or _is_last(said))):
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
    task = message(begun) if begun is not None and begun.step else None
    return Ended(said.step, said.content, seconds, task)


def _is_task(row: Row, parent: str) -> bool:
    sent = message(row) if parent else None
    return sent is not None and sent.sender == parent


def _is_last(said: Row) -> bool:
    """Whether an agent rests after this answer: it called nothing."""
    return not said.tool_calls and bool(said.content.strip())
