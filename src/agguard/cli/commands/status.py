"""`agguard status`: how things stand, on one screen."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import moments, number, output
from agguard.cli.standing import Standing, data, heartbeat, standing
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text
    from rich.tree import Tree

    from agguard.ledger.reader import Node

STYLES = {
    "guarded": "bold green",
    "paused": "bold yellow",
    "observing": "bold yellow",
    "not guarded": "bold red",
    "TIMED_OUT": "red",
    "FAILED": "red",
    "RECOVERY_REQUIRED": "red",
    "WAITING": "yellow",
    "ISSUED": "yellow",
    "ACTIVE": "cyan",
    "EXECUTION_ACTIVE": "cyan",
    "TERMINATED": "green",
}

SHORT = 8


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(status)


def status(
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Look again and again.")] = False,
    every: Annotated[
        float, typer.Option(help="Seconds between two looks.", **number.seconds("--every", 0.2))
    ] = 2.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print data; one line for each look with --watch.")
    ] = False,
) -> None:
    """Show whether sessions are guarded, which agents are at work, and what was decided today.

    Nothing is written or locked by looking. The exit status is 1 if sessions are not guarded.

    Example: agguard status --watch
    """
    if watch:
        with contextlib.suppress(KeyboardInterrupt):
            _watch(every, as_json=as_json)
        return
    found = standing(time.time())
    if as_json:
        output.data(data(found))
    else:
        for part in _screen(found):
            output.say(part)
    if found.why:
        raise typer.Exit(1)


def _watch(every: float, *, as_json: bool) -> None:
    if as_json:
        while True:
            output.datum(data(standing(time.time())))
            time.sleep(every)
    from rich.console import Group
    from rich.live import Live

    with Live(console=output.screen(), auto_refresh=False) as live:
        while True:
            live.update(Group(*_screen(standing(time.time()))), refresh=True)
            time.sleep(every)


def _screen(found: Standing) -> Iterator[RenderableType]:
    yield from _head(found)
    yield ""
    yield _today(found)
    if found.trouble:
        yield _text(found.trouble, "bold red")
    yield ""
    yield from _sessions(found)
    for item in found.dead:
        who = output.clean(item.agent_role or item.type_name or "subagent")
        ago = moments.span(found.now - item.updated_at)
        yield _text(f"timed out: {who} of {item.issuer[:SHORT]}, silent since {ago}", "red")


def _head(found: Standing) -> Iterator[RenderableType]:
    from rich.text import Text

    style = STYLES[found.state]
    yield Text.assemble((found.state, style), f", profile {found.profile}")
    if found.why:
        yield _remark(found.why, "red")
    if found.only:
        yield _remark(f"in this project only, by {found.only}", "yellow")
    if found.pause:
        left = moments.span(found.pause.until - found.now)
        yield _remark(f"{found.pause.text}; {left} left", "yellow")
    if found.state == "observing":
        yield _remark("decisions are recorded and nothing is enforced (hooks.observe)", "yellow")
    for path in found.changed:
        yield _remark(f"changed outside agguard: {path}; see `agguard doctor`", "bold yellow")
    if found.seen:
        event, at = max(found.seen.items(), key=lambda one: one[1])
        ago = moments.span(found.now - at)
        yield _remark(f"the host last fired a hook {ago} ago ({event})", "dim")
    elif not found.why:
        yield _remark("the host has not fired a hook yet", "dim")


def _remark(text: str, style: str) -> RenderableType:
    """Indent a remark, all of its lines."""
    from rich.padding import Padding

    return Padding(_text(text, style), (0, 0, 0, 2), expand=False)


def _today(found: Standing) -> RenderableType:
    if not found.counts:
        return _text("today: no decision yet", "dim")
    words = {"allow": "allowed", "deny": "denied", "ask": "asked", "force_ask": "asked (forced)"}
    order = ("allow", "deny", "ask", "force_ask", "sent back", "stopped")
    parts = [f"{found.counts[one]} {words.get(one, one)}" for one in order if one in found.counts]
    return f"today: {', '.join(parts)}"


def _sessions(found: Standing) -> Iterator[RenderableType]:
    more = counted(found.silent, "more is silent", "more are silent")
    silent = f"; {more} (`agguard ledger show`)" if found.silent else ""
    if not found.alive:
        yield _text(f"no session is at work{silent}", "dim")
        return
    yield f"at work{silent}:"
    for node in found.alive:
        yield _tree(node, found.now)


def _tree(node: Node, now: float) -> Tree:
    from rich.tree import Tree

    made = Tree(_label(node, now))
    made.children += [_tree(child, now) for child in node.children]
    return made


def _label(node: Node, now: float) -> Text:
    """Say who it is, what it may, how it stands and when it was last heard."""
    one = node.conversation
    label = _text(output.clean(one.id)[:SHORT], "bold").append(f" {one.role}")
    if node.work and (name := node.work[-1].agent_role or node.work[-1].type_name):
        label.append(f" {output.clean(name)[:24]}")
    label.append(f", depth {one.remaining_depth}")
    if one.read_only:
        label.append(", read-only", "yellow")
    states: list[str] = [node.work[-1].status] if node.work else []
    states += [node.turn.state] if node.turn and (not node.work or node.children) else []
    for state in states:
        label.append(" ").append(state, STYLES.get(state, ""))
    return label.append(f", {moments.span(now - heartbeat(node))} ago", "dim")


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(text, style=style)
