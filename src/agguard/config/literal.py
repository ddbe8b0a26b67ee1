"""Single values as TOML: read from a command line or a variable, written into a file."""

from __future__ import annotations

import re
import tomllib

from agguard.config.keys import dotted, quoted
from agguard.config.scan import scan
from agguard.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.config.setting import Json

_STRUCTURED = re.compile(r"""\s*(["'\[{])""")


def value_of(raw: str) -> Any:  # noqa: ANN401 - any TOML value
    """Return what VALUE means: TOML where it is TOML, and otherwise a bare string.

    Raises:
        ConfigError: it begins like a TOML string, list or table and is none.
    """
    text = f"value = {raw}"
    try:
        # The scanner goes first: it refuses what would cost the parser its stack.
        table = tomllib.loads(text) if scan(text).lost < 0 else {}
    except ValueError:
        table = {}
    if table.keys() == {"value"}:
        return table["value"]
    if _STRUCTURED.match(raw):
        msg = f"{raw!r} is not a TOML value; expected a form such as 'text', 5, true or [\"a\"]"
        raise ConfigError(msg)
    return raw


def literal(value: Json) -> str:
    """Return a value as TOML spells it, on one line.

    Raises:
        ConfigError: TOML has no such value (null).
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, dict):
        pairs = ", ".join(f"{dotted((key,))} = {literal(inner)}" for key, inner in value.items())
        return "{ " + pairs + " }" if pairs else "{}"
    msg = f"{value!r} cannot be written as TOML; expected a string, a number, a list or a table"
    raise ConfigError(msg)
