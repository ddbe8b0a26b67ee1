"""Finds a project's own configuration."""

from __future__ import annotations

from agguard.location import DOTFILE, PYPROJECT, project_files, root_of

__all__ = ["DOTFILE", "PYPROJECT", "files", "root_of"]


def files(folder: str) -> tuple[str, ...]:
    """Return the files that may configure the project of a folder, whether or not they exist.

    Both count where both exist: each can only tighten, so neither needs to win.
    """
    return project_files(root_of(folder))
