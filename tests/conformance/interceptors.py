"""Runs a vector's scripted interceptors as guards of ours, through the real dispatcher.

Each interceptor is a third party's guard in a file of its own, asked in a process of its own, with
`on_error="deny"`, which is how a guard of ours says that its failure must stop the call. What an
interceptor decides is `judge_tool`; what it transforms is `rewrite_command`, where our answers are
folded. One whose answer hangs on the arguments and that stands behind a transform is asked where
we fold, too: a denial there becomes a text that no vector expects.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agguard.dispatch.ask import Asker
from agguard.dispatch.deadline import Clock
from agguard.dispatch.dispatcher import Dispatcher
from agguard.dispatch.implementation import Implementation
from agguard.model.call import Command, ToolCall
from agguard.model.session import Role, Session
from agguard.model.value import Value
from agguard.model.verdict import Verdict
from agguard.pipeline.tool import ToolPipeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from agguard.model.verdict import Decision, Outcome

LEAKED = "an interceptor behind a transform saw the arguments from before it"

GUARD = """
import json
from agguard import Rewrite, Verdict

SCRIPT = json.loads({script!r})
FOLDED = {folded!r}
KEY = {key!r}
TOOL = {tool!r}


def _answer(name, args):
    for item in SCRIPT:
        seen = {{f"tool_call.args.{{k}}": v for k, v in args.items()}}
        wanted = dict(item.get("match", {{}}))
        if wanted.pop("tool_call.name", name) not in (name, *([] if name else [TOOL])):
            continue
        if all(seen.get(path) == value for path, value in wanted.items()):
            return item
    return {{}}


def judge_tool(call):
    item = {{}} if FOLDED else _answer(call.name, call.args)
    fault, said = item.get("fault"), item.get("return", {{}})
    if fault == "raise":
        raise RuntimeError("scripted")
    if fault == "malformed_verdict":
        return {{"decision": "transform"}}
    if fault == "mutate":
        for key in list(call.args):
            call.args[key] = "mutated"
        call.args["added"] = True
        return Verdict.allow("ctk:mutated")
    if said.get("decision") == "deny":
        return Verdict.deny(said.get("reason", ""))
    if said.get("decision") == "allow":
        warned = " ".join(one["reason"] for one in said.get("warnings", ()))
        return Verdict.allow(said.get("reason", "") or warned)
    return None


def rewrite_command(command):
    item = _answer(None, {{KEY: command.text}})
    said = item.get("return", {{}})
    if FOLDED and said.get("decision") == "deny":
        return Rewrite({leaked!r})
    if said.get("decision") == "transform":
        return Rewrite(said["transform"]["value"], said.get("reason", ""))
    return None
"""


class Composed(Value):
    """What our dispatcher made of a vector's interceptors."""

    outcome: Outcome
    args: Mapping[str, Any]
    """The tool's arguments, should it be invoked."""
    verdicts: tuple[tuple[str, str], ...]
    """Decision and reason of each interceptor, at the first question."""
    decided_by: int | None
    failed: tuple[str, ...]
    """Guards that the faults name."""


class Tools:
    """The host of a scenario: its tools have one argument that can be rewritten."""

    def __init__(self, key: str) -> None:
        self._key = key

    def command(self, call: ToolCall) -> Command | None:
        text = call.text(self._key)
        return Command(text) if text else None

    def with_command(self, text: str) -> dict[str, Any]:
        return {self._key: text}

    @staticmethod
    def spawns(_: ToolCall) -> tuple[()]:
        return ()


def composed(vector: Mapping[str, Any], folder: Path) -> Composed:
    """Put a vector's tool call before its interceptors."""
    name, args = asked(vector)
    key = next((k for k, v in args.items() if isinstance(v, str)), "")
    names = [_guard(folder, place, vector, key) for place, _ in enumerate(scripts(vector))]
    rows = [
        Implementation(one, hook, f"{one}:{hook}", (argument,), "deny")
        for hook, argument in (("judge_tool", "call"), ("rewrite_command", "command"))
        for one in names
    ]
    asker = Asker(rows, Clock(20.0), 10.0)
    dispatcher = Dispatcher(asker, (), 8000)
    session = Session("conformance", Role.WORKER)
    try:
        pipeline = ToolPipeline(session, dispatcher, Tools(key))
        outcome = pipeline.decide(ToolCall(name, args)).outcome
    finally:
        asker.close()
    judged = [one for one in dispatcher.answers if one.implementation.hook == "judge_tool"]
    first = judged[: len(names)]
    changed = {one.guard for one in outcome.reasons if not one.decision}
    verdicts = tuple(_verdict(one, one.plugin in changed) for one in first)
    deciding = [
        r.guard for r in outcome.reasons if r.decision == outcome.decision and r.decision > 1
    ]
    return Composed(
        outcome,
        {**args, **outcome.overwrite},
        verdicts,
        min((names.index(one) for one in deciding), default=None),
        tuple(fault.plugin for fault in dispatcher.faults),
    )


def scripts(vector: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """Return what each interceptor does before a tool call."""
    found: Sequence[Any] = vector.get("interceptor_scripts") or [vector["interceptor_script"]]
    return [[item for item in one if item["at"] == "pre_tool_call"] for one in found]


def asked(vector: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the tool call that the scripted model makes."""
    for turn in vector["scenario"]["model_script"]:
        for call in turn["respond"]["tool_calls"]:
            return str(call["name"]), dict(call["args"])
    msg = f"{vector['id']} calls no tool"
    raise ValueError(msg)


def _guard(folder: Path, place: int, vector: Mapping[str, Any], key: str) -> str:
    name = f"{vector['id']}_{place}".replace("-", "_")
    script = scripts(vector)[place]
    before = [item for one in scripts(vector)[:place] for item in one]
    transformed = any(item.get("return", {}).get("transform") for item in before)
    matches = any("tool_call.args" in path for item in script for path in item.get("match", ()))
    text = GUARD.format(
        script=json.dumps(script),
        folded=transformed and matches,
        key=key,
        tool=asked(vector)[0],
        leaked=LEAKED,
    )
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return name


def _verdict(answer: Any, changed: bool) -> tuple[str, str]:
    if answer.fault:
        return "deny", answer.fault.text
    if isinstance(answer.value, Verdict):
        decision: Decision = answer.value.decision
        return decision.word, answer.value.reason
    return ("transform" if changed else "allow"), ""
