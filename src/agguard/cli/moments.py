"""Durations and points in time, as people write and read them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from agguard.errors import UsageError

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PIECE = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.ASCII)
_WORDS = {"now": 0, "today": 0, "yesterday": 1}


def duration(text: str) -> float:
    """Return the seconds of `90s`, `30m`, `1h30m`, `2d` or `1w`.

    Raises:
        UsageError: It is none of that.
    """
    pieces = _PIECE.findall(text.strip().lower())
    if not pieces or "".join("".join(piece) for piece in pieces) != _squeezed(text):
        msg = f"{text!r} is no duration; expected a form such as 90s, 30m, 1h30m or 2d"
        raise UsageError(msg)
    return sum(float(number) * UNITS[unit] for number, unit in pieces)


def moment(text: str, now: float) -> float:
    """Return the point in time of `2h` (ago), `today`, `14:30`, or a date with or without time.

    Args:
        text: What somebody wrote; without a zone it is this machine's.
        now: Seconds since the epoch.

    Raises:
        UsageError: It is none of that.
    """
    here = datetime.fromtimestamp(now).astimezone()
    word = text.strip().lower()
    if word == "now":
        return now
    if word in _WORDS:
        day = here - timedelta(days=_WORDS[word])
        return day.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    if clock := re.fullmatch(r"(\d{1,2}):(\d\d)", word):
        return _at(here, int(clock[1]), int(clock[2]), text)
    try:
        return now - duration(word)
    except UsageError:
        return _date(text)


def shown(at: float) -> str:
    """Return a point in time as a person here reads it."""
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def span(seconds: float) -> str:
    """Return a length of time in its two largest units: `2 d 3 h`."""
    left = max(0, round(seconds))
    found = []
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            found.append(f"{count} {unit}")
    return " ".join(found[:2]) or "0 s"


def _squeezed(text: str) -> str:
    return "".join(text.lower().split())


def _at(here: datetime, hour: int, minute: int, text: str) -> float:
    try:
        return here.replace(hour=hour, minute=minute, second=0, microsecond=0).timestamp()
    except ValueError:
        msg = f"{text!r} is no time of a day"
        raise UsageError(msg) from None


def _date(text: str) -> float:
    try:
        return datetime.fromisoformat(text.strip()).astimezone().timestamp()
    except ValueError:
        msg = f"{text!r} is no time; expected a form such as 2h, today, 14:30 or 2026-11-30T14:30"
        raise UsageError(msg) from None
