"""What the user has seen of a third party's plugin when trusting it.

A name alone is no trust: the next release, or a changed file, would run under it. So trust is
pinned to the distribution, its version and the sum of the files that its RECORD names. Bytecode is
left out, for the interpreter writes it. An editable install changes with every keystroke of its
author, so it is trusted by its folder, and every command says so.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING, Any

from agguard import checksum
from agguard.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agguard.plugins.discovery import Found

NAME = "trust.json"
"""Beside the user's configuration, which no agent may change."""


class Pin(Value):
    """One plugin as it was when it was trusted."""

    distribution: str
    version: str
    sum: str = ""
    """Of the names and the content of its files; empty for an editable install."""
    editable: str = ""
    stamps: tuple[tuple[str, int, int], ...] = ()
    """Path, time of change in ns and size of each file: while they hold, the sum is not made."""


def pin(one: Found) -> Pin:
    """Look at a plugin as it is installed now."""
    if one.editable:
        return Pin(one.distribution, one.version, editable=one.editable)
    return Pin(one.distribution, one.version, _sum(one), stamps=_stamps(one))


def difference(one: Found, trusted: Pin) -> str:
    """Say how a plugin differs from what was trusted; empty when it does not."""
    if one.distribution != trusted.distribution:
        return f"it comes from {one.distribution!r}, and {trusted.distribution!r} was trusted"
    if one.editable != trusted.editable:
        return (
            f"it is an editable install of {one.editable!r}, which was not trusted"
            if one.editable
            else f"it no longer is the editable install of {trusted.editable!r}"
        )
    if one.version != trusted.version:
        return f"it is version {one.version}, and {trusted.version} was trusted"
    if one.editable or _stamps(one) == trusted.stamps or _sum(one) == trusted.sum:
        return ""
    before = {path: (time, size) for path, time, size in trusted.stamps}
    names = [path for path, *stamp in _stamps(one) if before.pop(path, None) != tuple(stamp)]
    return f"files changed since: {', '.join(sorted([*names, *before])[:3])}"


def load(folder: str) -> dict[str, Pin]:
    """Read the pins beside the configuration; what cannot be read trusts nothing."""
    # A pipe without a writer would block an open that waits.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
    try:
        with open(os.open(os.path.join(folder, NAME), flags), encoding="utf-8") as file:
            found = json.load(file)
        return {name: _read(fields) for name, fields in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def store(folder: str, pins: Mapping[str, Pin]) -> None:
    """Write the pins, readable by the user alone.

    Raises:
        OSError: The folder cannot be written.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=folder)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump({name: one.asdict() for name, one in sorted(pins.items())}, file, indent=1)
        file.write("\n")
    os.replace(temporary, os.path.join(folder, NAME))


def _read(fields: dict[str, Any]) -> Pin:
    found = Pin(**fields)
    return found.replace(stamps=tuple((str(p), int(t), int(s)) for p, t, s in found.stamps))


def _stamps(one: Found) -> tuple[tuple[str, int, int], ...]:
    return tuple((path, *_stamp(path)) for path in one.files)


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (0, -1)
    return (found.st_mtime_ns, found.st_size)


def _sum(one: Found) -> str:
    """Sum up every file's whole content, by its place from the installation's root."""
    root = os.path.commonpath(one.files) if one.files else ""
    lines = [f"{os.path.relpath(path, root)}\0{_content(path)}" for path in one.files]
    return checksum.of_text("\n".join(lines))


def _content(path: str) -> str:
    """Return the sum of a whole file, however large: a plugin's tail counts like its beginning."""
    found = ""
    try:
        with open(path, "rb") as file:
            while chunk := file.read(checksum.LARGEST):
                found = checksum.of_text(found + chunk.decode("latin-1"))
    except OSError:
        return "absent"
    return found
