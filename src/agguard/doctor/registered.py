"""Runs the registered commands exactly as the host would (contract, sections 1.4 to 1.6)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from typing import TYPE_CHECKING, Any

from agguard.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ANSWER_KEYS: dict[str, frozenset[str]] = {
    "PreToolUse": frozenset({"decision", "reason", "overwrite", "permissionOverrides"}),
    "Stop": frozenset({"decision", "reason"}),
    "SessionStart": frozenset({"injectSteps"}),
    "PreInvocation": frozenset({"injectSteps"}),
    "PostInvocation": frozenset({"injectSteps", "terminationBehavior"}),
    "PostToolUse": frozenset(),
}
"""What the host accepts; any other key voids the whole answer."""

DECISIONS = frozenset({"allow", "ask", "force_ask", "deny"})


class Fired(Value):
    """One run of one registered command."""

    event: str
    command: str
    answer: dict[str, Any]
    fault: str
    """Why the host would not take the answer; empty when it would."""
    milliseconds: float
    stderr: str

    @property
    def last_words(self) -> str:
        """The last line on standard error, where a traceback says what was wrong; '' for none."""
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        return lines[-1][-300:] if lines else ""


def fire(
    hooks: str, event: str, payload: Mapping[str, Any], environ: Mapping[str, str], entry: str = ""
) -> list[Fired]:
    """Run the commands that a hooks.json registers for an event.

    Args:
        hooks: The file; its folder is the commands' working directory.
        event: The event.
        payload: What the host sends.
        environ: The host's environment.
        entry: Whose commands are run; everybody's if left out.

    Raises:
        OSError, ValueError: hooks.json cannot be read, or is not JSON.
    """
    with open(hooks, encoding="utf-8") as file:
        registered = json.load(file)
    tool = (payload.get("toolCall") or {}).get("name", "")
    return [
        _run(event, handler, payload, os.path.dirname(hooks), environ)
        for name, spec in registered.items()
        if entry in ("", name)
        if spec.get("enabled", True)
        for handler in _handlers(spec.get(event, []), tool)
    ]


def _handlers(entries: list[dict[str, Any]], tool: str) -> Iterator[dict[str, Any]]:
    for entry in entries:
        if "hooks" not in entry:
            yield entry
        elif entry.get("matcher", "") in ("", "*") or re.fullmatch(entry["matcher"], tool):
            yield from entry["hooks"]


def _run(
    event: str,
    handler: dict[str, Any],
    payload: Mapping[str, Any],
    folder: str,
    environ: Mapping[str, str],
) -> Fired:
    command = handler["command"]
    shell = ["cmd", "/c", command] if os.name == "nt" else ["sh", "-c", command]
    conversation = {"ANTIGRAVITY_CONVERSATION_ID": str(payload.get("conversationId", ""))}
    started = time.perf_counter()
    try:
        done = subprocess.run(
            shell,
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=False,
            cwd=folder,
            env={**environ, **conversation},
            timeout=handler.get("timeout", 30),
        )
    except subprocess.TimeoutExpired:
        took = (time.perf_counter() - started) * 1000
        return Fired(event, command, {}, "it timed out", took, "")
    took = (time.perf_counter() - started) * 1000
    answer, fault = _read(event, done.stdout, done.returncode)
    return Fired(event, command, answer, fault, took, done.stderr.decode(errors="replace"))


def _read(event: str, out: bytes, status: int) -> tuple[dict[str, Any], str]:
    """Read an answer as strictly as the host does."""
    if status:
        return {}, f"it exited with status {status}"
    try:
        answer = json.loads(out)
    except ValueError:
        return {}, "it did not answer with one JSON document"
    if not isinstance(answer, dict) or set(answer) - ANSWER_KEYS.get(event, frozenset()):
        return {}, "it answered with fields that the host does not know"
    if event == "PreToolUse" and answer.get("decision") not in DECISIONS:
        return answer, "it answered without a decision"
    return answer, ""
