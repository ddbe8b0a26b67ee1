"""`agguard doctor`: is all well, and if not, what to do."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import operator, output, settings

if TYPE_CHECKING:
    from agguard.doctor.finding import Finding
    from agguard.doctor.mending import Mended
    from agguard.doctor.rehearsal import Step


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended.")] = False,
    probe: Annotated[
        bool, typer.Option("--probe", help="Play a whole scripted session as well.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Read what the host will read, do what it will do, and say what is wrong and how to mend it.

    --fix mends what is installed, rebuilds the manifest, closes folders to others, accepts changed
    files of agguard and moves a damaged ledger away; it touches nothing of anybody else's, and
    installs nothing where nothing is installed. --probe plays a session with your settings through
    the registered agguard, in a throw-away home. The exit status is 1 if something is wrong.

    Example: agguard doctor --fix
    """
    if fix:
        operator.require("mending")
    found = _examined(quiet=as_json)
    mended = _mended(found, quiet=as_json) if fix else []
    if mended:
        found = _examined(quiet=as_json)
    steps = _probed(quiet=as_json) if probe else []
    healthy = not any(one.level == "error" for one in found) and all(one.passed for one in steps)
    if as_json:
        output.data(
            {
                "healthy": healthy,
                "findings": [one.asdict() for one in found],
                "mended": [one.asdict() for one in mended],
                "probe": [{**one.asdict(), "passed": one.passed} for one in steps],
            }
        )
    else:
        _close(found, sum(not one.passed for one in steps), fix=fix)
    if not healthy:
        raise typer.Exit(1)


def _examined(*, quiet: bool) -> list[Finding]:
    """Look at everything; a person sees each finding as it is made."""
    from agguard.doctor.checks import examine

    found = []
    for one in examine(settings.paths(), os.getcwd()):
        found.append(one)
        if not quiet:
            _show(one)
    return found


def _mended(found: list[Finding], *, quiet: bool) -> list[Mended]:
    from agguard.doctor.mending import mend

    done = []
    for one in mend(settings.paths(), found):
        done.append(one)
        if not quiet:
            text = one.text if one.done else f"cannot be mended: {one.text}"
            output.note(f"mended: {text}" if one.done else text, "green" if one.done else "red")
    if done and not quiet:
        output.note("now:", "bold")
    return done


def _show(one: Finding) -> None:
    step = f"\n[dim]→ {output.plain(one.next_step)}[/]" if one.next_step else ""
    _row(output.sign(one.level), output.plain(one.text) + step)


def _row(mark: str, text: str) -> None:
    from rich.table import Table

    table = Table.grid(padding=(0, 1))
    table.add_column(width=1)
    table.add_column(overflow="fold")
    table.add_row(mark, text)
    output.say(table)


def _probed(*, quiet: bool) -> list[Step]:
    """Play the scripted session; a person sees each step as it is over."""
    from agguard.doctor.rehearsal import Rehearsal

    steps = []
    with tempfile.TemporaryDirectory(prefix="agguard-probe-") as home:
        for step in Rehearsal.of(settings.paths(), home).play():
            steps.append(step)
            if not quiet:
                took = f"{step.milliseconds:.0f} ms"
                said = f"probe: {step.title}: {step.decision} in {took}"
                wrong = "" if step.passed else f"; {step.differs}"
                level = "ok" if step.passed else "error"
                _row(output.sign(level), output.plain(said + wrong))
    return steps


def _close(found: list[Finding], failed: int, *, fix: bool) -> None:
    errors = sum(one.level == "error" for one in found) + failed
    warnings = sum(one.level == "warning" for one in found)
    probe = f" ({failed} of them in the probe)" if failed else ""
    counts = f"{errors} wrong{probe}, {warnings} to look at"
    mendable = any(one.mend and one.level != "ok" for one in found)
    hint = "; `agguard doctor --fix` mends some of it" if mendable and not fix else ""
    style = "bold red" if errors else "yellow" if warnings else "green"
    output.note(f"\n{counts}{hint}", style)
