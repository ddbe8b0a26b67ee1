"""`agguard uninstall`: take the hooks out again."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agguard.cli import output
from agguard.cli.commands.install import Scope


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(uninstall)


def uninstall(
    scope: Annotated[
        Scope, typer.Option(help="From all of your sessions, or from one project.")
    ] = Scope.USER,
    project: Annotated[
        str, typer.Option(help="The project's folder, with --scope workspace.")
    ] = ".",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Take the hooks out again, and leave everything else as it was.

    Ledger and configuration stay.

    Example: agguard uninstall
    """
    from agguard.install.place import of_project, of_user
    from agguard.install.registration import uninstall as take_out
    from agguard.install.store import Store
    from agguard.paths import resolve

    paths = resolve(environ=os.environ)
    place = of_user(paths) if scope is Scope.USER else of_project(os.path.abspath(project))
    outcome = take_out(place, Store(paths.state), dry_run=dry_run)
    kept = [(one.path, one.why) for one in outcome.kept]
    kept += [
        (path, why)
        for path, why in ((paths.config, "your configuration"), (paths.state, "the ledger"))
        if os.path.exists(path)
    ]
    if as_json:
        changed = [change.path for change in outcome.changes]
        output.data({"changed": changed, "kept": kept, "dry_run": dry_run})
        return
    done = "would change or remove" if dry_run else "changed or removed"
    for change in outcome.changes:
        output.note(f"{done} {change.path}", "green")
    if not outcome.changes:
        output.note("nothing to do: agguard is not registered", "green")
    for remark in outcome.notes:
        output.note(remark.text, "bold yellow" if remark.loud else "yellow")
    for path, why in kept:
        output.note(f"kept {path}: {why}", "none")
