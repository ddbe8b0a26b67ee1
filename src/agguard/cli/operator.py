"""Tells the operator from an agent: some commands are for people alone.

An agent that executes has the user's rights, so this stops what is direct and nothing else
(design, section 1): the host marks the environment of the shells that it gives to agents.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from agguard.cli import output
from agguard.config.environment import in_agent_shell

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKS = (b"ANTIGRAVITY_AGENT=", b"ANTIGRAVITY_TRAJECTORY_ID=")

DEEPEST = 32
"""How many processes above this one are looked at."""


def require(what: str, *, terminal: bool = False) -> None:
    """Go on only for a person; otherwise say so, and end with status 2.

    Args:
        what: What is asked for, as in "pausing".
        terminal: Whether it takes a terminal, which no script has.
    """
    if is_agent():
        output.fail(
            f"{what} is for people, and this shell is an agent's (the host has marked its "
            "environment): run the command in a terminal of your own"
        )
    if terminal and not (sys.stdin.isatty() and sys.stderr.isatty()):
        output.fail(
            f"{what} takes a terminal, so that no script does it: run the command in one yourself"
        )


def is_agent() -> bool:
    """Whether an agent started this, also one that has cleaned the environment first."""
    return in_agent_shell(os.environ) or any(_is_marked(pid) for pid in _above())


def _above() -> Iterator[int]:
    """Yield the processes above this one, nearest first, where the system shows them."""
    pid = os.getppid()
    for _ in range(DEEPEST):
        if pid <= 1:
            return
        yield pid
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                # The name in brackets may hold anything; what follows the last one does not.
                pid = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return


def _is_marked(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            variables = file.read().split(b"\0")
    except OSError:
        return False
    return any(one.startswith(MARKS) and not one.endswith(b"=") for one in variables)
