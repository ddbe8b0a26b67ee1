"""Which folder is meant by "this project", where a command is run somewhere in it."""

from __future__ import annotations

import os

from agguard.location import root_of


def named(project: str) -> str:
    """Return the folder to register: the one that was named, else the root of the repository.

    The host reads a project's hooks from the folder of the session up to that root (contract,
    section 1.1), so there they count for every session in it.
    """
    return os.path.abspath(project) if project else root_of(os.getcwd())


def registered(project: str) -> str:
    """Return the folder to take out of: the nearest one with a registration, else as `named`."""
    from agguard.install.surroundings import running
    from agguard.paths import workspace_hooks

    root = named(project)
    here = os.getcwd()
    while not project and here != root:
        if running(workspace_hooks(here)):
            return here
        here = os.path.dirname(here)
    return root


def shown(folder: str) -> str:
    """Say which folder it is, and what of its repository that leaves out."""
    root = root_of(folder)
    if root != folder:
        return (
            f"the project is {folder}, in the repository {root}: sessions that start elsewhere in "
            "it are not guarded by this"
        )
    if os.path.lexists(os.path.join(folder, ".git")):
        return f"the project is {folder}, the root of the repository"
    return f"the project is {folder}, which is in no repository"
