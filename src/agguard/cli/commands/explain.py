"""`agguard explain`: how a call would be decided, without making it."""

from __future__ import annotations

import json
import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import choice, output

if TYPE_CHECKING:
    from agguard.pipeline.dry import Explained


class RoleName(StrEnum):
    """Who makes the call."""

    PRIMARY = "primary"
    COORDINATOR = "coordinator"
    WORKER = "worker"
    UNKNOWN = "unknown"


STYLES = {"deny": "bold red", "ask": "yellow", "force_ask": "yellow", "allow": "green"}


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(explain)


def explain(
    command: Annotated[str, typer.Argument(help="A shell command line.")] = "",
    role: Annotated[
        RoleName, typer.Option(help="Who makes the call.", **choice.of("--role", RoleName))
    ] = RoleName.PRIMARY,
    tool: Annotated[str, typer.Option(help="Another tool than the shell.")] = "run_command",
    args: Annotated[str, typer.Option(help="The tool's arguments, as JSON.")] = "",
    cwd: Annotated[str, typer.Option(help="The folder that the call is made in.")] = ".",
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Show the whole way of a call through the guards, without executing anything.

    Example: agguard explain "git log --oneline" --role primary
    """
    from agguard.paths import resolve
    from agguard.pipeline.dry import explained

    folder = os.path.abspath(cwd)
    arguments = _arguments(args) if args else {"CommandLine": command, "Cwd": folder}
    if not command and not args:
        output.fail("name a command line, or a tool with --tool NAME --args JSON")
    found = explained(
        resolve(environ=os.environ), tool=tool, args=arguments, role=role.value, folder=folder
    )
    if as_json:
        output.data(found.data)
    else:
        _show(found)


def _arguments(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        output.fail(f"--args is no JSON: {error}")
    if not isinstance(found, dict):
        output.fail('--args is no JSON object: name the arguments, such as \'{"Query": "x"}\'')
    return found


def _show(found: Explained) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("hook", "guard", "answer", "µs"):
        table.add_column(title, overflow="fold", justify="right" if title == "µs" else "left")
    for row in found.data["answers"]:
        answer = output.plain(row["answer"])
        table.add_row(row["hook"], row["guard"], answer, str(row["micros"]))
    output.say(table)
    for part in found.data["parts"]:
        output.say(f"  {output.plain(part['text'])} [dim]{part['effect']}: {part['why']}[/]")
    outcome = found.data["outcome"]
    style = STYLES.get(outcome["decision"], "none")
    output.say(
        f"effect [bold]{outcome['effect'] or 'none'}[/], decision [{style}]{outcome['decision']}[/]"
    )
    for reason in outcome["reasons"]:
        output.say(f"  [dim]{reason['guard']}[/] {output.plain(reason['text'])}")
    output.say(f"answer {output.plain(json.dumps(found.data['answer'], ensure_ascii=False))}")
