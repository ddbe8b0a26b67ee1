"""Takes the secrets out of JSON-like values, such as the arguments of a tool call."""

from __future__ import annotations

from agguard.model.redact.text import CUT, LIMIT, MARK, redact, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Plain = str | int | float | bool | None

REST = CUT.strip()
"""The last item of a list, or the last key of a dict, that is not kept as a whole."""

_BUDGET = 4 * LIMIT
_COST = 16
"""What an item costs beside its characters."""
_DEEPEST = 64


def redact_value(value: object) -> object:
    """Return a copy of a value without its secrets.

    Args:
        value: None, booleans, numbers, texts, and lists, tuples and dicts of them.

    Returns:
        A value of the same form. Texts are redacted, also those that are keys; below a key that
        says "secret" everything is withheld that is not None, a boolean or a mere count. In a
        list of words, a secret is found as in a command. What is nested deeper than 64 levels,
        or is of another type, becomes a mark: it is not known to hold no secret. Of a huge
        value (some 16,000 items, or four texts of `LIMIT` characters) the rest is cut.
    """
    return _Redaction().value(value, "", _DEEPEST)


class _Redaction:
    """One run over a value; it holds what may still be spent."""

    def __init__(self) -> None:
        self._left = _BUDGET

    def value(self, value: object, name: str, depth: int) -> object:
        """Redact a value that stands beside `name`, with `depth` more levels allowed."""
        self._left -= _COST
        if value is None or isinstance(value, (str, int, float)):
            return self._plain(value, name)
        if depth and isinstance(value, dict):
            return self._mapping(value, name, depth - 1)
        if depth and isinstance(value, (list, tuple)):
            items = self._items(value, name, depth - 1)
            return tuple(items) if isinstance(value, tuple) else items
        return MARK

    def _plain(self, value: Plain, name: str) -> object:
        if value is None or isinstance(value, bool):
            return value
        if _says_secret(name, str(value)):
            return MARK
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        shown = redact(text)
        self._left -= max(min(len(text), LIMIT), len(shown))
        return shown

    def _mapping(
        self, value: Mapping[object, object], name: str, depth: int
    ) -> dict[object, object]:
        called = next((value[key] for key in ("name", "key", "Name", "Key") if key in value), "")
        result: dict[object, object] = {}
        for key, item in value.items():
            if self._left < 0:
                result[REST] = MARK
                break
            shown = self._text(key) if isinstance(key, str) else key
            inner = name if _is_secret_name(name) else str(shown)
            if inner in {"value", "Value"} and isinstance(called, str):
                inner = redact(called)  # {"name": "DB_PASSWORD", "value": "x"}
            result[shown] = self.value(item, inner, depth)
        return result

    def _items(self, value: Sequence[object], name: str, depth: int) -> list[object]:
        """Redact the items of a list; the words of a command keep their context."""
        beside = name if _is_secret_name(name) else ""
        result: list[object] = []
        for item in value:
            if self._left < 0:
                result.append(REST)
                break
            shown = self.value(item, beside or _flag(result), depth)
            result.append(shown)
        words = [item for item in result if isinstance(item, str)]
        return _command(words) if len(words) == len(result) else result


def _flag(before: list[object]) -> str:
    """Return the flag whose value the next item of a list is, or an empty text."""
    last = before[-1] if before else ""
    return last if isinstance(last, str) and last[:1] == "-" and "=" not in last else ""


def _says_secret(name: str, value: str) -> bool:
    if not name or not value:
        return False
    from agguard.model.redact import extent, names

    if name.startswith("-") and (names.takes_no_value(name) or value.startswith("-")):
        return False
    return not extent.is_reference(value) and names.is_secret(name, value)


def _is_secret_name(name: str) -> bool:
    if not name:
        return False
    from agguard.model.redact import names

    return names.grade(name) >= names.FILE


def _command(words: list[str]) -> list[object]:
    """Return the words of a list without what is secret if they are those of a command."""
    from agguard.model.redact import programs

    result: list[object] = list(words)
    if programs.are_named(" ".join(words).lower() + " "):
        from agguard.model.redact import commands

        for index, start, end in commands.secrets(words):
            result[index] = replaced(words[index], [(start, end)])
    return result
