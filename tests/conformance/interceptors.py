"""Runs a vector's scripted interceptors as guards of ours, through the real dispatcher.

Each interceptor is a third party's guard in a file of its own, asked in a process of its own, with
`on_error="deny"`, which is how a guard of ours says that its failure must stop the call. What an
interceptor decides is `judge_tool`; what it transforms is `rewrite_command`. One whose answer hangs
on the arguments and that stands behind a transform is asked there, too, for what it sees of the
other's transform is what the vector is about: a denial there becomes a text that no vector expects.
That the result of a rewrite is judged once more (design, section 2) is a further question, which no
vector asks.

A denial that an approval may lift is our `ask`, and whoever approves is the user, or what an agent
of the SDK has in the user's place.

How a host composes is its configuration, for the vectors as for us: a parallel profile is our
`hooks.rewrites = "single"`, `evaluate_only` is `hooks.observe = true`. A vector that calls no tool,
because it is blocked before, gets a call: that is the first point that our hosts let us answer.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from agguard.dispatch.ask import Asker
from agguard.dispatch.deadline import Clock
from agguard.dispatch.dispatcher import Dispatcher
from agguard.dispatch.implementation import Implementation
from agguard.hosts.antigravity import answer
from agguard.hosts.antigravity_sdk.hooks import permitted
from agguard.model.call import Command, ToolCall
from agguard.model.event import Event
from agguard.model.session import Role, Session
from agguard.model.value import Value
from agguard.model.verdict import Decision, Reason, Verdict
from agguard.pipeline.books import Books
from agguard.pipeline.desk import Desk
from agguard.pipeline.firing import fire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from agguard.ledger.records import Entry

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
        verdict = Verdict.ask if "approval" in said else Verdict.deny
        return verdict(said.get("reason", ""))
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

    is_permitted: bool
    """Whether the tool runs."""
    consulted: int
    """How often somebody was asked to approve."""
    decision: str
    """In the vectors' words, as recorded; when only observing it is not enforced."""
    reasons: tuple[Reason, ...]
    """As recorded, those of the decision first."""
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

    @staticmethod
    def message(_: ToolCall) -> None:
        return None


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
    dispatcher = Dispatcher.configured(asker, {"hooks": _settings(vector)})
    session = Session("conformance", Role.WORKER, settings={"hooks": _settings(vector)})
    books = Books(str(folder), 20.0, time.time())
    try:
        desk = Desk(dispatcher, Tools(key), books, time.time(), session)
        event = Event("PreToolUse", "conformance", call=ToolCall(name, args))
        outcome = fire(event, desk)
        (entry,) = books.ask(lambda x: x.entries()) or ()
    finally:
        asker.close()
        books.close()
    judged = [one for one in dispatcher.answers if one.implementation.hook == "judge_tool"]
    approvals = _Approvals(vector)
    document = answer("PreToolUse", outcome)
    is_permitted = permitted(document, approvals.ask if approvals else None, name, args)
    recorded = [Reason(who, text, Decision[word.upper()]) for who, word, text in _json(entry)]
    strictest = max((one.decision for one in recorded), default=Decision.ALLOW)
    changed = [one.guard for one in recorded if not one.decision]
    if strictest in (Decision.ASK, Decision.FORCE_ASK):
        word = "allow" if is_permitted else "deny"
    else:
        word = (strictest or Decision.ALLOW).word
    deciding = [one.guard for one in recorded if one.decision == strictest > Decision.ALLOW]
    deciding = sorted(set(deciding) & set(names), key=names.index) or changed[-1:]
    return Composed(
        is_permitted,
        approvals.asked,
        "transform" if changed and word == "allow" else word,
        tuple(sorted(recorded, key=lambda one: one.decision != strictest)),
        {**args, **outcome.overwrite},
        tuple(_verdict(one, one.plugin in changed) for one in judged[: len(names)]),
        names.index(deciding[0]) if deciding else None,
        tuple(fault.plugin for fault in dispatcher.faults),
    )


class _Approvals:
    """Answers as the vector's script of approvals says; nobody answers where it has none."""

    def __init__(self, vector: Mapping[str, Any]) -> None:
        self._script = [one["resolve"] for one in vector.get("approval_script", ())]
        self.asked = 0

    def __bool__(self) -> bool:
        return bool(self._script)

    def ask(self, *_: object) -> bool:
        resolution = self._script[self.asked]
        self.asked += 1
        if resolution.get("fault"):
            raise RuntimeError(resolution["fault"])
        return bool(resolution["outcome"] == "approve")


def _settings(vector: Mapping[str, Any]) -> dict[str, Any]:
    parallel = vector.get("composition", {}).get("profile", "").startswith("parallel/")
    return {
        "rewrites": "single" if parallel else "chained",
        "observe": vector.get("mode") == "evaluate_only",
    }


def _json(entry: Entry) -> list[list[str]]:
    found: list[list[str]] = json.loads(entry.reasons)
    return found


def scripts(vector: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """Return what each interceptor does before a tool call."""
    alone = [vector["interceptor_script"]] if "interceptor_script" in vector else []
    found: Sequence[Any] = vector.get("interceptor_scripts", alone)
    return [[item for item in one if item["at"] == "pre_tool_call"] for one in found]


def asked(vector: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the tool call that the scripted model makes, or some call where it makes none."""
    for turn in vector["scenario"]["model_script"]:
        for call in turn["respond"]["tool_calls"]:
            return str(call["name"]), dict(call["args"])
    return "http_get", {"url": "https://example.com"}


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


def _verdict(given: Any, changed: bool) -> tuple[str, str]:
    if given.fault:
        return "deny", given.fault.text
    if isinstance(given.value, Verdict):
        decision = given.value.decision
        return "deny" if decision > Decision.ALLOW else decision.word, given.value.reason
    return ("transform" if changed else "allow"), ""
