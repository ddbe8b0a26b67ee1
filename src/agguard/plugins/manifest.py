"""The manifest: everything that a hook needs to know, compiled by `agguard.plugins.build`.

Light, because every hook reads it. A manifest that is stale, unreadable or foreign is rebuilt and
never trusted.
"""

from __future__ import annotations

import os
import stat
import sys

from agguard import __version__, jsontext
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

FORMAT = 2
"""Grows when the fields change; a manifest of another format is rebuilt."""

NAME = "manifest.json"


class Manifest(Value):
    """What the hook path reads."""

    key: dict[str, Any]
    """What it depends on; see `fingerprint`."""
    rows: list[dict[str, Any]]
    """Implementations in call order."""
    settings: dict[str, Any]
    """The compiled configuration."""
    good: dict[str, Any]
    """The user's settings when they were last sound, should the file break."""
    paths: dict[str, Any]
    """Folders of agguard and of the host, and what is protected."""
    problems: list[list[str]]
    """Faults found while compiling, as [plugin, kind, text]."""
    declared: Mapping[str, Any] = {}
    """What the active plugins declare of their settings, by plugin; see `agguard.config.declared`.
    A project's configuration is compiled against it."""

    @property
    def is_fresh(self) -> bool:
        """Whether everything that it depends on is as it was."""
        key = self.key
        return (
            key.get("format") == FORMAT
            and key.get("version") == __version__
            and key.get("interpreter") == interpreter()
            and all(stamp(path) == was for path, was in key.get("path", ()))
            and all(stamp(path) == was for path, was in key.get("files", ()))
        )


def interpreter() -> list[object]:
    """Identify the interpreter that runs this."""
    return [sys.executable, list(sys.version_info[:3]), sys.implementation.cache_tag]


def stamp(path: str) -> list[int] | None:
    """Identify the state of a file or folder: time in ns, inode, size; None when it is absent."""
    for look in (os.stat, os.lstat):  # a link that leads nowhere is not absent
        try:
            found = look(path)
        except OSError:
            continue
        return [found.st_mtime_ns, found.st_ino, found.st_size]
    return None


def fingerprint(path: Iterable[str], files: Iterable[str]) -> dict[str, Any]:
    """Make the key: what a manifest depends on.

    Args:
        path: The folders of `sys.path` in which plugins are looked for.
        files: Configuration files, whether they exist or not.
    """
    return {
        "format": FORMAT,
        "version": __version__,
        "interpreter": interpreter(),
        "path": [[entry, stamp(entry)] for entry in path],
        "files": [[entry, stamp(entry)] for entry in files],
    }


def load(state: str) -> Manifest | None:
    """Read the manifest in the folder `state`; None when there is none that can be used."""
    try:
        found = Manifest(**content(os.path.join(state, NAME)))
        return found if _is_whole(found) else None
    except (TypeError, ValueError, AttributeError):
        return None


def content(path: str) -> Any:  # noqa: ANN401 - any JSON
    """Read a JSON file that only this user can have written; None when it cannot be used."""
    # A FIFO without a writer would block an open that waits.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:
            return jsontext.loads(file.read().decode()) if _is_ours(file.fileno()) else None
    except (OSError, ValueError, RecursionError):
        return None


def _is_ours(descriptor: int) -> bool:
    """Whether it is a file that only this user can have written."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        return False
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


def _is_whole(found: Manifest) -> bool:
    """Whether every part has the form that the hook path relies on."""
    parts = (found.key, found.settings, found.good, found.paths, found.declared)
    sections = (one for one in found.settings.values() if not isinstance(one, str))
    return (
        all(isinstance(part, dict) for part in (*parts, *sections, *found.rows))
        and all({"plugin", "hook", "target", "arguments"} <= row.keys() for row in found.rows)
        and all(len(path) == 2 for path in found.key.get("path", ()))  # noqa: PLR2004 - pairs
        and all(len(problem) == 3 for problem in found.problems)  # noqa: PLR2004 - triples
    )
