"""`agguard uninstall`: take the hooks out again."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from agguard.cli import choice, operator, output, settings
from agguard.cli import project as projects
from agguard.cli.commands.install import Scope, done
from agguard.install.place import of_project, of_user
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
        str,
        typer.Option(
            help="With --scope workspace: the project's folder. The registered one that this "
            "folder is in if left out.",
            show_default=False,
        ),
    ] = "",
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
    folder = projects.registered(project)
    place = of_user(paths) if scope is Scope.USER else of_project(folder)
    others = _others(Store(paths.state), place)
    if purge and others:
        _refuse(others)
    outcome = _take_out(paths, scope, folder, dry_run=dry_run)
    gone, stays = purged(paths, dry_run=dry_run) if purge else ((), own(paths))
    kept = [(one.path, one.why) for one in outcome.kept if not _is_below(one.path, gone)]
    kept += [*stays, *((hooks, "agguard is registered there, too") for hooks in others)]
    if as_json:
        output.data(_data(outcome, gone, kept))
        return
    if scope is Scope.WORKSPACE:
        output.note(f"the project is {folder}", "none")
    _show(outcome, gone, kept, dry_run=dry_run)


def _take_out(paths: Paths, scope: Scope, folder: str, *, dry_run: bool) -> Outcome:
    from agguard.install.user import uninstall_for_project, uninstall_for_user

    if scope is Scope.USER:
        return uninstall_for_user(paths, dry_run=dry_run)
    return uninstall_for_project(paths, folder, dry_run=dry_run)


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


def _others(store: Store, place: Place) -> list[str]:
    """Return the hooks files of the registrations that stay."""
    return [one.hooks for one in store.load()[0].installs if one.hooks != place.hooks]


def _refuse(others: Iterable[str]) -> NoReturn:
    """Refuse to remove the way back of registrations that stay."""
    listed = "\n".join(f"  {hooks}" for hooks in others)
    output.fail(
        f"agguard is still registered elsewhere, and --purge would remove the way back:\n"
        f"{listed}\nuninstall there first (--scope workspace --project FOLDER)"
    )


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path == one or path.startswith(one + os.sep) for one in folders)


def _data(outcome: Outcome, gone: Iterable[str], kept: list[tuple[str, str]]) -> dict[str, object]:
    return {
        "changed": [one.path for one in outcome.changes if one.after is not None],
        "removed": [one.path for one in outcome.changes if one.after is None],
        "why": {one.path: one.why for one in outcome.changes if one.why},
        "purged": list(gone),
        "kept": kept,
        "notes": [remark.text for remark in outcome.notes],
        "dry_run": outcome.dry_run,
    }


def _show(
    outcome: Outcome, gone: Iterable[str], kept: list[tuple[str, str]], *, dry_run: bool
) -> None:
    for change in outcome.changes:
        why = f": {change.why}" if change.why else ""
        output.note(f"{done(change, dry_run=dry_run)} {change.path}{why}", "green")
    if not outcome.changes:
        hooks = outcome.place.hooks
        output.note(f"nothing to do: agguard is not registered in {hooks}", "green")
    for path in gone:
        output.note(f"{'would remove' if dry_run else 'removed'} {path}", "green")
    for remark in outcome.notes:
        output.note(remark.text, "bold yellow" if remark.loud else "yellow")
    for path, why in kept:
        output.note(f"kept {path}: {why}", "none")
    if not dry_run:
        output.note("`pip uninstall agguard` takes the program itself away", "none")
