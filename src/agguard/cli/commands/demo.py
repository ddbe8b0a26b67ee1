"""`agguard demo`: the guards at work on a scripted session, in a throw-away home."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import output
from agguard.quantity import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from agguard.doctor.rehearsal import Step
    from agguard.ledger.records import Entry

MARKS = {"allow": "green", "deny": "red", "ask": "yellow", "force_ask": "yellow", "continue": "red"}


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Show the guards at work: a scripted session, played through the registered command.

    Nothing of yours is touched: the demo installs agguard into a home of its own and removes it
    afterwards. The exit status is 1 if any step went otherwise than it should.

    Example: agguard demo
    """
    from agguard.doctor.rehearsal import Rehearsal

    with tempfile.TemporaryDirectory(prefix="agguard-demo-") as home:
        rehearsal = Rehearsal.installed(home)
        if not as_json:
            output.say(_opening(rehearsal.hooks))
        steps = []
        for number, step in enumerate(rehearsal.play(), 1):
            steps.append(step)
            if not as_json:
                output.say(_shown(number, step))
        entries = rehearsal.entries()
        if as_json:
            output.data(_data(steps, entries))
        else:
            output.say(_ledger(entries), _closing(steps))
    if not all(step.passed for step in steps):
        raise typer.Exit(1)


def _opening(hooks: str) -> RenderableType:
    from rich.text import Text

    return Text.assemble(
        ("agguard demo", "bold"),
        "\nA session of a primary agent and its subagent, in a home that is thrown away. Every "
        "step goes through the command that its ",
        (hooks.rsplit("/", 1)[-1], "italic"),
        " registers, run as Antigravity runs it.\n",
    )


def _shown(number: int, step: Step) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    head = Table.grid(expand=True)
    head.add_column(ratio=1)
    head.add_column(justify="right")
    title = Text.assemble((f"{number}. ", "bold"), (step.title, "bold"))
    verdict = Text(step.decision, style=f"bold {MARKS.get(step.decision, 'white')}")
    took = Text(f"  {step.milliseconds:.0f} ms", style="dim")
    head.add_row(title, Text.assemble(verdict, took))
    body: list[RenderableType] = [Text(f"{step.event}: {step.call}", style="dim", overflow="fold")]
    if step.reason:
        body.append(Text(step.reason, overflow="fold"))
    if step.after:
        body += [_change("before", step.before), _change("after", step.after)]
    if step.note:
        body.append(Text(step.note, style="yellow"))
    if not step.passed:
        body.append(Text(step.differs, style="bold red", overflow="fold"))
    return Group(head, Padding(Group(*body), (0, 0, 1, 3)))


def _change(label: str, text: str) -> RenderableType:
    from rich.padding import Padding
    from rich.text import Text

    if "\n" not in text:
        return Text.assemble((f"{label:7}", "dim"), text, overflow="fold")
    inner = Padding(Text(text, overflow="fold"), (0, 0, 0, 2))
    from rich.console import Group

    return Group(Text(f"{label}:", style="dim"), inner)


def _ledger(entries: list[Entry]) -> RenderableType:
    from rich.table import Table

    table = Table(title="What the ledger keeps", title_justify="left", box=None, pad_edge=False)
    for column in ("#", "event", "role", "tool", "effect", "decision"):
        table.add_column(column, style="dim" if column == "#" else None)
    from agguard.model.effect import Effect

    for entry in entries:
        decision = "continue" if entry.event == "Stop" and entry.decision == "deny" else ""
        table.add_row(
            str(entry.seq),
            entry.event,
            entry.role,
            entry.tool,
            Effect(entry.effect).words,
            decision or entry.decision,
        )
    return table


def _closing(steps: list[Step]) -> RenderableType:
    from rich.text import Text

    failed = sum(not step.passed for step in steps)
    if failed:
        steps_went = f"{failed} of {counted(len(steps), 'step')} went"
        return Text(f"\n{steps_went} otherwise.", style="bold red")
    good = f"\nAll {counted(len(steps), 'step')} went as they should."
    return Text(f"{good} `agguard install` guards your own sessions.", style="green")


def _data(steps: list[Step], entries: list[Entry]) -> dict[str, Any]:
    return {
        "passed": all(step.passed for step in steps),
        "steps": [{**step.asdict(), "passed": step.passed} for step in steps],
        "ledger": [entry.asdict() for entry in entries],
    }
