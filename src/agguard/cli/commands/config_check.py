"""`agguard config validate`: what is wrong, and where."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import output, settings
from agguard.quantity import counted

if TYPE_CHECKING:
    from agguard.config.load import Loaded
    from agguard.config.problem import Problem


def validate(
    file: Annotated[str, typer.Argument(help="A file to check; else all that count here.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Check your file, the project's and the environment; the exit status is 1 on errors.

    What a project asks for and may not have is a warning: it is left out, and nothing breaks.

    Example: agguard config validate
    """
    loaded = _of_file(file) if file else settings.in_force(quiet=True)
    problems = loaded.problems
    grave = sum(problem.grave for problem in problems)
    if as_json:
        rows = [_row(problem) for problem in problems]
        output.data({"valid": not grave, "problems": rows, "files": _files(loaded)})
    else:
        _show(loaded, grave)
    if grave:
        raise typer.Exit(1)


def _of_file(file: str) -> Loaded:
    from agguard.config.load import load

    if not os.path.exists(file):
        output.fail(f"there is no file {file!r}")
    return load(os.path.abspath(file), schema=settings.schema())


def _row(problem: Problem) -> dict[str, object]:
    level = "error" if problem.grave else "warning"
    return {"level": level, "text": problem.text, **problem.replace(grave=False).asdict()}


def _files(loaded: Loaded) -> list[str]:
    return [source.path for source in loaded.sources if source.data is not None]


def _show(loaded: Loaded, grave: int) -> None:
    for problem in loaded.problems:
        output.lines(f"{problem.text}{'' if problem.grave else ' (warning)'}")
    checked = _files(loaded)
    if loaded.problems:
        warnings = len(loaded.problems) - grave
        found = f"{counted(grave, 'error')}, {counted(warnings, 'warning')}"
        output.note(found, "red" if grave else "yellow")
    elif checked:
        output.note(f"no problem in {', '.join(checked)}", "green")
    else:
        output.note("there is no configuration file: the defaults are in force", "green")
