"""A call's way through the guards without a host, a ledger or an execution.

For `agguard explain`: the same dispatcher, the same guards, the same configuration.
"""

from __future__ import annotations

import os

from agguard.dispatch.ask import Asker
from agguard.dispatch.deadline import Clock
from agguard.dispatch.dispatcher import Dispatcher
from agguard.dispatch.implementation import Implementation
from agguard.hosts.port import host as find_host
from agguard.model.call import ToolCall
from agguard.model.effect import Effect
from agguard.model.session import Role, Session
from agguard.model.value import Value
from agguard.pipeline.project import in_force
from agguard.pipeline.tool import ToolPipeline
from agguard.shell.effects import effect_of_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.dispatch.implementation import Answer
    from agguard.model.verdict import Outcome
    from agguard.paths import Paths
    from agguard.plugins.manifest import Manifest

SECONDS = 10.0
"""For all guards together: nobody waits for this but a person."""


class Explained(Value):
    """How a call would be decided."""

    outcome: Outcome
    data: dict[str, Any]
    """Everything as JSON types."""


def explained(
    paths: Paths, *, tool: str, args: Mapping[str, Any], role: str, folder: str
) -> Explained:
    """Take a call through the guards.

    Args:
        paths: Where agguard is, for its configuration and plugins.
        tool: The host's name of the tool.
        args: The call's arguments.
        role: Who makes it; see `agguard.model.session.Role`.
        folder: The workspace that it is made in.
    """
    from agguard.plugins.build import build

    compiled = in_force(paths.state, build(paths), (folder,))
    asker = _asker(compiled)
    dispatcher = Dispatcher.configured(asker, compiled.settings)
    host = find_host("antigravity")
    call = ToolCall(tool, args)
    session = _session(paths, compiled, Role(role), folder)
    try:
        judged = ToolPipeline(session, dispatcher, host).decide(call)
    finally:
        asker.close()
    outcome = judged.outcome
    data = {
        "call": {"tool": tool, "args": dict(args)},
        "role": role,
        "answers": [_answer(one) for one in dispatcher.answers],
        "parts": _parts(call, session) if tool == "run_command" else [],
        "outcome": {
            "decision": outcome.decision.word,
            "effect": outcome.effect.words,
            "reasons": [{"guard": r.guard, "text": r.text} for r in outcome.reasons],
            "overwrite": dict(outcome.overwrite),
        },
        "answer": host.answer("PreToolUse", outcome),
    }
    return Explained(outcome, data)


def _asker(compiled: Manifest) -> Asker:
    rows = [Implementation(**{**r, "arguments": tuple(r["arguments"])}) for r in compiled.rows]
    return Asker(rows, Clock(SECONDS), compiled.settings["hooks"]["guard_deadline"])


def _session(paths: Paths, compiled: Manifest, role: Role, folder: str) -> Session:
    depth = compiled.settings["delegation"]["max_depth"]
    below = {Role.PRIMARY: depth, Role.COORDINATOR: max(depth - 1, 1)}
    return Session(
        conversation="explained",
        role=role,
        remaining_depth=below.get(role, 0),
        workspaces=(folder,),
        home=paths.home,
        protected=tuple(compiled.paths.get("protected", ())),
        cache_dir=paths.cache,
        settings=compiled.settings,
    )


def _parts(call: ToolCall, session: Session) -> list[dict[str, Any]]:
    """Return what is known of each part of a command line, before the user's own words on it."""
    text = call.text("CommandLine")
    return [
        {"text": text[part.start : part.end], "effect": part.effect.words, "why": part.why}
        for part in effect_of_call(call, session, os.path.realpath).parts
    ]


def _answer(one: Answer) -> dict[str, Any]:
    return {
        "hook": one.implementation.hook,
        "guard": one.guard,
        "answer": _words(one),
        "micros": one.micros,
    }


def _words(one: Answer) -> str:
    if one.fault:
        return f"fault ({one.fault.kind}): {one.fault.text}"
    value: Any = one.value
    if value is None:
        return "no opinion"
    if isinstance(value, Effect):
        return value.words
    fields = value.asdict()
    if "decision" in fields:
        return f"{value.decision.word}: {value.reason}" if value.reason else value.decision.word
    return ", ".join(f"{name}: {text}" for name, text in fields.items() if text)
