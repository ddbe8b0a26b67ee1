"""Where a registration goes: the hooks file of this user or of one project."""

from __future__ import annotations

import os

from agguard.errors import RegistrationError
from agguard.install.entry import launcher_name
from agguard.model.value import Value
from agguard.paths import workspace_hooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.paths import Paths

SCOPES = ("user", "workspace")


class Place(Value):
    """One hooks file; `windows` says which launcher and which command it takes."""

    scope: str
    hooks: str
    plugin: str = ""
    """The plugin folder; '' for a project, whose rules are its own."""
    windows: bool = False

    @property
    def launchers(self) -> tuple[str, ...]:
        """Where a launcher has to be.

        The host runs hooks in the folder of hooks.json; when that is a link, it may mean the
        folder of the link or of its target.
        """
        name = launcher_name(windows=self.windows)
        beside = os.path.dirname(self.hooks)
        real = os.path.dirname(os.path.realpath(self.hooks))
        folders = [beside] if os.path.realpath(beside) == real else [beside, real]
        return tuple(os.path.join(folder, name) for folder in folders)


def of_user(paths: Paths, *, windows: bool = os.name == "nt") -> Place:
    """Return the place that guards every session of this user."""
    return Place("user", paths.host.hooks, paths.host.plugin, windows=windows)


def of_project(project: str, *, windows: bool = os.name == "nt") -> Place:
    """Return the place that guards the sessions in one project.

    Raises:
        ConfigError: `project` is not absolute.
        RegistrationError: `project` is no folder.
    """
    hooks = workspace_hooks(project)
    if not os.path.isdir(project):
        msg = f"{project!r} is no folder: name the project to be guarded"
        raise RegistrationError(msg)
    return Place("workspace", hooks, windows=windows)
