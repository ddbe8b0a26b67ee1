"""What a pattern of the shell may match of ours. Names decide, for files come and go."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from agguard.location import real
from agguard_builtin.protection.what import HOST_FOLDERS, LAUNCHERS, what

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WILD = frozenset("*?[")

TELLING_NAMES = ("hooks.json", ".system_generated", "mcp", *HOST_FOLDERS)
"""Parts of a path that a pattern may stand for, and by which `what` knows a path."""

MOST = 5000
"""Paths that one pattern is tried as."""


def matched(pattern: str, protected: Iterable[str], *, sweeps: bool) -> str:
    """Say what a pattern may match: something protected, what is in it, or a folder above it.

    Args:
        pattern: An absolute path with `*`, `?` or `[` in it.
        protected: The protected paths.
        sweeps: Whether what is done to a folder is done to all that is in it.

    Returns:
        What it is, in words; empty when it matches nothing of ours.
    """
    for spelling in dict.fromkeys((pattern.casefold(), _led(pattern).casefold())):
        for one in protected:
            if _reaches(spelling, one.casefold(), sweeps=sweeps):
                return "a pattern that matches files of agguard"
    names = _names(pattern)
    if len(names) >= MOST:
        return "a pattern that may match too many files to tell"
    return next(filter(None, (what(name, ()) for name in names)), "")


def _reaches(pattern: str, protected: str, *, sweeps: bool) -> bool:
    path, first = protected, True
    while path != os.path.dirname(path):
        if (first or sweeps) and fnmatchcase(path, pattern):
            return True
        path, first = os.path.dirname(path), False
    likes, parts = pattern.split(os.sep), protected.split(os.sep)
    return len(likes) > len(parts) and all(map(fnmatchcase, parts, likes))


def _led(pattern: str) -> str:
    """Return a pattern with the folder that it begins with resolved."""
    parts = pattern.split(os.sep)
    first = next(place for place, part in enumerate(parts) if set(part) & WILD)
    return os.path.join(real(os.sep.join(parts[:first]) or os.sep), *parts[first:])


def _names(pattern: str) -> list[str]:
    """Return the paths that a pattern may mean, as far as names tell what a path is to us.

    No pattern matches a leading dot that it does not spell; nor do we guess an underscore.
    """
    made = [""]
    for part in pattern.casefold().split(os.sep)[1:]:
        meant = [
            name
            for name in TELLING_NAMES
            if (name[0] not in "._" or name[0] == part[:1]) and fnmatchcase(name, part)
        ]
        # A launcher is known by its name alone, which `*` does not say.
        meant += [name for name in LAUNCHERS if part.strip("*?") and fnmatchcase(name, part)]
        plain = "".join(one for one in part if one not in "*?")
        made = [f"{path}/{name}" for path in made for name in dict.fromkeys((plain, *meant))]
        if len(made) >= MOST:
            break
    return made
