"""What a table's case says happened, as the values that guards are asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agguard.hosts.port import host
from agguard.model.call import Artifact, Failed, Failures, Invocation, Stop, ToolCall
from agguard.model.effect import Effect
from agguard.model.report.reading import Report, read
from agguard.model.report.schema import role_of
from agguard.testing import calls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    Made = TypeVar("Made")

    from agguard.model.session import Session


def tool_call(case: Mapping[str, Any]) -> ToolCall:
    """Make the tool call of a case, with the facts that the pipeline would have found.

    Raises:
        ValueError: The case has a fact that there is not.
    """
    facts = dict(case.get("facts", {}))
    failed = facts.pop("failed", None)
    made = _called(case)
    if failed is not None:
        task = _made(Failed, failed)
        spawns = host("antigravity").spawns(made)
        facts["spawns"] = tuple(spawn.replace(failed=task) for spawn in spawns)
    if "failures" in facts:
        facts["failures"] = _made(Failures, facts["failures"])
    return _made(ToolCall, {"name": made.name, "args": made.args, **facts})


def stop(facts: Mapping[str, Any], session: Session) -> Stop:
    """Make a stop; `work` is a list of effects, a report is its `text` and other fields."""
    return _made(Stop, _happened(facts, session))


def invocation(facts: Mapping[str, Any], session: Session) -> Invocation:
    """Make a model call that is about to happen."""
    return _made(Invocation, _happened(facts, session))


def fields(*given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a session that tables set, the later ones over the former."""
    return {key: _frozen(value) for one in given for key, value in one.items()}


def _called(case: Mapping[str, Any]) -> ToolCall:
    args = case.get("args", {})
    if "run" in case:
        return calls.run(case["run"], **args)
    if "spawn" in case:
        entry = {"TypeName": "self", "Role": "executor", "Prompt": case["spawn"], **args}
        return calls.call("invoke_subagent", Subagents=[entry])
    return calls.call(case["tool"], **args)


def _happened(facts: Mapping[str, Any], session: Session) -> dict[str, Any]:
    made = {key: _frozen(value) for key, value in facts.items()}
    if "work" in made:
        made["work"] = _effect(made["work"])
    if "failures" in made:
        made["failures"] = _made(Failures, made["failures"])
    if "artifacts" in made:
        made["artifacts"] = tuple(_made(Artifact, one) for one in made["artifacts"])
    if "report" in made:
        made["report"] = _report(made["report"], role_of(session))
    if "reports" in made:
        made["reports"] = tuple(_report(one, "executor") for one in made["reports"])
    return made


def _effect(words: tuple[str, ...]) -> Effect:
    found = Effect(0)
    for word in words:
        if word.upper() not in Effect.__members__:
            msg = f"{word!r} is no effect; expected some of {', '.join(Effect.__members__).lower()}"
            raise ValueError(msg)
        found |= Effect[word.upper()]
    return found


def _report(facts: Mapping[str, Any], role: str) -> Report:
    more = {key: _frozen(value) for key, value in facts.items() if key not in ("text", "role")}
    made = read(str(facts.get("text", "")), str(facts.get("role", role)))
    return _made(Report, {**made.asdict(), **more})


def _frozen(value: Any) -> Any:  # noqa: ANN401 - any TOML
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _made(kind: Callable[..., Made], given: Mapping[str, Any]) -> Made:
    """Make a value.

    Raises:
        ValueError: It has no field of some name.
    """
    try:
        return kind(**given)
    except TypeError as error:
        msg = f"a case's facts do not fit: {error}"
        raise ValueError(msg) from error
