"""JSON with comments and trailing commas, as the host reads its registries and manifests."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


def parsed(data: bytes, *, fold: bool = True) -> Any:  # noqa: ANN401 - whatever it holds
    """Return the document.

    A key that is given twice counts with its last value. Invalid UTF-8 becomes U+FFFD.

    Args:
        data: the document.
        fold: lower-case the keys of objects, for Go ignores the case of a record's fields.

    Raises:
        ValueError: it is no JSON, even without its comments and trailing commas.
    """
    bare = _bare(data.decode("utf-8", "replace"))
    try:
        return json.loads(
            bare, object_pairs_hook=_folded if fold else None, parse_constant=_refused
        )
    except RecursionError as error:
        msg = "nested too deeply"
        raise ValueError(msg) from error


def _bare(text: str) -> str:
    """Remove comments and trailing commas in one pass; strings stay as they are."""
    string = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
    mark = re.compile(r'"|//|/\*|,|[\]}]')
    pieces: list[str] = []
    comma = at = 0  # `comma` is the place after a pending one in `pieces`, 0 for none
    while found := mark.search(text, at):
        between = text[at : found.start()]
        pieces.append(between)
        sign = found[0]
        if comma and (between.strip() or sign in '",'):
            comma = 0
        if comma and sign in "]}":
            pieces[comma - 1] = ""
            comma = 0
        at = _end(text, found, string)
        if sign not in ("//", "/*"):
            pieces.append(text[found.start() : at])
        if sign == ",":
            comma = len(pieces)
    return "".join(pieces) + text[at:]


def _end(text: str, found: re.Match[str], string: re.Pattern[str]) -> int:
    sign = found[0]
    if sign == '"':
        match = string.match(text, found.start())
        end = match.end() if match else -1
    elif sign == "//":
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
    elif sign == "/*":
        end = text.find("*/", found.end())
        end = end + 2 if end >= 0 else -1
    else:
        return found.end()
    if end < 0:
        msg = f"{sign} is not closed"
        raise ValueError(msg)
    return end


def _folded(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key.lower(): value for key, value in pairs}


def _refused(constant: str) -> NoReturn:
    msg = f"{constant} is not JSON"
    raise ValueError(msg)
