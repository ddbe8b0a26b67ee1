"""Transcripts for the tests: recorded by the real engine (`record.py`), or written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agguard.transcript.tail import tail_in
from agguard.transcript.turns import Turn, turn_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.transcript.row import Row

RECORDED = Path(__file__).parent / "recorded"


class Writer:
    """Writes rows as the engine does."""

    def row(self, step: int, source: str, kind: str, content: str = "", **fields: Any) -> bytes:
        common = {"step_index": step, "source": source, "type": kind, "status": "DONE"}
        return json.dumps({**common, "content": content, **fields}).encode()

    def user(self, step: int, text: str = "go", **fields: Any) -> bytes:
        wrapped = f"<USER_REQUEST>\n{text}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nx\n"
        return self.row(step, "USER_EXPLICIT", "USER_INPUT", wrapped, **fields)

    def say(self, step: int, text: str, **fields: Any) -> bytes:
        return self.row(step, "MODEL", "PLANNER_RESPONSE", text, **fields)

    def call(self, step: int, *calls: tuple[str, dict[str, Any]], **fields: Any) -> bytes:
        made = [{"name": name, "args": args} for name, args in calls]
        return self.row(step, "MODEL", "PLANNER_RESPONSE", tool_calls=made, **fields)

    def run(self, step: int, *commands: str) -> bytes:
        args = [{"CommandLine": text, "toolAction": "Acting"} for text in commands]
        return self.call(step, *(("run_command", one) for one in args))

    def ran(self, step: int, code: int | None, **fields: Any) -> bytes:
        given = {} if code is None else {"exit_code": code}
        return self.row(step, "MODEL", "RUN_COMMAND", **given, **fields)

    def message(self, step: int, sender: str, text: str, **fields: Any) -> bytes:
        content = (
            "The following is a <SYSTEM_MESSAGE> not actually sent by the user. It is provided by "
            "the system as important information to pay attention to.\n\n<SYSTEM_MESSAGE>\n"
            f"{self.header(sender)}{text}\n</SYSTEM_MESSAGE>"
        )
        return self.row(step, "SYSTEM", "SYSTEM_MESSAGE", content, **fields)

    def header(self, sender: str) -> str:
        stamp = "2026-11-30T15:00:00Z"
        return (
            f"[Message] timestamp={stamp} sender={sender} priority=MESSAGE_PRIORITY_HIGH content="
        )


@pytest.fixture(scope="session")
def write() -> Writer:
    """Return a writer of single rows."""
    return Writer()


@pytest.fixture(scope="session")
def recorded() -> Callable[..., bytes]:
    """Return the bytes of a recorded transcript, the compact one unless `full`."""

    def load(scenario: str, number: int = 0, *, full: bool = False) -> bytes:
        name = "transcript_full.jsonl" if full else "transcript.jsonl"
        return (RECORDED / scenario / str(number) / name).read_bytes()

    return load


@pytest.fixture(scope="session")
def read_turn() -> Callable[..., Turn]:
    """Return the turn in a file with the given bytes, or with the given lines."""

    def heard(row: Row) -> bool:
        return row.by_user and row.status != "QUEUED"

    def read(*lines: bytes, **limits: Any) -> Turn:
        data = b"".join(line + b"\n" for line in lines) if len(lines) > 1 else lines[0]
        return turn_of(tail_in(reader(data), len(data), heard, **limits))

    return read


def reader(data: bytes) -> Callable[[int, int], bytes]:
    """Return a function that reads `data` as a file is read."""
    return lambda offset, size: data[offset : offset + size]


@pytest.fixture(scope="session")
def read_bytes() -> Callable[[bytes], Callable[[int, int], bytes]]:
    """Return the maker of functions that read bytes as a file is read."""
    return reader
