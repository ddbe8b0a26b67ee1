"""What a YAML scalar becomes where go-yaml v3 decodes it into a string.

Without a tag it stays its source text, or nothing for null. With one of YAML's own tags it must
resolve to that tag, else the whole document is refused; other tags are ignored. Every branch was
compared with the engine.
"""

from __future__ import annotations

import re

from agguard.rules.node import Node, YamlRefusedError

PREFIX = "tag:yaml.org,2002:"
NULLS = ("", "~", "null", "Null", "NULL")

_BOOLEANS = ("true", "True", "TRUE", "false", "False", "FALSE")
_SPECIAL = r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
_FLOAT = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
_INT = r"([-+]?)(?:0[bB]([01]+)|0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))"
_BASES = (2, 16, 8, 10)
_DATE = r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
_CLOCK = r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})([.,][0-9]+)?"
_STAMP = rf"{_DATE}(?:[Tt]{_CLOCK}(?:Z|[-+][0-9]{{2}}:[0-9]{{2}})| {_CLOCK})?"
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_YEAR, _MONTH, _DAY = 1, 2, 3
_CLOCKS = ((4, 5, 6), (8, 9, 10))


def decoded(node: Node) -> str | None:
    """Return a scalar's text, None for null.

    Raises:
        YamlRefusedError: the text does not resolve to its tag.
    """
    if node.tag in ("", "!"):
        return None if not node.quoted and node.value in NULLS else node.value
    tag = node.tag.removeprefix(PREFIX) if node.tag.startswith(PREFIX) else ""
    if tag == "null" and node.value in NULLS:
        return None
    if tag == "binary":
        return _binary(node)
    if _resolves(tag, node.value):
        return node.value
    msg = f"{node.value!r} cannot be read as {node.tag!r}"
    raise YamlRefusedError(msg, node.line)


def _resolves(tag: str, value: str) -> bool:
    """Whether go-yaml resolves a text to a tag; to a tag that it does not know, always."""
    if tag == "bool":
        return value in _BOOLEANS
    if tag == "int":
        return _integer(value) is not None
    if tag == "float":
        number = _integer(value)
        # An integer above int64 stays unsigned, and that is no float.
        return number < 1 << 63 if number is not None else _is_float(value)
    if tag == "timestamp":
        return _is_timestamp(value)
    return tag != "null"


def _integer(value: str) -> int | None:
    """Return the integer that Go's ParseInt or ParseUint reads with base 0."""
    if value.startswith("_"):
        return None
    match = re.fullmatch(_INT, value.replace("_", ""))
    if not match:
        return None
    sign, *digits = match.groups()
    base, text = next((base, text) for base, text in zip(_BASES, digits, strict=True) if text)
    if len(text) > 64:  # noqa: PLR2004 - bits; longer ones are out of range in any base
        return None
    number = int(text, base)
    limit = {"-": 1 << 63, "+": (1 << 63) - 1, "": (1 << 64) - 1}[sign]
    return None if number > limit else -number if sign == "-" else number


def _is_float(value: str) -> bool:
    if re.fullmatch(_SPECIAL, value):
        return True
    plain = value if value.startswith((".", "_")) else value.replace("_", "")
    return bool(re.fullmatch(_FLOAT, plain)) and abs(float(plain)) != float("inf")


def _is_timestamp(value: str) -> bool:
    match = re.fullmatch(_STAMP, value)
    if not match:
        return False
    year, month, day = (int(match[group]) for group in (_YEAR, _MONTH, _DAY))
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)  # noqa: PLR2004
    if not 1 <= month <= len(_DAYS) or not 1 <= day <= _DAYS[month - 1] + leap:
        return False
    limits = (24, 60, 60)
    return all(
        int(match[group] or 0) < limit
        for clock in _CLOCKS
        for group, limit in zip(clock, limits, strict=True)
    )


def _binary(node: Node) -> str:
    import base64
    import binascii

    from agguard.rules.text import lossless

    try:
        value = node.value.replace("\r", "").replace("\n", "")
        return lossless(base64.b64decode(value, validate=True))
    except (binascii.Error, ValueError) as error:
        msg = "!!binary needs base64"
        raise YamlRefusedError(msg, node.line) from error
