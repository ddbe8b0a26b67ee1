"""A property of every guard: no payload makes it fail.

Hosts drift: an argument is missing, has another type, or holds half a character. A guard that
raises on it is a guard that is off. Payloads are made up from a seed, so a failure can be repeated.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from agguard.hosts.port import host
from agguard.model.call import Artifact, Failed, Failures, Invocation, Record, Stop, ToolCall
from agguard.model.effect import Effect
from agguard.model.report.reading import Report, read
from agguard.model.report.schema import ROLES
from agguard.model.session import Role
from agguard.testing.calls import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.testing.guards import Guards
    from agguard.testing.result import Result

TEXTS = (
    "",
    " ",
    "\0",
    "\n",
    "\ud800",
    "é" * 300,
    "x" * 5000,
    "../..",
    "~",
    "-rf",
    "$(cat /etc/passwd)",
    'a "b',
    "a 'b",
    "a && b || c; d | e > f < g &",
    "<<EOF\na\nEOF",
    "{",
    '{"a": [1]}',
    "file:///etc/passwd",
    "%s{}",
    "[AGGUARD_TOKEN:x]",
)
ODD: tuple[object, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    2**70,
    float("nan"),
    [],
    {},
    [None],
    [[]],
    {"": None},
)


REPORTED = ("status", "summary", "files_modified", "verify_cmd", "failing_command", "exit_code")


def check_never_fails(guards: Guards, *, by: str = "", rounds: int = 200, seed: int = 0) -> None:
    """Fail if any payload makes a guard fail.

    Args:
        guards: The guards.
        by: Only this plugin's faults count; all by default.
        rounds: How many calls of made-up arguments to try, besides one of every tool.
        seed: Where to begin.
    """
    for result, what in _results(guards, random.Random(seed), rounds):  # noqa: S311 - no secret
        if found := result.faults_of(by):
            msg = f"{what!r} makes {found[0].plugin!r} fail: {found[0].text}"
            raise AssertionError(msg)


def payloads(chance: random.Random, rounds: int) -> Iterator[ToolCall]:
    """Yield calls: every tool, every tool without arguments, then made-up ones."""
    for tool, args in EXAMPLES.items():
        yield ToolCall(tool, args)
        yield ToolCall(tool)
    names = [*EXAMPLES, "", "a_tool_of_tomorrow", "mcp_jira_get_issue"]
    for step in range(rounds):
        tool = chance.choice(names)
        args = {**EXAMPLES.get(tool, {})}
        for _ in range(chance.randint(1, 3)):
            key = chance.choice([*args, "toolSummary", "x"])
            args[key] = _value(chance, depth=3)
        call = ToolCall(tool, args, step, denials=chance.randint(0, 4), failures=_failures(chance))
        failed = Failed(_text(chance), _text(chance), _text(chance))
        spawns = host("antigravity").spawns(call)
        yield call.replace(spawns=tuple(one.replace(failed=failed) for one in spawns))


def _results(guards: Guards, chance: random.Random, rounds: int) -> Iterator[tuple[Result, object]]:
    roles = list(Role)
    for call in payloads(chance, rounds):
        role = chance.choice(roles)
        yield guards.dispatch(call, role), call
        seen = Record("PostToolUse", guards.session(role), call, error=_text(chance))
        yield guards.observe(seen), seen
    for _ in range(max(1, rounds // 4)):
        role = chance.choice(roles)
        stop = _stop(chance)
        yield guards.stop(stop, role, transcript=_text(chance)), stop
        told = _invocation(chance)
        yield guards.remind(told, role), told


def _stop(chance: random.Random) -> Stop:
    return Stop(
        reason=chance.choice(["", "NO_TOOL_CALL", _text(chance)]),
        error=chance.choice(["", _text(chance)]),
        fully_idle=_coin(chance),
        continuation=chance.randint(0, 9),
        work=Effect(chance.randint(0, 255)),
        running=(_text(chance),) if _coin(chance) else (),
        dead=(_text(chance),) if _coin(chance) else (),
        last_message=chance.choice([None, _text(chance)]),
        seconds=chance.choice([None, -1.0, 0.0, 600.0, float("nan")]),
        artifacts=(Artifact(_text(chance), chance.choice([None, 0, 5]), _coin(chance)),),
        report=_report(chance) if _coin(chance) else None,
        reports=(_report(chance), _report(chance)),
    )


def _invocation(chance: random.Random) -> Invocation:
    return Invocation(
        event=chance.choice(["SessionStart", "PreInvocation"]),
        number=chance.choice([0, 1, 25, 10**9]),
        repeated=_coin(chance),
        rejected=_coin(chance),
        running=(_text(chance),),
        dead=(_text(chance),) if _coin(chance) else (),
        dead_is_new=_coin(chance),
        reports=(_report(chance),),
        failures=_failures(chance),
    )


def _failures(chance: random.Random) -> Failures:
    code = chance.choice([None, 0, 1, -9, 2**70])
    return Failures(chance.randint(0, 5), _text(chance), code, _coin(chance))


def _report(chance: random.Random) -> Report:
    """Return what an agent may have written in the place of a report."""
    value = {key: _value(chance, depth=2) for key in (*REPORTED, _text(chance))}
    value["status"] = chance.choice(["completed", "failed", "blocked", _value(chance, depth=1)])
    text = chance.choice([json.dumps(value), _text(chance)])
    made = read(text, chance.choice(ROLES))
    return made.replace(who=_text(chance), is_new=_coin(chance), unproven=(_text(chance),))


def _coin(chance: random.Random) -> bool:
    return chance.random() < 0.5  # noqa: PLR2004 - a coin


def _text(chance: random.Random) -> str:
    if chance.random() < 0.7:  # noqa: PLR2004 - most are prepared
        return chance.choice(TEXTS)
    return "".join(chr(chance.randint(0, 0x2FF)) for _ in range(chance.randint(0, 20)))


def _value(chance: random.Random, depth: int) -> Any:  # noqa: ANN401 - any JSON
    kind = chance.randint(0, 5 if depth else 3)
    if kind < 3:  # noqa: PLR2004 - half of the values are texts
        return _text(chance)
    if kind == 3:  # noqa: PLR2004
        return chance.choice(ODD)
    size = chance.randint(0, 3)
    if kind == 4:  # noqa: PLR2004
        return [_value(chance, depth - 1) for _ in range(size)]
    return {_text(chance): _value(chance, depth - 1) for _ in range(size)}
