"""`agguard replay`: what the guards would have said to past sessions."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import choice, number, output, settings
from agguard.cli.commands.config_profile import ProfileName
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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

    Example: agguard replay --all --profile balanced
    """
    from agguard.pipeline.past import transcripts
    from agguard.pipeline.replay import brains

    if bool(target) == every:
        output.fail("name a transcript or a folder, or say --all")
    places = brains(settings.paths().host.app_data) if every else [os.path.abspath(target)]
    found = [path for place in places for path in transcripts(place)]
    if not found:
        where = ", ".join(places) or settings.paths().host.gemini
        output.fail(f"there is no session to read in {where}", 1)
    summaries = list(_judged(found, profile.value if profile else ""))
    data = _data(summaries, examples)
    if as_json:
        output.data(data)
    else:
        _show(data)


def _judged(found: list[str], profile: str) -> Iterator[Summary]:
    from agguard.pipeline.past import past
    from agguard.pipeline.replay import Replay
    from agguard.plugins.build import compiled

    with tempfile.TemporaryDirectory(prefix="agguard-replay-") as cache:
        judge = Replay(compiled(settings.paths(), profile=profile), cache)
        judge.know(one for path in _watched(found, "reading sessions") if (one := past(path)))
        for path in _watched(found, "judging sessions"):
            if session := past(path):
                yield judge.judge(session)


def _watched(found: list[str], what: str) -> Iterable[str]:
    """Show a bar on a person's terminal; standard output stays what it is."""
    if not sys.stderr.isatty():
        return found
    from rich.console import Console
    from rich.progress import track

    return track(found, what, console=Console(stderr=True), transient=True)


def _data(summaries: list[Summary], examples: int) -> dict[str, Any]:
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
    from rich.padding import Padding

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
            output.say(Padding(output.plain(one["subject"]), (0, 0, 0, 2)))
            if one["text"]:
                output.say(Padding(f"[dim]→ {output.plain(one['text'])}[/]", (0, 0, 0, 4)))
    if not data["guards"]:
        output.say("no guard would have said anything")
