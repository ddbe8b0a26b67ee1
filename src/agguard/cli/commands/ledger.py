"""`agguard ledger`: look at who started whom and what became of it; changes and locks nothing."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import number, output
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.text import Text
    from rich.tree import Tree

    from agguard.ledger.reader import Node, Reader
    from agguard.ledger.records import Event, WorkItem

Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]
Which = Annotated[
    str, typer.Argument(help="A conversation's id, or how it begins; all if left out.")
]

SHORT = 8
"""Characters of a conversation's id that are shown."""

STYLES = {
    "TERMINATED": "green",
    "FAILED": "red",
    "TIMED_OUT": "red",
    "RECOVERY_REQUIRED": "red",
    "WAITING": "yellow",
    "ISSUED": "yellow",
    "HANDOFF_PENDING": "yellow",
    "ACTIVE": "cyan",
    "EXECUTION_ACTIVE": "cyan",
}

SPANS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def build() -> typer.Typer:
    """Make the group."""
    app = typer.Typer(
        help="Look into the ledger: who started whom, and what became of it. Nothing is changed.",
        no_args_is_help=True,
    )
    for command in (show, events, verify):
        app.command()(command)
    return app


def show(conversation: Which = "", as_json: Json = False) -> None:
    """Show the tree of conversations with role, depth, state and last sign of life.

    Example: agguard ledger show 3f2a8c1e
    """
    with _reader() as reader:
        found = [_node(reader, conversation)] if conversation else _trees(reader)
        waiting = _by_issuer(reader.unclaimed())
    if as_json:
        output.data([_data(node, waiting) for node in found])
        return
    if not found:
        output.say("The ledger knows no conversation yet.")
    now = time.time()
    for node in found:
        output.say(_tree(node, waiting, now))


def events(
    conversation: Which = "",
    limit: Annotated[
        int, typer.Option(help="Of the newest, so many.", **number.whole("--limit", 1))
    ] = 100,
    as_json: Json = False,
) -> None:
    """List what happened to turns and to work, oldest first.

    Example: agguard ledger events 3f2a8c1e --limit 20
    """
    from agguard.pipeline.seen import DOCTOR

    with _reader() as reader:
        name = _node(reader, conversation).conversation.id if conversation else ""
        found = reader.events(about=name, without="" if name else DOCTOR, limit=limit)
    if as_json:
        output.data([event.asdict() for event in found])
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("at", "agent", "event", "became", "work"):
        table.add_column(title, overflow="fold")
    for event in found:
        table.add_row(*_row(event))
    of = f" of {name}" if name else ""
    output.say(table if found else f"The ledger holds no event{of} yet.")


def verify(as_json: Json = False) -> None:
    """Replay the events and say where the tables disagree with them.

    The exit status is 1 if they do, or if the file is damaged.

    Example: agguard ledger verify
    """
    with _reader() as reader:
        found = reader.verify()
    if as_json:
        output.data({"sound": not found, "disagreements": found})
    elif found:
        for text in found:
            output.say(_text("✗ ", "bold red").append(_clean(text)))
    else:
        output.say(_text("✓ The ledger agrees with its events.", "green"))
    if found:
        raise typer.Exit(1)


def _reader() -> Reader:
    from agguard.ledger.reader import Reader
    from agguard.paths import resolve
    from agguard.pipeline.books import NAME

    return Reader.open(os.path.join(resolve(environ=os.environ).state, NAME))


def _node(reader: Reader, wanted: str) -> Node:
    """Return the conversation whose id is `wanted`, or begins with it."""
    every = {node.conversation.id: node for root in reader.tree() for node in _all(root)}
    found = [wanted] if wanted in every else [name for name in every if name.startswith(wanted)]
    if not found:
        output.fail(f"the ledger knows no conversation {wanted!r}; see `agguard ledger show`")
    if len(found) > 1:
        some = ", ".join(name[: len(wanted) + SHORT] for name in found[:3])
        many = counted(len(found), "conversation")
        output.fail(f"{many} begin with {wanted!r} ({some}); say more of it")
    return every[found[0]]


