"""Finds a project's own configuration. Light: hooks look for it, and import nothing more."""

from __future__ import annotations

import os

DOTFILE = ".agguard.toml"
PYPROJECT = "pyproject.toml"


def root_of(folder: str) -> str:
    """Return the root of the repository that a folder is in; the folder itself if in none."""
    folder = os.path.abspath(folder)
    here = folder
    while not os.path.lexists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above
    return here


def files(folder: str) -> tuple[str, ...]:
    """Return the files that may configure the project of a folder, whether or not they exist.

    Both count where both exist: each can only tighten, so neither needs to win.
    """
    return in_root(root_of(folder))


def in_root(root: str) -> tuple[str, ...]:
    """Return the same for the root of a project."""
    return os.path.join(root, DOTFILE), os.path.join(root, PYPROJECT)
