"""`agguard install`: register the hooks with the host."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import output
from agguard.cli.commands.config_profile import ProfileName

if TYPE_CHECKING:
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
        Scope, typer.Option(help="Guard all of your sessions, or those in one project.")
    ] = Scope.USER,
    profile: Annotated[
        ProfileName | None, typer.Option(help="The profile to switch on.", show_default=False)
    ] = None,
    if_missing: Annotated[
        IfMissing | None,
        typer.Option(help="What a tool call is answered if agguard is gone.", show_default=False),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes only.")] = False,
    project: Annotated[
        str, typer.Option(help="The project's folder, with --scope workspace.")
    ] = ".",
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Register the hooks for every Antigravity session of this user.

    Everything else in hooks.json keeps its bytes; doing it again changes nothing.

    Example: agguard install --profile balanced
    """
    from agguard.install.user import install_for_project, install_for_user, prepare
    from agguard.paths import resolve

    paths = resolve(environ=os.environ)
    choice = if_missing.value if if_missing else ""
    if scope is Scope.USER:
        outcome = install_for_user(paths, if_missing=choice, dry_run=dry_run)
    else:
        folder = os.path.abspath(project)
        outcome = install_for_project(paths, folder, if_missing=choice, dry_run=dry_run)
    if profile and not dry_run:
        _switch(paths, profile)
        prepare(paths)
    if as_json:
        output.data(_data(outcome))
        return
    _show(outcome, dry_run=dry_run)
    if not dry_run:
        _close(paths, scope)


def _switch(paths: Paths, profile: ProfileName) -> None:
    from agguard.config.schema import Schema
    from agguard.config.store import set_value

    set_value(paths.config_file, "profile", profile.value, Schema())


def _show(outcome: Outcome, *, dry_run: bool) -> None:
    from rich.syntax import Syntax

    if outcome.diff:
        output.say(Syntax(outcome.diff, "diff", background_color="default", word_wrap=True))
    done = "would change" if dry_run else "changed"
    if outcome.changed:
        for change in outcome.changes:
            output.note(f"{done} {change.path}", "green")
    else:
        output.note(f"nothing to do: {outcome.place.hooks} is as it should be", "green")
    for backup in outcome.backups:
        output.note(f"the former file is kept as {backup}", "dim")
    for remark in outcome.notes:
        output.note(remark.text, "bold yellow" if remark.loud else "yellow")


def _close(paths: Paths, scope: Scope) -> None:
    from agguard.config.load import load

    active = load(paths.config_file).settings["profile"]
    lines = [
        f"The profile {active!r} is on; `agguard install --profile balanced` changes it, and",
        "`agguard config list` shows every setting.",
    ]
    if scope is Scope.USER:
        lines += [
            "Restart Antigravity once, so that it finds the new plugin folder with the rules for",
            "the primary agent. `agguard doctor` shows whether all is well.",
        ]
    else:
        lines += ["Commit the two new files in .agents to guard the project for everybody."]
    output.note("\n".join(lines), "none")


def _data(outcome: Outcome) -> dict[str, object]:
    return {
        "hooks": outcome.place.hooks,
        "changed": [change.path for change in outcome.changes],
        "diff": outcome.diff,
        "notes": [remark.text for remark in outcome.notes],
        "backups": list(outcome.backups),
        "dry_run": outcome.dry_run,
    }
