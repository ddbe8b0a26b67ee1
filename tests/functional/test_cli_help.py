"""The help of every command on a terminal of 80 columns."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from agguard.cli.app import build

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakes.desk import Desk


def root() -> Any:
    """Return the command line as typer makes it."""
    from typer.main import get_command

    return get_command(build())


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every command that does something, as it is typed."""
    if not hasattr(command, "commands"):
        yield path
        return
    for name, inner in command.commands.items():
        yield from commands(inner, (*path, name))


EVERY = list(commands(root()))


def test_the_walk_finds_groups_and_commands() -> None:
    """Or what follows would hold for nothing."""
    assert {("install",), ("config", "set"), ("ledger", "events")} <= set(EVERY)


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_a_paragraph_is_broken_by_the_terminal_alone(command: tuple[str, ...], desk: Desk) -> None:
    """A line ends where the next word does not fit, not where a line of our source ends."""
    text = desk.screen(*command, "--help").split("╭─")[0]
    lines = [line.rstrip().removeprefix(" ") for line in text.splitlines()]
    for line, below in itertools.pairwise(lines):
        if line and below and not below.startswith(" "):
            assert len(line) + 1 + len(below.split()[0]) > 78, (line, below)
    assert any(line.startswith("Example: agguard ") for line in lines)
