"""What each hook may return, checked, and as plain data for the wire between processes."""

from __future__ import annotations

from agguard.errors import PluginError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _types(hook: str) -> tuple[type, ...]:
    """Return the types that `hook` may return, besides None."""
    if hook == "classify_tool":
        from agguard.model.effect import Effect

        return (Effect,)
    if hook in ("judge_tool", "judge_stop"):
        from agguard.model.verdict import StopVerdict, Verdict

        return (Verdict,) if hook == "judge_tool" else (StopVerdict,)
    from agguard.model.contribution import Addition, Reminder, Rewrite

    found = {"rewrite_command": Rewrite, "augment_prompt": Addition, "remind": Reminder}.get(hook)
    return (found,) if found else ()


def checked(hook: str, value: object) -> object:
    """Return `value` if the contract of `hook` allows it.

    Raises:
        PluginError: It has another type, or a field of another type.
    """
    if value is None:
        return None
    allowed = _types(hook)
    if type(value) not in allowed:
        wanted = " or ".join([kind.__name__ for kind in allowed] + ["None"])
        msg = f"{hook} returned {_brief(value)}, expected {wanted}"
        raise PluginError(msg)
    decode(hook, encode(value))  # refuses fields of a wrong type
    return value


def encode(value: Any) -> list[Any]:  # noqa: ANN401 - one of the types above
    """Turn a checked answer into plain data."""
    if isinstance(value, int):
        return [int(value)]
    return [int(v) if isinstance(v, int) else v for v in value.asdict().values()]


def decode(hook: str, fields: list[Any]) -> object:
    """Turn plain data back into the answer of `hook`.

    Raises:
        PluginError: The data does not fit.
    """
    try:
        (kind,) = _types(hook)
        if hook == "classify_tool":
            return _effect(fields[0])
        if hook in ("judge_tool", "judge_stop"):
            from agguard.model.verdict import Decision

            first, reason = fields
            if hook == "judge_tool":
                return kind(Decision(first), _text(reason))
            return kind({0: False, 1: True}[first], _text(reason))
        return kind(*(_text(field) for field in fields))
    except (TypeError, ValueError, IndexError, KeyError) as error:
        msg = f"{hook} returned fields that do not fit: {_brief(fields)}"
        raise PluginError(msg) from error


def _effect(value: int) -> object:
    from agguard.model.effect import Effect

    if not 0 <= value < 2 * max(Effect):  # a flag that means nothing would count as harmless
        msg = f"{value} is no effect"
        raise ValueError(msg)
    return Effect(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        msg = f"expected a string, not {_brief(value)}"
        raise TypeError(msg)
    return value


def _brief(value: object) -> str:
    """Name a foreign object without trusting its `repr`."""
    return f"a {type(value).__name__}"
