"""Options that take a number, refused as every other mistake is (see `agguard.cli.choice`)."""

from __future__ import annotations

import math
from typing import Any

from agguard.cli import output


def whole(name: str, least: int) -> dict[str, Any]:
    """Return the arguments for typer of an option that takes a whole number.

    Args:
        name: The option as it is typed.
        least: The smallest number that it takes.
    """

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            _refuse(name, text, f"a whole number of at least {least}")
        return value

    return {"parser": parse, "metavar": "NUMBER"}


def seconds(name: str, least: float) -> dict[str, Any]:
    """Return the arguments for typer of an option that takes seconds.

    Args:
        name: The option as it is typed.
        least: The smallest number that it takes.
    """

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value < math.inf:
            _refuse(name, text, f"a number of seconds of at least {least:g}")
        return value

    return {"parser": parse, "metavar": "SECONDS"}


def _refuse(name: str, text: str, expected: str) -> None:
    output.fail(f"{name} is {text!r}, expected {expected}")
