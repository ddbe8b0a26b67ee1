"""A terminal of its own, for commands that are only for people."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

import agguard

if TYPE_CHECKING:
    from collections.abc import Mapping


class Screen(NamedTuple):
    """What was printed, colors taken out, and the status."""

    text: str
    status: int

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


def in_terminal(*arguments: str, environ: Mapping[str, str]) -> Screen:
    """Run the command line in a new terminal, as an operator does."""
    source = next(iter(agguard.__path__)).rpartition("/")[0]
    command = [sys.executable, "-m", "agguard", *arguments]
    pid, terminal = pty.fork()
    if not pid:
        try:
            variables = {**environ, "PYTHONPATH": source, "COLUMNS": "80"}
            os.execve(command[0], command, variables)  # noqa: S606 - that is the point
        finally:
            os._exit(127)
    printed = bytearray()
    with contextlib.suppress(OSError):  # Linux says EIO when the other side is gone
        while chunk := os.read(terminal, 65_536):
            printed += chunk
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", printed.decode(errors="replace"))
    return Screen(text, os.waitstatus_to_exitcode(status))
