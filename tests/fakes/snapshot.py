"""What lies in a folder, to compare before and after."""

from __future__ import annotations

import os
import stat


def snapshot(*folders: str, but: tuple[str, ...] = ()) -> dict[str, bytes | str]:
    """Return every file below `folders` with its bytes, and everything else with its kind.

    Args:
        folders: Where to look; a path may also be a file.
        but: Endings of paths that are left out.
    """
    found: dict[str, bytes | str] = {}
    for folder in folders:
        for path in [folder, *_below(folder)]:
            if not path.endswith(but) or not but:
                found[path] = _content(path)
    return found


def _below(folder: str) -> list[str]:
    return [
        os.path.join(here, name)
        for here, folders, files in os.walk(folder)
        for name in (*folders, *files)
    ]


def _content(path: str) -> bytes | str:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return "nothing"
    if stat.S_ISLNK(mode):
        return f"link to {os.readlink(path)}"
    if not stat.S_ISREG(mode):
        return f"type {stat.S_IFMT(mode):o}"
    with open(path, "rb") as file:
        return file.read()
