"""`agguard handoff`: what a subagent's report must be, and whether one is."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from agguard.cli import choice, output
from agguard.model.report.schema import COORDINATOR, EXECUTOR, RESEARCHER


class RoleName(StrEnum):
    """Whose report."""

    EXECUTOR = EXECUTOR
    COORDINATOR = COORDINATOR
    RESEARCHER = RESEARCHER


def build() -> typer.Typer:
    """Make the group."""
    app = typer.Typer(help="Look at the reports of subagents.", no_args_is_help=True)
    for command in (schema, check):
        app.command()(command)
    return app


def schema(
    role: Annotated[
        RoleName, typer.Argument(help="Whose report.", **choice.of("the role", RoleName))
    ],
    as_json: Annotated[  # noqa: ARG001 - it is always data
        bool, typer.Option("--json", help="The same; it always is JSON.")
    ] = True,
) -> None:
    """Print the JSON Schema (Draft 2020-12) of a role's report.

    Example: agguard handoff schema executor
    """
    from agguard.model.report import schema as schemas

    output.data(schemas.schema(role.value))


def check(
    file: Annotated[str, typer.Argument(help="The report; - reads standard input.")],
    role: Annotated[
        RoleName, typer.Option(help="Whose report.", **choice.of("--role", RoleName))
    ] = RoleName.EXECUTOR,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Check a report as a hook would; the exit status is 1 if it is not valid.

    What a report claims is looked up only where it is made: in the subagent's own record.

    Example: agguard handoff check report.json
    """
    from agguard.model.report.reading import read

    report = read(_text(file), role.value)
    if as_json:
        fields = {"standing": report.standing, "problems": list(report.problems)}
        output.data({**fields, "correction": report.correction})
    elif report.problems:
        for problem in report.problems:
            typer.echo(problem)
        typer.echo(report.correction)
    else:
        typer.echo("valid")
    if report.problems:
        raise typer.Exit(1)


def _text(file: str) -> str:
    """Return a file's text, or standard input's; bytes that are no UTF-8 are replaced."""
    try:
        if file == "-":
            return sys.stdin.buffer.read().decode("utf-8", "replace")
        with open(file, "rb") as opened:
            return opened.read().decode("utf-8", "replace")
    except OSError as error:
        output.fail(f"cannot read {file!r}: {error.strerror}; name a file, or - for standard input")
