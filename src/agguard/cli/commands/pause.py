"""`agguard pause` and `agguard resume`: for a while, nothing is enforced."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import moments, operator, output, settings

if TYPE_CHECKING:
    from agguard.paths import Paths
    from agguard.pipeline.pause import Pause

Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]


def add(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(pause)
    app.command()(resume)


def pause(
    duration: Annotated[str, typer.Argument(help="How long: 90s, 30m, 1h30m.")] = "30m",
    as_json: Json = False,
) -> None:
    """Enforce nothing for a while; decisions are still recorded. Only from a terminal.

    Every answer says so meanwhile, `agguard status` shows it, and it ends by itself. What keeps
    agents off agguard's own files stays in force.

    Example: agguard pause 30m
    """
    from agguard.install.user import accept
    from agguard.pipeline.pause import LONGEST, Pause, begin

    operator.require("pausing", terminal=True)
    seconds = moments.duration(duration)
    if not 0 < seconds <= LONGEST:
        output.fail(f"a pause lasts at most {moments.span(LONGEST)}; `agguard uninstall` ends all")
    now = time.time()
    made = Pause(now, now + seconds)
    place = settings.paths()
    try:
        begin(place.state, made)
    except OSError as error:
        output.fail(f"cannot write below {place.state!r}: {error.strerror}; nothing was paused")
    accept(place)
    _record(place, "Pause", f"until {moments.shown(made.until)}")
    _report(made, as_json=as_json)


def resume(as_json: Json = False) -> None:
    """End a pause: what the guards say counts again, at once.

    Example: agguard resume
    """
    from agguard.install.user import accept
    from agguard.pipeline.pause import current, end

    place = settings.paths()
    was = current(place.state, time.time())
    try:
        end(place.state)
    except OSError as error:
        output.fail(f"cannot end the pause: {error.strerror} ({place.state!r})")
    accept(place)
    if was:
        _record(place, "Resume", "")
    if as_json:
        output.data({"paused": False, "was_paused": was is not None})
    else:
        said = "the pause is over: what the guards say counts again" if was else "there is no pause"
        output.note(said, "green")


def _report(made: Pause, *, as_json: bool) -> None:
    if as_json:
        output.data({"paused": True, **made.asdict()})
        return
    length = moments.span(made.until - made.since)
    output.note(f"paused for {length}, until {moments.shown(made.until)}", "bold yellow")
    output.note("nothing is enforced and everything recorded; `agguard resume` ends it", "none")


def _record(place: Paths, event: str, subject: str) -> None:
    """Write it into the decision log; a ledger that cannot be used is no reason not to pause."""
    import os

    from agguard.errors import LedgerError
    from agguard.ledger.records import Entry
    from agguard.ledger.store import Ledger

    path = os.path.join(place.state, "ledger.db")
    now = time.time()
    entry = Entry(now, "", event, subject=subject, decision="", role="operator", inert=True)
    try:
        ledger = Ledger.open(path, wait=2.0, now=now)
        try:
            ledger.record(entry)
        finally:
            ledger.close()
    except LedgerError as error:
        output.note(f"not recorded: {error}")
