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
    try:
        value, end = _scan(text, 0)
    except (StopIteration, SystemError, ValueError):
        end = -1
    if end == len(text):
        return value
    import json  # it knows the words for what is wrong; the scanner alone cannot raise them

    return json.loads(text)


def first(text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins at a place of a text, and where it ends.

    Raises:
        ValueError: None begins there.
        RecursionError: It is nested too deeply.
    """
    try:
        return _scan(text, at)
    except (StopIteration, SystemError) as error:
        msg = f"no value begins at character {at}"
        raise ValueError(msg) from error


def _scan(text: str, at: int) -> tuple[Any, int]:
    # The C scanner reads these attributes of whatever it is given; typeshed wants a decoder.
    scan: Callable[[str, int], tuple[Any, int]] = _json.make_scanner(_Options)  # type: ignore[arg-type]
    return scan(text, at)


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
