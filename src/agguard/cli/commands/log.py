"""`agguard log`: the decisions that the ledger keeps."""

from __future__ import annotations

import contextlib
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import choice, decisions, moments, number, output
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.ledger.decisions import Wanted
    from agguard.ledger.reader import Reader
    from agguard.ledger.records import Entry

PAUSE = 0.5
"""Seconds between two looks."""

MOST = 10_000
"""Decisions of one look while following."""


class DecisionName(StrEnum):
    """What can come of a question."""

    ALLOW = "allow"
    ASK = "ask"
    FORCE_ASK = "force_ask"
    DENY = "deny"
    CONTINUE = "continue"


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(log)


def log(
    since: Annotated[str, typer.Option(help="From when on: 2h (ago), today, 14:30, a date.")] = "",
    until: Annotated[str, typer.Option(help="Up to when; as --since.")] = "",
    conversation: Annotated[str, typer.Option(help="A conversation, or how its id begins.")] = "",
    guard: Annotated[
        str, typer.Option(help="Who said something or failed: builtin.rtk, or a plugin.")
    ] = "",
    decision: Annotated[
        DecisionName | None,
        typer.Option(
            help="What came of it, or would have, had it been enforced.",
            **choice.of("--decision", DecisionName),
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", help="The newest so many.", **number.whole("--limit", 1))
    ] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as they come.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print data; one line for each with --follow.")
    ] = False,
) -> None:
    """List recorded decisions, oldest first; `agguard why NUMBER` shows how one came about.

    Secrets were taken out before they were written.

    Example: agguard log --since 2h --decision deny
    """
    with decisions.reader() as reader:
        wanted = _wanted(reader, since, until, conversation, guard, decision)
        found = _look(reader, wanted, limit, decision)
        if as_json and not follow:
            output.data([decisions.data(entry) for entry in found])
            return
        _print(found, as_json=as_json)
        if not found and not follow:
            output.note("nothing of that kind is recorded", "none")
        if follow:
            with contextlib.suppress(KeyboardInterrupt):
                _follow(reader, wanted, found, decision, as_json=as_json)


def _wanted(
    reader: Reader,
    since: str,
    until: str,
    conversation: str,
    guard: str,
    decision: DecisionName | None,
) -> Wanted:
    from agguard.ledger.decisions import Wanted
    from agguard.pipeline.seen import DOCTOR

    now = time.time()
    word = "deny" if decision == DecisionName.CONTINUE else decision.value if decision else ""
    return Wanted(
        conversation=_conversation(reader, conversation),
        without=DOCTOR,
        since=moments.moment(since, now) if since else None,
        until=moments.moment(until, now) if until else None,
        decision=word,
        guard=guard,
    )


def _conversation(reader: Reader, wanted: str) -> str:
    """Return the whole id of the only conversation that begins like this."""
    if not wanted:
        return ""
    found = reader.conversations(wanted)
    if wanted in found:
        return wanted
    if not found:
        output.fail(f"no decision about a conversation {wanted!r} is recorded", 1)
    if len(found) > 1:
        output.fail(f"{counted(len(found), 'conversation')} begin with {wanted!r}; say more of it")
    return found[0]


def _look(reader: Reader, wanted: Wanted, limit: int, decision: DecisionName | None) -> list[Entry]:
    """Return what is wanted, oldest first."""
    found = reader.wanted(wanted, limit)
    if decision == DecisionName.CONTINUE:
        found = [entry for entry in found if entry.event == "Stop"]
    return found[::-1]


def _follow(
    reader: Reader,
    wanted: Wanted,
    found: list[Entry],
    decision: DecisionName | None,
    *,
    as_json: bool,
) -> None:
    last = found[-1].seq if found else reader.newest()
    while True:
        time.sleep(PAUSE)
        fresh = _look(reader, wanted.replace(after=last), MOST, decision)
        _print(fresh, as_json=as_json)
        last = fresh[-1].seq if fresh else last


def _print(found: Iterable[Entry], *, as_json: bool) -> None:
    for entry in found:
        if as_json:
            output.datum(decisions.data(entry))
        else:
            _line(entry)


def _line(entry: Entry) -> None:
    """Print a decision on a line, and its reason below where it was not simply allowed."""
    from rich.text import Text

    word, judged = decisions.word(entry), decisions.judged(entry)
    shown = word if judged == entry.decision else f"{word} ({judged})"
    line = Text.assemble(
        (f"{entry.seq:>6}  ", "bold"),
        (f"{decisions.clock(entry.at):>11}  ", "dim"),
        (f"{shown:<9} ", output.STYLES.get(judged, "")),
        (f"{decisions.agent(entry):<20} ", "dim"),
        decisions.about(entry),
    )
    output.one_line(line)
    if judged not in ("", "allow", "abstain"):
        for row in decisions.rows(entry.reasons):
            if row[2:] and row[1] == judged:
                text = " ".join(output.clean(f"{row[0]}: {row[2]}").split())
                output.one_line(Text(f"{'':21}{text}", style="dim"))
