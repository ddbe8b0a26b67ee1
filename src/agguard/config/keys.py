"""Dotted keys, spelled as TOML spells them: `delegation.mode`, `plugins."my.guard".mode`."""

from __future__ import annotations

import json
import re
import tomllib

from agguard.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PART = re.compile(
    r"""[ \t]*(?:(?P<bare>[A-Za-z0-9_-]+)|(?P<basic>"(?:[^"\\\n]|\\.)*")|'(?P<literal>[^'\n]*)')"""
    r"""[ \t]*(?P<more>\.|$)"""
)
_DELETE = chr(0x7F)


def dotted(path: Iterable[str]) -> str:
    """Return the path as one dotted key, quoted where TOML demands it."""
    return ".".join(part if _BARE.fullmatch(part) else quoted(part) for part in path)


def quoted(text: str) -> str:
    """Return the text as a TOML basic string."""
    # JSON's escapes are TOML's, but TOML also refuses a bare DEL.
    return json.dumps(text, ensure_ascii=False).replace(_DELETE, "\\u007f")


def split(key: str) -> tuple[str, ...]:
    """Return the parts of a dotted key.

    Raises:
        ConfigError: the key is not spelled as TOML spells keys.
    """
    parts: list[str] = []
    position = 0
    while found := _PART.match(key, position):
        bare, basic, literal, more = found.groups()
        parts.append(unquoted(basic) if basic else bare or literal)
        if not more:
            return tuple(parts)
        position = found.end()
    msg = f"{key!r} is not a key; expected a form such as 'delegation.mode'"
    raise ConfigError(msg)


def unquoted(text: str) -> str:
    """Return what a TOML basic string says.

    Raises:
        ConfigError: it is none.
    """
    try:
        return str(tomllib.loads(f"text = {text}")["text"])
    except tomllib.TOMLDecodeError as error:
        msg = f"{text} is not a TOML string: {error}"
        raise ConfigError(msg) from error
