"""A property of every guard: no payload makes it fail.

Hosts drift: an argument is missing, has another type, or holds half a character. A guard that
raises on it is a guard that is off. Payloads are made up from a seed, so a failure can be repeated.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from agguard.model.call import Invocation, Record, Stop, ToolCall
from agguard.model.effect import Effect
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
        yield ToolCall(tool, args, step)


def _results(guards: Guards, chance: random.Random, rounds: int) -> Iterator[tuple[Result, object]]:
    roles = list(Role)
    for call in payloads(chance, rounds):
        role = chance.choice(roles)
        yield guards.dispatch(call, role), call
        seen = Record("PostToolUse", guards.session(role), call, error=_text(chance))
        yield guards.observe(seen), seen
    for _ in range(max(1, rounds // 4)):
        stop = Stop(
            reason=_text(chance),
            error=_text(chance),
            fully_idle=chance.random() < 0.5,  # noqa: PLR2004 - a coin
            continuation=chance.randint(0, 9),
            work=Effect(chance.randint(0, 255)),
            last_message=chance.choice([None, _text(chance)]),
        )
        role = chance.choice(roles)
        yield guards.stop(stop, role, transcript=_text(chance)), stop
        told = Invocation(number=chance.randint(0, 9), dead=(_text(chance),))
        yield guards.remind(told, role), told


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
