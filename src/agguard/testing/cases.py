"""Tables of cases in TOML, so that a guard's rules can be read and reviewed without code.

    plugins = ["terraform=agguard_terraform"]
    guard = "terraform"
    config = '''
    [plugins.terraform]
    production = ["prod"]
    '''

    [[acts]]
    run = "terraform apply"
    reason = "plan"

    [[leaves_alone]]
    run = "terraform plan -out plan.bin"

    [[faults]]
    run = "terraform apply"
    kind = "exception"

A case says what happens, one of

    run = "git status"           a command; `args` may hold the call's `cwd`
    tool = "view_file"           any tool, with `args`
    spawn = "Run the tests."     a subagent is started; `args` are fields of its entry
    stop = { … }                 an agent wants to stop: fields of `agguard.Stop`
    remind = { … }               its model is about to be called: fields of `agguard.Invocation`

and with whom: `role`, `worker` if left out (a stop's and a reminder's `primary`), and fields of the
`session`, which a table may set for all its cases. `facts` are what is known of a call besides:
`denials`, `failures`, and `failed` of a task that is given anew. `config` and `guard` stand in the
place of the table's. One that acts says how: `decision` (`deny` if left out, which sends a stop
back; `allow` with a reason is advice), `effect`, `command` (what the command becomes) or `tells`
(what an agent is told, once), and `reason`, a text that the guard's reason holds.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from agguard.testing import assertions, facts
from agguard.testing.guards import Guards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from agguard.testing.result import Result

HALVES = ("acts", "leaves_alone", "faults")
KNOWN = {
    "acts": {"decision", "reason", "command", "effect", "tells"},
    "leaves_alone": set[str](),
    "faults": {"kind"},
}
HAPPENS = ("run", "tool", "spawn", "stop", "remind")
CALLED = {"name", "args", "role", "session", "facts", "config", "guard", *HAPPENS}
TABLE = {"plugins", "guard", "config", "session", *HALVES}
DECISIONS = ("deny", "ask", "force_ask", "allow")


def check_cases(path: str, guards: Guards | None = None) -> int:
    """Run every case of a table, and fail with all that went wrong.

    Args:
        path: The table.
        guards: The guards to ask; those that the table's `plugins` name if left out. A case's own
            `config` needs the table's.

    Returns:
        How many cases there were.

    Raises:
        AssertionError: A case failed, or the table lacks one of its halves `acts` and
            `leaves_alone`: a table of one half cannot show that a guard tells calls apart.
        ValueError: The table holds what no table may hold.
    """
    with open(path, "rb") as file:
        table = tomllib.load(file)
    _refuse_odd(table)
    if not table.get("faults") and not (table.get("acts") and table.get("leaves_alone")):
        msg = f"{path}: expected cases under [[acts]] and under [[leaves_alone]]"
        raise AssertionError(msg)
    asked = _asked(table, guards)
    found = [(half, case) for half in HALVES for case in table.get(half, ())]
    wrong = list(filter(None, (_failure(half, case, table, asked(case)) for half, case in found)))
    if wrong:
        raise AssertionError(f"{len(wrong)} of {len(found)} cases failed:\n" + "\n".join(wrong))
    return len(found)


def _asked(
    table: Mapping[str, Any], guards: Guards | None
) -> Callable[[Mapping[str, Any]], Guards]:
    """Return what finds the guards of a case; those of one configuration are made once."""
    made: dict[str, Guards] = {}

    def find(case: Mapping[str, Any]) -> Guards:
        if guards is not None and "config" in case:
            msg = "a case has a `config`, so the table has to name its `plugins` itself"
            raise ValueError(msg)
        if guards is not None:
            return guards
        config = str(case.get("config", table.get("config", "")))
        if config not in made:
            made[config] = Guards(*table.get("plugins", ()), config=config)
        return made[config]

    return find


def _failure(half: str, case: dict[str, Any], table: Mapping[str, Any], guards: Guards) -> str:
    own = facts.fields(table.get("session", {}), case.get("session", {}))
    result = _happens(case, own, guards)
    try:
        _judge(half, case, result, str(case.get("guard", table.get("guard", ""))))
    except AssertionError as error:
        what = case.get("name") or next(str(case[key]) for key in HAPPENS if key in case)
        return f"{half}: {what}: {error}"
    return ""


def _happens(case: Mapping[str, Any], own: dict[str, Any], guards: Guards) -> Result:
    if "stop" in case or "remind" in case:
        role = case.get("role", "primary")
        session = guards.session(role, **own)
        if "stop" in case:
            return guards.stop(facts.stop(case["stop"], session), role, **own)
        return guards.remind(facts.invocation(case["remind"], session), role, **own)
    session = guards.session(case.get("role", "worker"), **own)
    return guards.dispatch(facts.tool_call(case), session=session)


def _judge(half: str, case: dict[str, Any], result: Result, by: str) -> None:
    if half == "leaves_alone":
        assertions.assert_left_alone(result, by=by)
    elif half == "faults":
        kinds = [fault.kind for fault in result.faults_of(by)]
        if case.get("kind", "exception") not in kinds:
            msg = f"expected a fault, found {kinds}\n{result.shown()}"
            raise AssertionError(msg)
    else:
        _acts(case, result, by)


def _acts(case: dict[str, Any], result: Result, by: str) -> None:
    decision, because = case.get("decision", "deny"), case.get("reason", "")
    if "command" in case:
        assertions.assert_rewritten(result, case["command"], by=by)
    elif "tells" in case:
        assertions.assert_injected_once(result, case["tells"], by=by)
    elif "effect" in case:
        said = [one.text for one in result.said_by(by)]
        if case["effect"] not in said:
            msg = f"expected the effect {case['effect']!r}, found {said}\n{result.shown()}"
            raise AssertionError(msg)
    elif decision == "deny":
        assertions.assert_denied(result, by=by, because=because)
    elif decision == "allow":
        assertions.assert_advised(result, by=by, because=because)
    else:
        assertions.assert_asked(result, by=by, because=because)


def _refuse_odd(table: dict[str, Any]) -> None:
    for where, key in _odd(table):
        msg = f"{where} has the unknown key {key!r}"
        raise ValueError(msg)


def _odd(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in table.keys() - TABLE:
        yield "the table", key
    for half in HALVES:
        for case in table.get(half, ()):
            for key in case.keys() - CALLED - KNOWN[half]:
                yield f"a case of [[{half}]]", key
            if sum(key in case for key in HAPPENS) != 1:
                yield f"a case of [[{half}]] with none or several of {', '.join(HAPPENS)}", "run"
            if case.get("decision", "deny") not in DECISIONS:
                yield f"a case of [[{half}]]", f"decision = {case['decision']}"
