"""What the engine has written down about a conversation in the folders of others.

Every conversation has a folder in the same brain, and below `.system_generated/` of it no tool of
any agent writes. There a parent's folder names its children, wherever the child's own record
opens like a user's, is late, or is not written before the turn ends (contract, sections 2.3, 5).
"""

from __future__ import annotations

import os

from agguard import jsontext
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agguard.ledger.records import WorkItem
    from agguard.transcript.row import Row

RECORDS = ".system_generated"
LARGEST = 1 << 20
"""Bytes that are read of one file."""
ISSUERS = 16
"""Conversations whose transcripts are read in search of a child, those with the newest work."""
CALLS = 16
"""Steps back from a call to the answer that made it: an answer can make several."""
SLACK = 2.0
"""Seconds by which times can differ: the engine writes whole ones."""
FINISH = "When you are done, call the finish tool with your result."
"""What the engine adds to the prompt of a workflow's agent (measured)."""


class Named(Value):
    """A conversation that another one's record names as its child."""

    parent: str
    by: str
    """Which record."""
    step: int = -1
    """The parent's step that started it; -1 where the record does not say."""
    position: int = -1
    """Its place among those that the step started; -1 where the record does not say."""
    type_name: str = ""
    agent_role: str = ""


class Brain:
    """The folder of all conversations' folders, as one of them sees it.

    Args:
        transcript: The conversation's transcript, as the host names it.
        conversation: Its id.
    """

    def __init__(self, transcript: str, conversation: str) -> None:
        logs, self._file = os.path.split(transcript)
        self._own = os.path.dirname(os.path.dirname(logs))
        self._path = os.path.dirname(self._own)
        self._name = conversation

    @property
    def is_own(self) -> bool:
        """Whether the transcript is the one that the engine keeps for this conversation.

        The host names it; a payload that names another file is no evidence.
        """
        return is_name(self._name) and os.path.basename(self._own) == self._name

    def transcript(self, conversation: str) -> str:
        """Return where another conversation's transcript is; empty where its id is no name."""
        if not is_name(conversation) or not self._path:
            return ""
        return os.path.join(self._path, conversation, RECORDS, "logs", self._file)

    def child(self) -> Named | None:
        """Find the record of subagents that names this conversation (contract, 2.3, way 1)."""
        if not self.is_own:
            return None
        for parent, path in self._others(f"subagents/{self._name}.json"):
            found = _object(path)
            if found is not None and found.get("conversationId") == self._name:
                return _metadata(parent, found)
        return None

    def spawned(self, unclaimed: Sequence[WorkItem]) -> Named | None:
        """Find the INVOKE_SUBAGENT row that names this conversation (way 2).

        Args:
            unclaimed: The work that waits for a child.
        """
        from agguard.transcript.spawns import spawned

        for parent, since in _issuers(unclaimed).items():
            path = self.transcript(parent) if parent != self._name else ""
            for child in spawned(path, since - 1).children if path else ():
                if child.conversation == self._name:
                    return Named(parent, "row", child.step, child.position)
        return None

    def has_settled(self, item: WorkItem) -> bool:
        """Whether the issuer's record says what became of a spawn."""
        from agguard.transcript.spawns import spawned

        found = spawned(self.transcript(item.issuer), max(item.step - CALLS, -1))
        steps = {child.step for child in found.children} | {one.step for one in found.failed}
        return item.step in steps

    def workflow(self, opened: float) -> Named | None:
        """Find the workflow whose log names this conversation as one of its agents.

        Such agents are main agents: their transcripts open like a primary's, and no row names
        them (contract, the table). A log is that of a workflow only if a call of `run_workflow`
        stands at its step, and a conversation that is older than the call was not started by it.

        Args:
            opened: When this conversation began, in seconds since the epoch.
        """
        mark = f" ({self._name})"
        for parent, folder in self._others("tasks"):
            for step, path in _logs(folder, opened - SLACK):
                lines = _text(path).splitlines()
                if any(line.startswith("- [agent:") and mark in line for line in lines):
                    began = self._workflow_began(parent, step)
                    if began is not None and began <= opened + SLACK:
                        return Named(parent, "workflow", step)
        return None

    def _workflow_began(self, parent: str, step: int) -> float | None:
        from agguard.transcript.calls import calls
        from agguard.transcript.moment import epoch
        from agguard.transcript.tail import tail

        read = tail(self.transcript(parent), lambda row: row.step < step - 1)
        if not any(one.name == "run_workflow" and one.step == step for one in calls(read.rows)):
            return None
        row: Row | None = next((row for row in read.rows if row.step == step), None)
        return epoch(row.created_at) if row else None

    def _others(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield every other conversation that has a record at that path, and where it is.

        Users have thousands of conversations, so each costs one look at the file system.
        """
        try:
            names = os.listdir(self._path)
        except OSError:
            return
        for name in names:
            place = f"{self._path}/{name}/{RECORDS}/{path}"
            if os.access(place, os.R_OK) and name != self._name:
                yield name, place


def is_name(text: str) -> bool:
    """Whether a conversation's id can be the name of a folder and nothing else."""
    return bool(text) and text not in (".", "..") and not set(text) & set("/\\\0")


def _issuers(unclaimed: Sequence[WorkItem]) -> dict[str, int]:
    """Return who issued it and the first step of each, the newest issuers only."""
    found: dict[str, int] = {}
    for item in sorted(unclaimed, key=lambda item: item.created_at, reverse=True):
        if item.issuer in found or len(found) < ISSUERS:
            found[item.issuer] = min(item.step, found.get(item.issuer, item.step))
    return found


def _metadata(parent: str, found: dict[str, Any]) -> Named:
    step, about = found.get("spawnStepIndex"), found.get("subagentDescriptor")
    about = about if isinstance(about, dict) else {}
    return Named(
        parent,
        "subagents",
        step if isinstance(step, int) and not isinstance(step, bool) else -1,
        type_name=str(about.get("typeName", "")),
        agent_role=str(about.get("role", "")),
    )


def _logs(folder: str, since: float) -> Iterator[tuple[int, str]]:
    """Yield the step and the path of every task's log that was written since then."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        number = name.removeprefix("task-").removesuffix(".log")
        path = os.path.join(folder, name)
        if number.isdecimal() and name == f"task-{number}.log" and _changed(path) >= since:
            yield int(number), path


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _object(path: str) -> dict[str, Any] | None:
    """Return the JSON object in a file; None when there is none."""
    try:
        found = jsontext.loads(_text(path))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _text(path: str) -> str:
    """Return the beginning of a regular file; empty when it cannot be read."""
    from agguard.transcript.files import File

    try:
        with File(path) as file:
            return file.read(0, LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
