"""The only place of the command line that prints."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType


def screen() -> Console:
    """Return the console for what was asked for; it follows NO_COLOR and the terminal's width."""
    return Console(soft_wrap=False, highlight=False)


def say(*parts: RenderableType) -> None:
    """Print for a person."""
    screen().print(*parts)


def note(text: str, style: str = "yellow") -> None:
    """Print a remark for a person, on standard error."""
    Console(stderr=True, highlight=False).print(Text(text, style=style))


def data(value: Any) -> None:  # noqa: ANN401 - any JSON
    """Print data as one JSON document."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def fail(text: str, status: int = 2) -> NoReturn:
    """Print what is wrong and what to do, and end with `status`."""
    Console(stderr=True, highlight=False).print(Text.assemble(("error: ", "bold red"), text))
    raise typer.Exit(status)


def plain(text: str) -> str:
    """Return text that is no markup, for use inside markup."""
    from rich.markup import escape

    return escape(text)
