"""`agguard doctor`: is all well, and if not, what to do."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agguard.cli import output

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "error": ("✗", "bold red")}


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Say whether agguard is registered, whether the command answers, and how fast.

    The exit status is 1 if something is wrong.

    Example: agguard doctor
    """
    from rich.table import Table

    from agguard.doctor.checks import examine
    from agguard.paths import resolve

    found = list(examine(resolve(environ=os.environ)))
    healthy = not any(one.level == "error" for one in found)
    if as_json:
        output.data({"healthy": healthy, "findings": [one.asdict() for one in found]})
    else:
        table = Table.grid(padding=(0, 1))
        table.add_column()
        table.add_column(overflow="fold")
        for one in found:
            mark, style = MARKS[one.level]
            step = f"\n[dim]→ {one.next_step}[/]" if one.next_step else ""
            table.add_row(f"[{style}]{mark}[/]", output.plain(one.text) + step)
        output.say(table)
    if not healthy:
        raise typer.Exit(1)
