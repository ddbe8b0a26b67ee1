"""The only place of the command line that prints."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

SIGNS = {"ok": ("✓", "+"), "warning": ("!", "!"), "error": ("✗", "x")}
"""How a finding is marked, and how where the terminal cannot show that."""

STYLES = {
    "deny": "bold red",
    "continue": "bold red",
    "ask": "yellow",
    "force_ask": "yellow",
    "allow": "green",
    "ok": "green",
    "warning": "yellow",
    "error": "bold red",
}
"""Colors of decisions and findings; the words alone say the same."""


def screen() -> Console:
    """Return the console for what was asked for; it follows NO_COLOR and the terminal's width."""
    return Console(soft_wrap=False, highlight=False)


def say(*parts: RenderableType) -> None:
    """Print for a person."""
    screen().print(*parts)


def indented(part: RenderableType, columns: int) -> None:
    """Print for a person, so many columns to the right in every line."""
    from rich.padding import Padding

    screen().print(Padding(part, (0, 0, 0, columns), expand=False))


def lines(text: str) -> None:
    """Print text as it stands: what is piped on must not be wrapped."""
    typer.echo(text)


def one_line(text: Text) -> None:
    """Print a line for a person, cut at the edge of a terminal; whole where it is piped on."""
    console = screen()
    if console.is_terminal:
        console.print(text, no_wrap=True, overflow="ellipsis")
    else:
        console.print(text, soft_wrap=True)


def diff(text: str) -> None:
    """Print a unified diff, its lines whole."""
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in text.splitlines():
        screen().print(Text(line, style=styles.get(line[:1], "")), soft_wrap=True)


def note(text: str, style: str = "yellow") -> None:
    """Print a remark for a person, on standard error."""
    console = Console(stderr=True, highlight=False)
    console.print(Text(text, style=style), soft_wrap=not console.is_terminal)


def data(value: Any) -> None:  # noqa: ANN401 - any JSON
    """Print data as one JSON document."""
    _write(json.dumps(value, indent=2, ensure_ascii=not _is_utf8()) + "\n")


def datum(value: Any) -> None:  # noqa: ANN401 - any JSON
    """Print data as one line of JSON, for streams, at once."""
    _write(json.dumps(value, ensure_ascii=not _is_utf8()) + "\n")
    sys.stdout.flush()


def fail(text: str, status: int = 2) -> NoReturn:
    """Print what is wrong and what to do, and end with `status`."""
    console = Console(stderr=True, highlight=False)
    console.print(Text.assemble(("error: ", "bold red"), text), soft_wrap=not console.is_terminal)
    raise typer.Exit(status)


def plain(text: str) -> str:
    """Return text that is no markup and moves no cursor, for use inside markup."""
    from rich.markup import escape

    return escape(clean(text))


def clean(text: str) -> str:
    """Replace what would move the cursor: agents and projects choose these texts."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "?" for sign in text)


def sign(level: str) -> str:
    """Return the mark of a finding, in its color, as markup."""
    good, poor = SIGNS[level]
    return f"[{STYLES[level]}]{good if _is_utf8() else poor}[/]"


def colored(word: str) -> str:
    """Return a decision in its color, as markup."""
    style = STYLES.get(word, "")
    return f"[{style}]{plain(word)}[/]" if style else plain(word)


def table(*titles: str, rows: Iterable[Iterable[str]] = ()) -> Table:
    """Make a plain table; cells are markup."""
    made = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for title in titles:
        made.add_column(title, overflow="fold")
    for row in rows:
        made.add_row(*row)
    return made


def is_interactive() -> bool:
    """Whether a person looks at standard output."""
    return sys.stdout.isatty()


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _write(text: str) -> None:
    # Half a surrogate pair, as in a path that is no UTF-8, must not end the command.
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
