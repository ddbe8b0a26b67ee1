"""Secrets stay on the machine: credential files are not read, and tokens are not sent.

Nothing here can see what a program does with a file it opens by itself; the guard stops what the
call says. What it stopped is noted in agguard's cache folder, without the secret.
"""

from __future__ import annotations

import json
import os
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from agguard import Decision, Effect, Record, Session, ToolCall, Verdict, hookimpl
from agguard.model.redact import redact
from agguard.shell.credentials import is_credential
from agguard.shell.invocations import invocations

if TYPE_CHECKING:
    from collections.abc import Iterator

agguard_hookspec = 1
agguard_settings = {
    "allowed_files": {
        "type": "list",
        "default": [],
        "meaning": "globs of credential files that agents may read all the same",
        "stricter": "shrink",
    },
}

PATHS = (
    *("AbsolutePath", "SearchPath", "SearchDirectory", "DirectoryPath", "Path", "Uri", "Url"),
    *("NotebookPath", "target_file", "TargetFile"),
)
SENDS = (
    "read_url_content",
    "search_web",
    "call_mcp_tool",
    "browser_subagent",
    "search_marketplace",
)


@hookimpl
def classify_tool(call: ToolCall) -> Effect | None:
    """Say that MCP servers may be on other machines: what they are handed has left this one."""
    return Effect.NETWORK if call.name == "call_mcp_tool" else None


@hookimpl(on_error="ask")
def judge_tool(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Deny reading credential files, and sending what looks like a secret."""
    allowed = session.section("plugins").get("secrets", {}).get("allowed_files", ())
    for path in _named(call, session):
        if path.endswith(".pub") or any(fnmatch(path, one) for one in allowed):
            continue
        if is_credential(path):
            name = os.path.basename(path)
            return Verdict.deny(
                f"secrets: {name!r} holds credentials; ask the user for what you need of it, or "
                "use a program that reads it by itself"
            )
    if (call.name in SENDS or effect & Effect.NETWORK) and _holds_secret(call):
        return Verdict.deny(
            "secrets: this sends something that looks like a secret; leave it out, or name a "
            "variable that the user has set"
        )
    return None


@hookimpl
def observe(record: Record) -> None:
    """Note what was stopped: the tool and the conversation, never the text."""
    outcome, folder = record.outcome, record.session.cache_dir
    if not outcome or outcome.decision != Decision.DENY or not record.call or not folder:
        return
    if any(one.guard == "secrets" for one in outcome.reasons):
        os.makedirs(folder, exist_ok=True)
        note = {"conversation": record.session.conversation, "tool": record.call.name}
        with open(os.path.join(folder, "secrets.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps(note) + "\n")


def _named(call: ToolCall, session: Session) -> Iterator[str]:
    """Yield the paths that a call names."""
    for key in PATHS:
        yield call.text(key).removeprefix("file://")
    text = call.text("CommandLine")
    if call.name != "run_command" or not text:
        return
    runs = invocations(text, cwd=call.text("Cwd") or None, home=session.home or None)
    if runs is None:  # not understood: every word may be a path
        yield from text.replace("=", " ").replace("@", " ").split()
        return
    for run in runs:
        for argument in run.arguments:
            yield argument
            # curl -d @file, --from-file=file, tar -czf- file
            yield argument.rpartition("@")[2]
            yield argument.rpartition("=")[2]


def _holds_secret(call: ToolCall) -> bool:
    return any(redact(text) != text for text in _texts(call.args))


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(one)
            if isinstance(one, str):
                yield f"{key}={one}"  # a password is known by its name
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
