"""Finds a setting in the compiled settings; imports nothing, so a hook may use it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def lookup(settings: Mapping[str, Any], key: str | tuple[str, ...]) -> Any:  # noqa: ANN401 - its own type
    """Return a setting, or a section as a dict.

    Args:
        settings: the compiled settings.
        key: a dotted key of bare words, or its parts.

    Raises:
        KeyError: there is no such key; compiled settings hold every one, so that is a mistake
            in the caller.
    """
    found: Any = settings
    for part in key.split(".") if isinstance(key, str) else key:
        found = found[part]
    return found