def _trees(reader: Reader) -> list[Node]:
    """Return all trees but what the doctor leaves behind, which no agent did."""
    from agguard.pipeline.seen import DOCTOR

    return [node for node in reader.tree() if node.conversation.id != DOCTOR]


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all(child)


def _by_issuer(items: Iterable[WorkItem]) -> dict[str, list[WorkItem]]:
    found: dict[str, list[WorkItem]] = {}
    for item in items:
        found.setdefault(item.issuer, []).append(item)
    return found


def _data(node: Node, waiting: dict[str, list[WorkItem]]) -> dict[str, Any]:
    """Return a conversation as data. Tokens stay in the ledger: they are secrets."""
    return {
        **node.conversation.asdict(),
        "state": _state(node),
        "heartbeat": _heartbeat(node),
        "turn": node.turn.asdict() if node.turn else None,
        "work": [_item(item) for item in node.work],
        "unclaimed": [_item(item) for item in waiting.get(node.conversation.id, ())],
        "children": [_data(child, waiting) for child in node.children],
    }


def _item(item: WorkItem) -> dict[str, Any]:
    return {key: value for key, value in item.asdict().items() if key != "token"}


def _state(node: Node) -> str:
    """Return how a conversation's work stands, or its turn where it was given none."""
    if node.work:
        return node.work[-1].status
    return node.turn.state if node.turn else ""


def _heartbeat(node: Node) -> float:
    """Return the last sign of life, in seconds since the epoch."""
    open_ = [item.updated_at for item in node.work if item.status in ("ACTIVE", "WAITING")]
    return max(node.conversation.last_seen, *open_, 0.0)


def _tree(node: Node, waiting: dict[str, list[WorkItem]], now: float) -> Tree:
    from rich.tree import Tree

    found = Tree(_label(node, now))
    for child in node.children:
        found.children.append(_tree(child, waiting, now))
    for item in waiting.get(node.conversation.id, ()):
        found.add(
            _text("not started  ", "dim")
            .append(_name(item))
            .append(f"  {item.status}", STYLES["ISSUED"])
            .append(f"  for {_span(now - item.created_at)}", "dim")
        )
    return found


def _label(node: Node, now: float) -> Text:
    """Say who it is, what it may, how it stands and when it was last seen."""
    one = node.conversation
    label = _text(_clean(one.id)[:SHORT], "bold").append(f"  {one.role}")
    if node.work and (name := _name(node.work[0])):
        label.append(f" {name}")
    label.append(f"  depth {one.remaining_depth}")
    if one.read_only:
        label.append("  read-only", "yellow")
    states = [_state(node)]
    if node.work and node.turn and node.turn.state not in ("CLOSED", "OPEN"):
        states.append(node.turn.state)
    for state in filter(None, states):
        label.append(f"  {state}", STYLES.get(state, ""))
    return label.append(f"  {_span(now - _heartbeat(node))} ago", "dim")


def _row(event: Event) -> tuple[str | Text, ...]:
    became = event.after if event.before == event.after else f"{event.before} → {event.after}"
    work = f"{event.from_status} → {event.to_status}".removeprefix(" → ") if event.item else ""
    who = f" {_clean(event.child)[:SHORT]}" if event.child else ""
    detail = f" ({_clean(event.detail)})" if event.detail else ""
    return (
        time.strftime("%d %b %H:%M:%S", time.localtime(event.at)),
        _clean(event.conversation)[:SHORT],
        event.type,
        _text(became, STYLES.get(event.after, "")),
        _text(work + who + detail, STYLES.get(event.to_status, "")),
    )


def _name(item: WorkItem) -> str:
    return _clean(item.agent_role or item.type_name)[:24]


def _span(seconds: float) -> str:
    """Return a time span as people say it: `3 min`."""
    for size, unit in SPANS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "0 s"


def _clean(text: str) -> str:
    """Replace what would move the cursor: agents choose their subagents' names."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(text, style=style)
