"""One setting: its type, its default, its limits, and whether a value fits."""

from __future__ import annotations

import math
import re

from agguard.config.keys import quoted, split
from agguard.config.suggest import nearest
from agguard.model.value import Value
from agguard.quantity import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias, TypeGuard

    Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
    Default: TypeAlias = "bool | int | float | str | tuple[str, ...] | tuple[tuple[str, str], ...]"
    Flat: TypeAlias = dict[str, Json]

BOOL = "bool"
INT = "int"
FLOAT = "float"
STRING = "string"
CHOICE = "choice"
LIST = "list"
TABLE = "table"
FREE = "free"
"""A plugin's table whose settings nobody has declared: any plain data."""

KINDS = (BOOL, INT, FLOAT, STRING, CHOICE, LIST, TABLE)
MOST_CHARACTERS = 4000
MOST_ITEMS = 1000
_BIGGEST = 2**63
_SHOWN = 40
_AMOUNT = re.compile(
    r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*"
    r"(?:(ms)|(s)(?:ec(?:ond)?s?)?|(m)(?:in(?:ute)?s?)?|(h)(?:ours?)?|(d)(?:ays?)?|(w)(?:eeks?)?)?\s*",
    re.ASCII | re.IGNORECASE,
)
_SIZES: dict[str, dict[str, float]] = {
    "s": {"ms": 0.001, "": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800},
    "days": {"": 1, "d": 1, "w": 7},
}
"""How much of a setting's unit other units are."""
_SWITCHES = {"yes": "true", "on": "true", "1": "true", "no": "false", "off": "false", "0": "false"}
_UNITS = {"s": "seconds"}


class Fault(Value):
    """Why a value does not fit.

    Args:
        below: the item or key inside the value that is meant; () for the value itself.
        message: what it is and what was expected.
        suggestion: the value that was probably meant, or ''.
    """

    below: tuple[str | int, ...]
    message: str
    suggestion: str = ""


class Setting(Value):
    """One setting as data.

    Args:
        key: dotted, such as `delegation.mode`.
        kind: one of `KINDS`.
        default: immutable; lists as tuples, tables as tuples of pairs.
        meaning: one line for people.
        stricter: the direction in which it gets stricter, from `agguard.config.strictness`.
        choices: for kind `choice`; loosest first where `stricter` is ORDER.
        minimum: for numbers, inclusive.
        maximum: for numbers, inclusive.
        unit: of a number, such as `s`.
        words: for lists: words that may stand alone in place of a list, as in `trust = "all"`.
    """

    key: str
    kind: str
    default: Default
    meaning: str
    stricter: str
    choices: tuple[str, ...] = ()
    minimum: float = 0
    maximum: float = 0
    unit: str = ""
    words: tuple[str, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of the key."""
        return split(self.key)

    @property
    def initial(self) -> Json:
        """The default as plain data, fresh each time."""
        if isinstance(self.default, tuple):
            if self.kind in {TABLE, FREE}:
                return dict(pair for pair in self.default if isinstance(pair, tuple))
            return list(self.default)  # type: ignore[arg-type] # a list's default holds strings
        return self.default

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        unit = f" of {_UNITS.get(self.unit, self.unit)}" if self.unit else ""
        words = "".join(f" or {quoted(word)}" for word in self.words)
        return {
            BOOL: "true or false",
            INT: f"a whole number{unit} from {self.minimum:g} to {self.maximum:g}",
            FLOAT: f"a number{unit} from {self.minimum:g} to {self.maximum:g}",
            STRING: f"a string of at most {MOST_CHARACTERS} characters",
            CHOICE: "one of " + ", ".join(map(quoted, self.choices)),
            LIST: f'a list of at most {MOST_ITEMS} strings such as ["a", "b"]{words}',
            TABLE: 'a table of strings such as {a = "b"}',
            FREE: "a table of plain values",
        }[self.kind]

    def fault(self, value: object) -> Fault | None:
        """Return why `value`, as `tomllib` or `json` gives it, does not fit; None if it does."""
        if self.kind == LIST and isinstance(value, list):
            return self._fault_inside(enumerate(value), len(value))
        if self.kind == TABLE and isinstance(value, dict):
            return self._fault_inside(value.items(), len(value))
        if self._fits(value):
            return None
        meant = self._meant(value) if isinstance(value, str) else ""
        return Fault((), self._complaint(self.key, value, self.expected, meant), meant)

    def _meant(self, text: str) -> str:
        """Return the value that was probably meant by a text that does not fit; '' for none."""
        if self.kind == BOOL:
            return _SWITCHES.get(text.lower(), "")
        if self.kind in {INT, FLOAT}:
            number = _amount(text, self.unit)
            return f"{number:g}" if number is not None and self._fits(number) else ""
        return nearest(text, self.choices)

    def normal(self, value: Json) -> Json:
        """Return a fitting value in the one form that is compiled."""
        if self.kind == FLOAT and isinstance(value, int):
            return float(value)
        if self.kind == LIST and isinstance(value, str):
            return [value]
        return value

    def _fits(self, value: object) -> bool:
        if self.kind in {INT, FLOAT}:
            return _is_number(value, self.kind) and self.minimum <= value <= self.maximum
        if isinstance(value, str):
            known = self.choices if self.kind == CHOICE else self.words
            return is_text(value) if self.kind == STRING else value in known
        if self.kind == FREE:
            return isinstance(value, dict) and is_plain(value)
        return self.kind == BOOL and isinstance(value, bool)

    def _fault_inside(self, items: Iterable[tuple[str | int, object]], count: int) -> Fault | None:
        if count > MOST_ITEMS:
            return Fault((), f"{self.key!r} has {counted(count, 'item')}, expected {self.expected}")
        for name, item in items:
            if not (isinstance(item, str) and item and is_text(item)):
                what = f"{self.key}[{name!r}]"
                return Fault((name,), self._complaint(what, item, "a string that is not empty", ""))
        return None

    def _complaint(self, what: str, value: object, expected: str, meant: str) -> str:
        bare = self.kind in {BOOL, INT, FLOAT}
        hint = f"; did you mean {meant if bare else quoted(meant)}?" if meant else ""
        return f"{what!r} is {shown(value)}, expected {expected}{hint}"


def _is_number(value: object, kind: str) -> TypeGuard[float]:
    return type(value) is int or (kind == FLOAT and type(value) is float)


def is_text(value: str) -> bool:
    """Return whether a string can be stored: not too long, and no lone surrogate in it."""
    return len(value) <= MOST_CHARACTERS and not any("\ud800" <= char <= "\udfff" for char in value)


def is_plain(value: object) -> bool:
    """Return whether JSON can hold the value exactly."""
    if isinstance(value, dict):
        return all(is_plain(key) and is_plain(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(is_plain(inner) for inner in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= _BIGGEST
    return isinstance(value, str) and is_text(value)


def shown(value: object) -> str:
    """Return a value as a message shows it: short, and as TOML spells it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value if len(value) <= _SHOWN else value[:_SHOWN] + "…")
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    return "a date or time"


def _number(value: float) -> str:
    # str() of an int with more than 4300 digits raises ValueError.
    huge = isinstance(value, int) and abs(value) >= 10**_SHOWN
    return "a huge number" if huge else str(value)


def _amount(text: str, unit: str) -> float | None:
    """Return the number that `5m` or `30 days` means where a setting counts in `unit`."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    amount, *named = found.groups()
    size = _SIZES.get(unit, {"": 1}).get("".join(name or "" for name in named).lower())
    if size is None:
        return None
    number = float(amount) * size
    return int(number) if number.is_integer() else number
