"""JSON for the hook path, by the standard library's own C code.

`json` imports `re`, which a hook needs for nothing else on its usual way: together 13 % of it. The
scanner and the encoder behind `json` are in CPython's `_json`. Errors are the ones of `json`:
ValueError and RecursionError.
"""

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BLANKS = " \t\n\r"
"""What JSON calls white space; `str.strip` alone would take more."""


def loads(text: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of one JSON document.

    Raises:
        ValueError: It is none, or something follows it.
        RecursionError: It is nested too deeply.
    """
    text = text.strip(BLANKS)
    value, end = first(text, 0)
    if end != len(text):
        msg = f"more than one document, from character {end} on"
        raise ValueError(msg)
    return value


def first(text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins at a place of a text, and where it ends.

    Raises:
        ValueError: None begins there.
        RecursionError: It is nested too deeply.
    """
    scan: Callable[[str, int], tuple[Any, int]] = _json.make_scanner(_Options)  # type: ignore[arg-type]
    try:
        return scan(text, at)
    except StopIteration as stop:
        msg = f"no value at character {stop.value}"
        raise ValueError(msg) from None
    except SystemError:
        # Until 3.12 the scanner takes its error from `json.decoder`, if somebody has imported it.
        msg = f"no whole value at character {at}"
        raise ValueError(msg) from None


def dumps(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Return a value as JSON, in ASCII and on one line.

    Raises:
        TypeError: It is no JSON.
        ValueError: It holds itself.
    """
    encoder: Callable[[Any, int], tuple[str, ...]] = _json.make_encoder(
        {}, _refuse, _json.encode_basestring_ascii, None, ": ", ", ", *(False, False, True)
    )
    return "".join(encoder(value, 0))


class _Options:
    """How the scanner is to read: as `json.loads` without options does."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf")}.get
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner's own


def _refuse(value: object) -> object:
    msg = f"a {type(value).__name__} is no JSON"
    raise TypeError(msg)
