"""`agguard install`: register the hooks with the host."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import choice, operator, output, settings
from agguard.cli import project as projects
from agguard.cli.commands.config_profile import ProfileName
from agguard.install.store import Store
from agguard.install.surroundings import warnings

if TYPE_CHECKING:
    from agguard.install.files import FileChange
    from agguard.install.registration import Outcome
    from agguard.paths import Paths


class Scope(StrEnum):
    """Whose sessions are guarded."""

    USER = "user"
    WORKSPACE = "workspace"


class IfMissing(StrEnum):
    """What a tool call is answered when agguard cannot run."""

    ASK = "ask"
    DENY = "deny"


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(install)


def install(
    scope: Annotated[
        Scope,
        typer.Option(
            help="Guard all of your sessions, or those in one project.",
            **choice.of("--scope", Scope),
        ),
    ] = Scope.USER,
    profile: Annotated[
        ProfileName | None,
        typer.Option(
            help="The profile to switch on.",
            show_default=False,
            **choice.of("--profile", ProfileName),
        ),
    ] = None,
    if_missing: Annotated[
        IfMissing | None,
        typer.Option(
            help="What a tool call is answered if agguard is gone.",
            show_default=False,
            **choice.of("--if-missing", IfMissing),
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes only.")] = False,
    project: Annotated[
        str,
        typer.Option(
            help="With --scope workspace: the project's folder. The repository's root if left out.",
            show_default=False,
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Register the hooks for every Antigravity session of this user.

    Everything else in hooks.json keeps its bytes, one backup is kept for each change, and doing
    it again changes nothing. An entry named agguard that is somebody else's gives way until
    `agguard uninstall` puts it back. A file that cannot be read safely is refused and left alone.

    Example: agguard install --profile balanced
    """
    wishes = {"profile": profile, "hooks.if_missing": if_missing}
    chosen = {key: wish.value for key, wish in wishes.items() if wish}
    if chosen and not dry_run:
        operator.require("choosing how agguard guards")
    paths = settings.paths()
    folder = projects.named(project)
    if chosen and not dry_run:
        _register(paths, scope, folder, chosen, dry_run=True)  # refused, if at all, before a change
        _choose(paths, chosen)
    outcome = _register(paths, scope, folder, chosen, dry_run=dry_run)
    warned = warnings(paths, Store(paths.state), () if scope is Scope.USER else (folder,))
    if as_json:
        output.data({**_data(outcome), "chosen": chosen, "warnings": list(warned)})
        return
    if scope is Scope.WORKSPACE:
        output.note(projects.shown(folder), "none")
    _show(outcome, dry_run=dry_run)
    for key, value in chosen.items():
        said = "would set" if dry_run else "set"
        output.note(f"{said} {key} = {value!r} in {paths.config_file}", "green")
    for text in warned:
        output.note(text, "bold yellow")
    if not dry_run:
        _close(scope)


def _register(
    paths: Paths, scope: Scope, folder: str, chosen: dict[str, str], *, dry_run: bool
) -> Outcome:
    from agguard.install.user import install_for_project, install_for_user

    choice = chosen.get("hooks.if_missing", "")
    if scope is Scope.USER:
        return install_for_user(paths, if_missing=choice, dry_run=dry_run)
    return install_for_project(paths, folder, if_missing=choice, dry_run=dry_run)


def _choose(paths: Paths, chosen: dict[str, str]) -> None:
    from agguard.config.store import set_value

    for key, value in chosen.items():
        set_value(paths.config_file, key, value, settings.schema())


def _show(outcome: Outcome, *, dry_run: bool) -> None:
    # What a file of our own holds is worth a look only before it is written.
    output.diff(outcome.diff if dry_run else _part(outcome.diff, outcome.place.hooks))
    if outcome.changed:
        for change in outcome.changes:
            output.note(f"{done(change, dry_run=dry_run)} {change.path}", "green")
    else:
        output.note(f"nothing to do: {outcome.place.hooks} is as it should be", "green")
    for backup in outcome.backups:
        output.note(f"the former file is kept as {backup}", "dim")
    for remark in outcome.notes:
        output.note(remark.text, "bold yellow" if remark.loud else "yellow")


def done(change: FileChange, *, dry_run: bool) -> str:
    """Say what was done to a file, or would be."""
    return f"would {change.action}" if dry_run else f"{change.action.removesuffix('e')}ed"


def _part(diff: str, path: str) -> str:
    """Return the part of a diff that is about one file."""
    parts = re.split(r"^(?=--- )", diff, flags=re.MULTILINE)
    return "".join(part for part in parts if f"+++ {path}" in part.splitlines()[:2])


def _close(scope: Scope) -> None:
    active = settings.in_force(quiet=True).settings["profile"]
    said = (
        f"the profile {active!r} is on; `agguard config profile` shows the others, and "
        "`agguard doctor` whether all is well"
    )
    output.note(said, "none")
    if scope is Scope.WORKSPACE:
        output.note("commit the two files in .agents to guard the project for everybody", "none")


def _data(outcome: Outcome) -> dict[str, object]:
    return {
        "hooks": outcome.place.hooks,
        "scope": outcome.place.scope,
        "changed": [change.path for change in outcome.changes],
        "diff": outcome.diff,
        "notes": [remark.text for remark in outcome.notes],
        "backups": list(outcome.backups),
        "dry_run": outcome.dry_run,
    }
