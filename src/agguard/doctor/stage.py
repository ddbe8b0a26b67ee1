"""A throw-away home with a conversation in it, for rehearsals.

Transcripts are written the way the engine writes them (contract, section 5), so that the guards
find the evidence that they look for.
"""

from __future__ import annotations

import json
import os
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agguard.doctor.registered import Fired


class Stage:
    """A home, a workspace, and the host's records of the conversations played in it.

    Args:
        home: The home folder; `workspace` is made beside the host's folder.
    """

    def __init__(self, home: str) -> None:
        self.home = home
        self.workspace = os.path.join(home, "project")
        self.brain = os.path.join(home, ".gemini", "antigravity", "brain")
        os.makedirs(self.workspace, exist_ok=True)

    def conversation(self) -> Conversation:
        """Begin a conversation; nothing is recorded yet."""
        return Conversation(self, uuid.uuid4().hex)


class Conversation:
    """One agent's conversation as the host records it."""

    def __init__(self, stage: Stage, name: str) -> None:
        self.stage = stage
        self.name = name
        self.folder = os.path.join(stage.brain, name)
        self.step = -1

    @property
    def transcript(self) -> str:
        """The record's path."""
        return os.path.join(self.folder, ".system_generated", "logs", "transcript.jsonl")

    def user(self, text: str) -> None:
        """Record what the user says."""
        content = f"<USER_REQUEST>\n{text}\n</USER_REQUEST>"
        self.record("USER_EXPLICIT", "USER_INPUT", content=content)

    def message(self, sender: str, text: str) -> None:
        """Record what another agent says, or the engine itself."""
        content = (
            "The following is a <SYSTEM_MESSAGE> not actually sent by the user. It is provided by "
            "the system as important information to pay attention to.\n\n<SYSTEM_MESSAGE>\n"
            f"[Message] timestamp={_now()} sender={sender} "
            f"priority=MESSAGE_PRIORITY_HIGH content={text}\n</SYSTEM_MESSAGE>"
        )
        self.record("SYSTEM", "SYSTEM_MESSAGE", content=content)

    def says(self, text: str) -> None:
        """Record the agent's own words."""
        self.record("MODEL", "PLANNER_RESPONSE", content=text)

    def calls(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Record a tool call, and return the payload that the host then sends."""
        texts = {key: json.dumps(value) for key, value in args.items()}
        self.record("MODEL", "PLANNER_RESPONSE", tool_calls=[{"name": tool, "args": texts}])
        call = {"toolCall": {"name": tool, "args": dict(args)}, "stepIdx": self.step + 1}
        return {**call, **self.common()}

    def result(self, kind: str, text: str) -> None:
        """Record how a tool call ended."""
        self.record("MODEL", kind, content=text)

    def spawned(self, *children: Conversation) -> None:
        """Record that the engine started subagents."""
        found = "\n".join(json.dumps({"conversationId": c.name}, indent=2) for c in children)
        self.result("INVOKE_SUBAGENT", f"Created the following subagents:\n{found}")

    def common(self) -> dict[str, Any]:
        """Return the fields that every payload has."""
        return {
            "conversationId": self.name,
            "workspacePaths": [self.stage.workspace],
            "transcriptPath": self.transcript,
            "artifactDirectoryPath": self.folder,
            "modelName": "auto",
        }

    def stop(self) -> dict[str, Any]:
        """Return the payload of a normal stop."""
        ending = {"executionNum": 0, "terminationReason": "NO_TOOL_CALL", "error": ""}
        return {**ending, "fullyIdle": True, **self.common()}

    def record(self, source: str, kind: str, **fields: Any) -> None:  # noqa: ANN401 - row fields
        """Append one row."""
        self.step += 1
        row = {"step_index": self.step, "source": source, "type": kind, "status": "DONE"}
        row |= {"created_at": _now(), **fields}
        os.makedirs(os.path.dirname(self.transcript), exist_ok=True)
        with open(self.transcript, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def _now() -> str:
    """Return the time as the engine writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def environment(home: str) -> dict[str, str]:
    """Return the environment of a host that runs in `home`, without an agent's marks."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ANTIGRAVITY_")}
    return {**kept, "HOME": home, "RTK_TELEMETRY_DISABLED": "1"}


def only(fired: list[Fired]) -> Fired:
    """Return the one answer; ValueError when there is none or more than one."""
    (one,) = fired
    return one
