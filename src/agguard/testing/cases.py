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

A case says what is called: `run` (a command), or `tool` and `args`; and by whom: `role`, `worker`
if left out. One that acts says how: `decision` (`deny` if left out), `effect`, or `command` (what
the command becomes), and `reason`, a text that the guard's reason holds.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from agguard.testing import assertions, calls
from agguard.testing.guards import Guards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.model.call import ToolCall
    from agguard.testing.result import Result

HALVES = ("acts", "leaves_alone", "faults")
KNOWN = {
    "acts": {"decision", "reason", "command", "effect"},
    "leaves_alone": set[str](),
    "faults": {"kind"},
}
CALLED = {"name", "run", "tool", "args", "role"}


def check_cases(path: str, guards: Guards | None = None) -> int:
    """Run every case of a table, and fail with all that went wrong.

    Args:
        path: The table.
        guards: The guards to ask; those that the table's `plugins` name if left out.

    Returns:
        How many cases there were.

    Raises:
        AssertionError: A case failed, or the table lacks one of its halves `acts` and
            `leaves_alone`: a table of one half cannot show that a guard tells calls apart.
        ValueError: The table holds what no table may hold.
    """
    with open(path, "rb") as file:
        table = tomllib.load(file)
    asked = guards or Guards(*table.get("plugins", ()), config=table.get("config", ""))
    by = str(table.get("guard", ""))
    _refuse_odd(table)
    if not table.get("faults") and not (table.get("acts") and table.get("leaves_alone")):
        msg = f"{path}: expected cases under [[acts]] and under [[leaves_alone]]"
        raise AssertionError(msg)
    found = [(half, case) for half in HALVES for case in table.get(half, ())]
    wrong = list(filter(None, (_failure(half, case, asked, by) for half, case in found)))
    if wrong:
        raise AssertionError(f"{len(wrong)} of {len(found)} cases failed:\n" + "\n".join(wrong))
    return len(found)


def _failure(half: str, case: dict[str, Any], guards: Guards, by: str) -> str:
    result = guards.dispatch(_call(case), case.get("role", "worker"))
    try:
        _judge(half, case, result, by)
    except AssertionError as error:
        return f"{half}: {case.get('name') or case.get('run') or case.get('tool')}: {error}"
    return ""


def _judge(half: str, case: dict[str, Any], result: Result, by: str) -> None:
    if half == "leaves_alone":
        assertions.assert_left_alone(result, by=by)
    elif half == "faults":
        kinds = [fault.kind for fault in result.faults_of(by)]
        if case.get("kind", "exception") not in kinds:
            msg = f"expected a fault, found {kinds}\n{result.shown()}"
            raise AssertionError(msg)
    elif "command" in case:
        assertions.assert_rewritten(result, case["command"], by=by)
    elif "effect" in case:
        said = [one.text for one in result.said_by(by)]
        if case["effect"] not in said:
            msg = f"expected the effect {case['effect']!r}, found {said}\n{result.shown()}"
            raise AssertionError(msg)
    elif case.get("decision", "deny") == "deny":
        assertions.assert_denied(result, by=by, because=case.get("reason", ""))
    else:
        assertions.assert_asked(result, by=by, because=case.get("reason", ""))


def _call(case: dict[str, Any]) -> ToolCall:
    if "run" in case:
        return calls.run(case["run"], **case.get("args", {}))
    return calls.call(case["tool"], **case.get("args", {}))


def _refuse_odd(table: dict[str, Any]) -> None:
    for where, key in _odd(table):
        msg = f"{where} has the unknown key {key!r}"
        raise ValueError(msg)


def _odd(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in table.keys() - {"plugins", "guard", "config", *HALVES}:
        yield "the table", key
    for half in HALVES:
        for case in table.get(half, ()):
            for key in case.keys() - CALLED - KNOWN[half]:
                yield f"a case of [[{half}]]", key
            if ("run" in case) == ("tool" in case):
                yield f"a case of [[{half}]] without `run` or `tool`, or with both,", "run"
            if case.get("decision", "deny") not in ("deny", "ask", "force_ask"):
                yield f"a case of [[{half}]]", f"decision = {case['decision']}"
