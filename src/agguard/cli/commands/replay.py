"""`agguard replay`: what the guards would have said to past sessions."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import choice, number, output, settings
from agguard.cli.commands.config_profile import ProfileName
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.pipeline.past import Skipped
    from agguard.pipeline.replay import Replayed, Summary

WORDS = {
    "deny": "denied",
    "ask": "asked about",
    "force_ask": "asked about",
    "continue": "sent back",
    "rewrite": "rewritten",
    "inject": "injected",
    "fault": "failed",
}


SHOWN = 5
"""Of what was skipped, so many are named on the screen."""


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)


def replay(
    target: Annotated[
        str, typer.Argument(help="A transcript, a conversation's folder, or a brain folder.")
    ] = "",
    every: Annotated[
        bool, typer.Option("--all", help="All sessions that Antigravity keeps here.")
    ] = False,
    profile: Annotated[
        ProfileName | None,
        typer.Option(
            help="As if this profile were on.",
            show_default=False,
            **choice.of("--profile", ProfileName),
        ),
    ] = None,
    examples: Annotated[
        int, typer.Option(help="How many examples of each.", **number.whole("--examples", 0))
    ] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Run the guards over past sessions: what would have been denied, changed or sent back.

    Nothing has to be installed, nothing is executed and nothing is written. A denied agent would
    have gone on in another way, so this counts objections call by call. The exit status is 1 if
    there is no session to read.

    Projects' own files tighten as they are today, where the record shows in which folders a
    session worked, and subagents' reports are checked against their records. Left out is what a
    hook takes from the moment: reminders, files on the disk, subagents that fell silent, and
    AGGUARD_* variables.

    Example: agguard replay --all --profile balanced
    """
    from agguard.pipeline.past import look
    from agguard.pipeline.replay import brains

    if bool(target) == every:
        output.fail("name a transcript or a folder, or say --all")
    places = brains(settings.paths().host.app_data) if every else [os.path.abspath(target)]
    found = [look(place) for place in places]
    judged = _judged([path for one in found for path in one.transcripts], profile)
    judged.bare += [path for one in found for path in one.bare]
    judged.skipped += [each for one in found for each in one.skipped]
    data = _data(judged, examples)
    if as_json:
        output.data(data)
    else:
        if judged.summaries:
            _show(data)
        _around(data)
    if not judged.summaries:
        where = ", ".join(places) or settings.paths().host.gemini
        output.fail(f"there is no session to read in {where}", 1)


class Judged:
    """What came of everything that was found."""

    def __init__(self) -> None:
        self.summaries: list[Summary] = []
        self.skipped: list[Skipped] = []
        self.bare: list[str] = []
        self.lines = 0
        self.projects: list[str] = []


def _judged(found: list[str], profile: ProfileName | None) -> Judged:
    from agguard.pipeline.past import Skipped, past
    from agguard.pipeline.replay import Replay
    from agguard.pipeline.replay_layers import Layers
    from agguard.plugins.build import compiled

    made = Judged()
    place, name = settings.paths(), profile.value if profile else ""
    with tempfile.TemporaryDirectory(prefix="agguard-replay-") as cache:
        everywhere = compiled(place, profile=name)
        layers = Layers(place, everywhere, name)
        judge = Replay(everywhere, layers, cache)
        readable = (past(path) for path in _watched(found, "reading sessions"))
        judge.know(one for one in readable if not isinstance(one, Skipped))
        for path in _watched(found, "judging sessions"):
            session = past(path)
            if isinstance(session, Skipped):
                made.skipped.append(session)
            else:
                made.lines += session.lost
                made.summaries.append(judge.judge(session))
    made.projects = list(layers.files)
    for problem in layers.problems:
        output.note(problem)
    return made


def _watched(found: list[str], what: str) -> Iterable[str]:
    """Show a bar on a person's terminal; standard output stays what it is."""
    if not sys.stderr.isatty():
        return found
    from rich.console import Console
    from rich.progress import track

    return track(found, what, console=Console(stderr=True), transient=True)


def _data(judged: Judged, examples: int) -> dict[str, Any]:
    summaries = judged.summaries
    found = [one for summary in summaries for one in summary.found]
    kinds = dict.fromkeys((one.guard, one.what) for one in found)
    groups = [
        _group(
            guard, what, [one for one in found if (one.guard, one.what) == (guard, what)], examples
        )
        for guard, what in kinds
    ]
    groups.sort(key=lambda one: (-list(WORDS).index(one["what"]), one["count"]), reverse=True)
    objected = {(one.conversation, one.step, one.subject) for one in found if _objects(one)}
    return {
        "sessions": len(summaries),
        "primaries": sum(one.role == "primary" for one in summaries),
        "calls": sum(one.calls for one in summaries),
        "stops": sum(one.stops for one in summaries),
        "objections": len(objected),
        "guards": groups,
        "reports": dict(Counter(standing for one in summaries for standing in one.reports)),
        "projects": judged.projects,
        "skipped": {
            "transcripts": [one.asdict() for one in judged.skipped],
            "folders": judged.bare,
            "lines": judged.lines,
        },
    }


def _objects(one: Replayed) -> bool:
    return one.what in ("deny", "ask", "force_ask", "continue")


def _group(guard: str, what: str, found: list[Replayed], examples: int) -> dict[str, Any]:
    """Count what one guard did in one way; the examples differ from one another."""
    different = list({(one.subject, one.text): one for one in found}.values())
    return {
        "guard": guard,
        "what": what,
        "count": len(found),
        "examples": [one.asdict() for one in different[:examples]],
    }


def _show(data: dict[str, Any]) -> None:
    children = data["sessions"] - data["primaries"]
    calls, stops = counted(data["calls"], "call"), counted(data["stops"], "stop")
    whose = f"{data['primaries']} primary, {counted(children, 'subagent')}"
    output.say(
        f"[bold]{calls} and {stops}[/] of {counted(data['sessions'], 'session')} ({whose}): "
        f"{counted(data['objections'], 'objection')}"
    )
    for group in data["guards"]:
        word = WORDS[group["what"]]
        style = output.STYLES.get(group["what"], "cyan")
        output.say(
            f"\n[bold]{output.plain(group['guard'])}[/]: [{style}]{word} {group['count']}[/]"
        )
        for one in group["examples"]:
            output.indented(output.plain(one["subject"]), 2)
            if one["text"]:
                output.indented(f"[dim]→ {output.plain(one['text'])}[/]", 4)
    if not data["guards"]:
        output.say("no guard would have said anything")


def _around(data: dict[str, Any]) -> None:
    """Say what else was looked at, and what could not be."""
    reports = [f"{count} {standing}" for standing, count in sorted(data["reports"].items())]
    if reports:
        output.say(f"\nreports of subagents: {', '.join(reports)}")
    if data["projects"]:
        output.say(f"\ntightened by {output.plain(', '.join(data['projects']))}")
    skipped = data["skipped"]
    unread = "that cannot be read"
    counts = (
        (len(skipped["transcripts"]), f"transcript {unread}", f"transcripts {unread}"),
        (len(skipped["folders"]), "folder without a transcript", "folders without a transcript"),
        (skipped["lines"], "line that is no record", "lines that are no records"),
    )
    said = [counted(*one) for one in counts if one[0]]
    if said:
        output.say(f"\n[yellow]skipped: {', '.join(said)}[/]")
    shown = [f"{one['path']}: {one['why']}" for one in skipped["transcripts"]]
    for line in [*shown, *skipped["folders"]][:SHOWN]:
        output.indented(output.plain(line), 2)
