"""Compares a document with a schema of ours: the part of JSON Schema that those use. Pure.

The library for it takes longer to import than a hook may run. A test proves on generated documents
that both find the same problems at the same places.
"""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    Schema = Mapping[str, Any]
    Path = tuple[str | int, ...]

LONGEST = 60
"""Characters of a value that a message quotes."""


class Problem(Value):
    """One thing that is wrong with a document."""

    path: Path
    """The members and places that lead to it, from the root."""
    keyword: str
    """The keyword of the schema that says so."""
    text: str
    member: str = ""
    """The member that is missing from the object at `path`."""

    @property
    def shown(self) -> str:
        """The path as `$.files_modified[0]`, and what is wrong there."""
        path = (*self.path, self.member) if self.member else self.path
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        return f"${''.join(steps)} {self.text}"


def problems(document: object, schema: Schema) -> list[Problem]:
    """Return everything that is wrong with a document, in the order of the schema."""
    return list(_at((), document, schema))


def _at(path: Path, value: object, schema: Schema) -> Iterator[Problem]:
    for keyword, wanted in schema.items():
        if keyword == "if":
            if not any(_at(path, value, wanted)):
                yield from _at(path, value, schema["then"])
        elif keyword in NESTED:
            yield from NESTED[keyword](path, value, wanted)
        elif keyword in SIMPLE and (text := SIMPLE[keyword](value, wanted)):
            yield Problem(path, keyword, text)


def _properties(path: Path, value: object, wanted: Schema) -> Iterator[Problem]:
    if isinstance(value, dict):
        for name, schema in wanted.items():
            if name in value:
                yield from _at((*path, name), value[name], schema)


def _items(path: Path, value: object, wanted: Schema) -> Iterator[Problem]:
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _at((*path, place), item, wanted)


def _required(path: Path, value: object, wanted: Sequence[str]) -> Iterator[Problem]:
    if isinstance(value, dict):
        for name in wanted:
            if name not in value:
                yield Problem(path, "required", "is missing", name)


def _all_of(path: Path, value: object, wanted: Sequence[Schema]) -> Iterator[Problem]:
    for schema in wanted:
        yield from _at(path, value, schema)


def _type(value: object, wanted: str | list[str]) -> str:
    names = [wanted] if isinstance(wanted, str) else wanted
    if any(KINDS[name](value) for name in names):
        return ""
    return f"is {kind(value)}, expected {' or '.join(names)}"


def _enum(value: object, wanted: list[str]) -> str:
    if isinstance(value, str) and value in wanted:
        return ""
    return f"is {_quoted(value)}, expected one of {', '.join(map(repr, wanted))}"


def _const(value: object, wanted: str) -> str:
    return "" if isinstance(value, str) and value == wanted else f"is not {wanted!r}"


def _longest(value: object, wanted: int) -> str:
    if not isinstance(value, str) or len(value) <= wanted:
        return ""
    from agguard.quantity import counted

    return f"has {counted(len(value), 'character')}, expected {wanted} at the most"


def _pattern(value: object, wanted: str) -> str:
    r"""Only `\S` is used: there is something in the text besides white space."""
    if wanted != r"\S":
        msg = f"pattern {wanted!r} is not one that is checked here"
        raise ValueError(msg)
    return "is blank" if isinstance(value, str) and not value.strip() else ""


def kind(value: object) -> str:
    """Name the JSON type of a value."""
    for name in ("null", "boolean", "integer", "number", "string", "array"):
        if KINDS[name](value):
            return f"an {name}" if name[0] in "ai" else name if name == "null" else f"a {name}"
    return "an object"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    # mypy cannot see that `_is_number` leaves int and float.
    return _is_number(value) and (isinstance(value, int) or value.is_integer())  # type: ignore[attr-defined]


KINDS: Mapping[str, Callable[[object], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": _is_whole,
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
SIMPLE: Mapping[str, Callable[[Any, Any], str]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "maxLength": _longest,
    "pattern": _pattern,
}
NESTED: Mapping[str, Callable[[Path, Any, Any], Iterator[Problem]]] = {
    "properties": _properties,
    "items": _items,
    "required": _required,
    "allOf": _all_of,
}


def _quoted(value: object) -> str:
    if not isinstance(value, str):
        return kind(value)
    return repr(value if len(value) <= LONGEST else f"{value[:LONGEST]}...")
