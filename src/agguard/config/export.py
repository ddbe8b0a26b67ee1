"""The schema as data: rows for `agguard config list`, and JSON Schema for editors."""

from __future__ import annotations

from agguard.config.setting import (
    BOOL,
    CHOICE,
    FLOAT,
    INT,
    LIST,
    MOST_CHARACTERS,
    MOST_ITEMS,
    STRING,
    TABLE,
    Setting,
)
from agguard.config.strictness import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.config.schema import Schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string", "maxLength": MOST_CHARACTERS}
_ITEM = {**_TEXT, "minLength": 1}


def rows(schema: Schema) -> list[dict[str, Any]]:
    """Return one row per setting: key, type, default, meaning, expected, unit, project."""
    return [
        {
            "key": setting.key,
            "type": setting.kind,
            "default": setting.initial,
            "meaning": setting.meaning,
            "expected": setting.expected,
            "unit": setting.unit,
            "project": rule(setting),
        }
        for setting in schema
    ]


def json_schema(schema: Schema) -> dict[str, Any]:
    """Return a JSON Schema (Draft 2020-12) that accepts what `load` takes without a problem.

    Tables of plugins whose settings are not known are accepted with any content.
    """
    root = _table()
    for setting in schema:
        table = root
        *above, leaf = setting.path
        for part in above:
            table = table["properties"].setdefault(part, _table())
        table["properties"][leaf] = _property(setting)
    plugins = root["properties"].get("plugins")
    if plugins:
        plugins["additionalProperties"] = {"type": "object"}
    return {"$schema": DIALECT, "title": "agguard's configuration", **root}


def _table() -> dict[str, Any]:
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _property(setting: Setting) -> dict[str, Any]:
    description = setting.meaning + (f" ({setting.unit})" if setting.unit else "")
    return {"description": description, "default": setting.initial, **_constraint(setting)}


def _constraint(setting: Setting) -> dict[str, Any]:
    span = {"minimum": setting.minimum, "maximum": setting.maximum}
    items = {"type": "array", "items": _ITEM, "maxItems": MOST_ITEMS}
    either = {"anyOf": [items, {"enum": list(setting.words)}]}
    by_kind: dict[str, dict[str, Any]] = {
        BOOL: {"type": "boolean"},
        INT: {"type": "integer", **span},
        FLOAT: {"type": "number", **span},
        STRING: _TEXT,
        CHOICE: {"enum": list(setting.choices)},
        LIST: either if setting.words else items,
        TABLE: {"type": "object", "additionalProperties": _ITEM, "maxProperties": MOST_ITEMS},
    }
    return by_kind[setting.kind]
