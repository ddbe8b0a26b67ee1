"""Takes the secrets out of JSON-like values, such as the arguments of a tool call."""

from __future__ import annotations

from agguard.model.redact.text import MARK, redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DEEPEST = 64


def redact_value(value: object) -> object:
    """Return a copy of a value without its secrets.

    Args:
        value: None, booleans, numbers, texts, and lists, tuples and dicts of them.

    Returns:
        A value of the same form. Texts are redacted, also those that are keys; below a key that
        says "secret" everything is withheld that is not None, a boolean or a mere count. In a
        list of words, a secret is found as in a command. What is nested deeper than 64 levels,
        or is of another type, becomes a mark: it is not known to hold no secret.
    """
    return _redacted(value, "", _DEEPEST)


def _redacted(value: object, name: str, depth: int) -> object:
    if isinstance(value, str):
        return _text(value, name)
    if value is None or isinstance(value, (bool, int, float)):
        return MARK if _is_number(value) and _says_secret(name, str(value)) else value
    if isinstance(value, dict) and depth:
        return _mapping(value, name, depth - 1)
    if isinstance(value, (list, tuple)) and depth:
        items = _items(value, name, depth - 1)
        return tuple(items) if isinstance(value, tuple) else items
    return MARK


def _is_number(value: object) -> bool:
    return value is not None and not isinstance(value, bool)


def _text(value: str, name: str) -> str:
    return MARK if value and _says_secret(name, value) else redact(value)


def _says_secret(name: str, value: str) -> bool:
    if not name:
        return False
    from agguard.model.redact import extent, names

    return not extent.is_reference(value) and names.is_secret(name, value)


def _mapping(value: Mapping[object, object], name: str, depth: int) -> dict[object, object]:
    called = next((value[key] for key in ("name", "key", "Name", "Key") if key in value), "")
    result: dict[object, object] = {}
    for key, item in value.items():
        inner = name if _is_secret_name(name) else str(key)
        if inner in {"value", "Value"} and isinstance(called, str):
            inner = called  # {"name": "DB_PASSWORD", "value": "x"}
        result[redact(key) if isinstance(key, str) else key] = _redacted(item, inner, depth)
    return result


def _is_secret_name(name: str) -> bool:
    if not name:
        return False
    from agguard.model.redact import names

    return names.grade(name) >= names.FILE


def _items(value: Sequence[object], name: str, depth: int) -> list[object]:
    """Redact the items of a list; the words of a command keep their context."""
    if name and _is_secret_name(name):
        return [_redacted(item, name, depth) for item in value]
    flag, result = "", []
    for item in value:
        result.append(_redacted(item, flag, depth))
        flag = item if isinstance(item, str) and item.startswith("-") and "=" not in item else ""
    words = [item for item in value if isinstance(item, str)]
    if len(words) == len(value):
        _command(words, result)
    return result


def _command(words: list[str], result: list[object]) -> None:
    """Replace in `result` what is secret in the words of a command."""
    from agguard.model.redact import programs

    if not programs.are_named(" ".join(words).lower() + " "):
        return
    from agguard.model.redact import commands

    for index, start, end in commands.secrets(words):
        if result[index] == words[index]:
            result[index] = words[index][:start] + MARK + words[index][end:]
