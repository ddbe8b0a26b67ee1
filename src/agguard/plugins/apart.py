"""Runs work in a forked process, so that a plugin's import can break nothing but itself.

An import may end the process, hang or start others. Were that the process that builds the
manifest, there would be no manifest, and no guard at all would be asked.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import TYPE_CHECKING

from agguard.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

CAN_FORK = hasattr(os, "fork")


def apart(work: Callable[[], Any], seconds: float) -> Any:  # noqa: ANN401 - plain data
    """Run `work` in another process and return what it returned, which is plain JSON data.

    Args:
        work: What to do; its effects on this process are lost, and what it prints is dropped.
        seconds: How long to wait for it.

    Raises:
        PluginError: It took too long, or its process ended without a result.
    """
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            _serve(work, theirs)
        finally:
            os._exit(0)
    os.close(theirs)
    try:
        return json.loads(_whole(ours, time.monotonic() + seconds))
    except ValueError as error:
        msg = "its import ended the process"
        raise PluginError(msg) from error
    finally:
        os.close(ours)
        _end(pid)


def _serve(work: Callable[[], Any], out: int) -> None:
    """Do the work, alone, and write the result whole."""
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    # A hook's answer, which processes left behind would hold open, and whatever else there is.
    os.closerange(3, out)
    os.closerange(out + 1, out + 1024)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    with open(out, "wb") as file:
        file.write(json.dumps(work()).encode())


def _whole(descriptor: int, until: float) -> bytes:
    data = bytearray()
    while True:
        left = max(0.0, until - time.monotonic())
        if not select.select([descriptor], [], [], left)[0]:
            msg = "its import took too long"
            raise PluginError(msg)
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            return bytes(data)
        data += chunk


def _end(pid: int) -> None:
    """Kill the process and whatever of its group is left, and reap it."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, 9)
        except OSError:  # it has not come to be a group, or all of it is gone
            continue
    os.waitpid(pid, 0)
