"""`agguard plugins`, for those who write one: the manual pages of the hooks, and a new package."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agguard.cli import choice, output
from agguard.hookspecs import HOOKS

Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]


def hooks(
    name: Annotated[
        str,
        typer.Argument(
            help="A hook; all of them if left out.", autocompletion=choice.completed(HOOKS)
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Print the manual pages of the hooks that a plugin can implement.

    Example: agguard plugins hooks judge_tool
    """
    import inspect

    from agguard import hookspecs

    wanted = (choice.known("the hook", name, HOOKS),) if name else HOOKS
    specs = {hook: getattr(hookspecs, hook) for hook in wanted}
    found = [
        (hook, str(inspect.signature(x)).replace("'", ""), inspect.getdoc(x) or "")
        for hook, x in specs.items()
    ]
    if as_json:
        names = ("hook", "signature", "manual")
        output.data([dict(zip(names, one, strict=True)) for one in found])
        return
    for hook, signature, manual in found:
        typer.echo(f"{hook}{signature}\n")
        typer.echo("    " + manual.replace("\n", "\n    ") + "\n")


def new(
    name: Annotated[str, typer.Argument(help="The plugin's name, such as `terraform`.")],
    hook: Annotated[
        list[str] | None,
        typer.Option(
            "--hook",
            help="A hook to implement; may be repeated.",
            autocompletion=choice.completed(HOOKS),
        ),
    ] = None,
    folder: Annotated[str, typer.Option("--in", help="The folder to make the package in.")] = ".",
    as_json: Json = False,
) -> None:
    """Write a complete package for a guard, with tests that pass at once.

    Example: agguard plugins new friday --hook judge_tool
    """
    from agguard.plugins.scaffold import scaffold

    wanted = [choice.known("--hook", one, HOOKS) for one in hook or ("judge_tool",)]
    made = scaffold(os.path.abspath(folder), name, tuple(wanted))
    if as_json:
        output.data({"files": made})
        return
    for path in made:
        output.note(path, "dim")
    root = os.path.relpath(os.path.join(folder, f"agguard-{name}"))
    typer.echo(f"Now: cd {root} && pip install -e '.[test]' && pytest")
