"""`agguard uninstall`: take the hooks out again."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import choice, operator, output, settings
from agguard.cli.commands.install import Scope
from agguard.install.place import of_project, of_user
from agguard.install.registration import uninstall as take_out
from agguard.install.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.install.place import Place
    from agguard.install.registration import Outcome
    from agguard.paths import Paths


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(uninstall)


def uninstall(
    scope: Annotated[
        Scope,
        typer.Option(
            help="From all of your sessions, or from one project.", **choice.of("--scope", Scope)
        ),
    ] = Scope.USER,
    project: Annotated[
        str, typer.Option(help="The project's folder, with --scope workspace.")
    ] = ".",
    purge: Annotated[
        bool, typer.Option("--purge", help="Remove ledger, configuration and caches as well.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Take the hooks out again, and leave everything else as it was.

    Ledger and configuration stay unless you say --purge.

    Example: agguard uninstall
    """
    if not dry_run:
        operator.require("uninstalling")
    paths = settings.paths()
    place = of_user(paths) if scope is Scope.USER else of_project(os.path.abspath(project))
    store = Store(paths.state)
    if purge:
        _refuse_if_registered(store, place)
    outcome = take_out(place, store, dry_run=dry_run)
    gone, stays = purged(paths, dry_run=dry_run) if purge else ((), own(paths))
    kept = [(one.path, one.why) for one in outcome.kept if not _is_below(one.path, gone)]
    kept += stays
    if as_json:
        changed = [change.path for change in outcome.changes]
        found = {"changed": changed, "purged": list(gone), "kept": kept, "dry_run": dry_run}
        output.data({**found, "notes": [remark.text for remark in outcome.notes]})
    else:
        _show(outcome, gone, kept, dry_run=dry_run)


def own(paths: Paths) -> tuple[tuple[str, str], ...]:
    """Return agguard's own folders that are there, and what each holds."""
    folders = (
        (paths.config, "your configuration"),
        (paths.state, "the ledger"),
        (paths.cache, "what can be made again"),
    )
    return tuple((path, why) for path, why in folders if os.path.exists(path))


def purged(paths: Paths, *, dry_run: bool) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Remove agguard's own folders; return what went, and what stays and why."""
    gone, stays = [], []
    for path, _ in own(paths):
        if os.path.islink(path):
            stays.append((path, "it is a link, and what it leads to may be somebody else's"))
            continue
        try:
            if not dry_run:
                shutil.rmtree(path)
            gone.append(path)
        except OSError as error:
            stays.append((path, f"it cannot be removed: {error.strerror}"))
    return tuple(gone), tuple(stays)


def _refuse_if_registered(store: Store, place: Place) -> None:
    """Refuse to remove the way back of registrations that stay."""
    others = [one.hooks for one in store.load()[0].installs if one.hooks != place.hooks]
    if others:
        listed = "\n".join(f"  {hooks}" for hooks in others)
        output.fail(
            f"agguard is still registered elsewhere, and --purge would remove the way back:\n"
            f"{listed}\nuninstall there first (--scope workspace --project FOLDER)"
        )


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path == one or path.startswith(one + os.sep) for one in folders)


def _show(
    outcome: Outcome, gone: Iterable[str], kept: list[tuple[str, str]], *, dry_run: bool
) -> None:
    done = "would change or remove" if dry_run else "changed or removed"
    for change in outcome.changes:
        output.note(f"{done} {change.path}", "green")
    if not outcome.changes:
        output.note("nothing to do: agguard is not registered", "green")
    for path in gone:
        output.note(f"{'would remove' if dry_run else 'removed'} {path}", "green")
    for remark in outcome.notes:
        output.note(remark.text, "bold yellow" if remark.loud else "yellow")
    for path, why in kept:
        output.note(f"kept {path}: {why}", "none")
    if not dry_run:
        output.note("`pip uninstall agguard` takes the program itself away", "none")
