"""`agguard why`: how a recorded decision came about."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import decisions, moments, output

if TYPE_CHECKING:
    from agguard.ledger.reader import Reader
    from agguard.ledger.records import Entry

LAST, DENIED = "last", "denied"

LOOK_BACK = 10_000
"""How many decisions are looked through for one that was not allowed."""


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(why)


def why(
    which: Annotated[
        str,
        typer.Argument(
            metavar="[ID|last|denied]",
            help="The decision's number; `last`, or `denied` for the last that was not allowed.",
        ),
    ] = LAST,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Show how a recorded decision came about: who asked, what each guard said, what came of it.

    The number stands in the reason of a denial, and in `agguard log`. The exit status is 1 if
    there is no such decision.

    Example: agguard why last
    """
    with decisions.reader() as reader:
        entry = _find(reader, which)
    if as_json:
        output.data(decisions.data(entry))
    else:
        _show(entry)


def _find(reader: Reader, which: str) -> Entry:
    from agguard.ledger.decisions import Wanted
    from agguard.pipeline.seen import DOCTOR

    if which in (LAST, DENIED):
        newest = reader.wanted(Wanted(without=DOCTOR), 1 if which == LAST else LOOK_BACK)
        for entry in newest:
            if which == LAST or decisions.judged(entry) not in ("", "abstain", "allow"):
                return entry
        output.fail("nothing of that kind is recorded; `agguard log` lists what is", 1)
    if not which.isdecimal() or not 0 < int(which) < 2**63:
        output.fail(f"{which!r} is no decision's number; `agguard log` shows them")
    found = reader.wanted(Wanted(seq=int(which)), 1)
    if not found:
        output.fail(f"decision {which} is not (or no longer) in the ledger; see `agguard log`", 1)
    return found[0]


def _show(entry: Entry) -> None:
    word, judged = decisions.word(entry), decisions.judged(entry)
    output.say(f"[bold]decision {entry.seq}[/]: {output.colored(word or entry.event)}")
    if judged not in (word, entry.decision):
        output.say(f"  the guards said {output.colored(judged)}; nothing was enforced then")
    facts = output.table("", "")
    facts.show_header = False
    for name, text in _facts(entry):
        facts.add_row(f"  [dim]{name}[/]", output.plain(text))
    output.say(facts)
    _answers(entry)
    for guard, decision, text in (row[:3] for row in decisions.rows(entry.reasons) if row[2:]):
        output.say(f"  [bold]{output.plain(str(guard))}[/] ({output.colored(str(decision))})")
        output.indented(output.plain(str(text)), 4)
    for plugin, hook, kind, text in (row[:4] for row in decisions.rows(entry.faults) if row[3:]):
        output.say(f"  [red]fault[/] of {output.plain(f'{plugin} in {hook} ({kind})')}")
        output.indented(output.plain(str(text)), 4)
    _next(entry)


def _facts(entry: Entry) -> list[tuple[str, str]]:
    from agguard.model.effect import Effect

    ago = moments.span(time.time() - entry.at)
    took = f", decided in {entry.micros / 1000:.0f} ms" if entry.micros else ""
    facts = [
        ("when", f"{moments.shown(entry.at)} ({ago} ago){took}"),
        ("who", f"{entry.role or 'nobody'} {entry.conversation}".strip()),
        ("event", f"{entry.event}, step {entry.step}"),
    ]
    if entry.tool or entry.subject:
        facts.append(("call", f"{entry.tool} {entry.subject}".strip()))
    if entry.effect:
        facts.append(("effect", Effect(entry.effect).words))
    if entry.inert:
        facts.append(("note", "it counts for nothing, such as a call in another's name"))
    return facts


def _answers(entry: Entry) -> None:
    rows = [row for row in decisions.rows(entry.answers) if row[3:]]
    if not rows:
        return
    table = output.table("  hook", "guard", "answer", "µs")
    table.columns[-1].justify = "right"
    for hook, guard, answer, micros in rows:
        table.add_row(
            output.plain(f"  {hook}"), output.plain(guard), output.plain(answer), str(micros)
        )
    output.say("", table, "  [dim]every other guard had no opinion[/]", "")


def _next(entry: Entry) -> None:
    """Say what to ask next."""
    if entry.event == "PreToolUse" and entry.tool == "run_command":
        role = f" --role {entry.role}" if entry.role else ""
        command = f"agguard explain {shlex.quote(output.clean(entry.subject))}{role}"
        output.note(f"asks the guards again, as they are set now: {command}", "dim")
    if entry.conversation:
        short = entry.conversation[: decisions.SHORT]
        output.note(f"what came before: agguard log --conversation {short}", "dim")
