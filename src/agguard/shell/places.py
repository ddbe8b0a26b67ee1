"""Where a command runs: which folders are the user's, and which the caller may write."""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STANDARD = frozenset(
    {
        "/bin",
        "/sbin",
        "/usr/bin",
        "/usr/sbin",
        "/usr/local/bin",
        "/usr/local/sbin",
        "/opt/homebrew/bin",
    }
)
"""Folders whose programs are what their names say."""


class Place(Value):
    """Folders that decide whether a program may trust what it finds where it runs.

    `workspaces` and `writable` are absolute folders. `home` stands for `~`; None keeps it. A
    `resolve` such as `os.path.realpath` follows links; without it paths are compared as written.
    """

    workspaces: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    home: str | None = None
    resolve: Callable[[str], str] | None = None

    if not TYPE_CHECKING:
        # See syntax.Word: made for every line.
        def __init__(
            self,
            workspaces: tuple[str, ...] = (),
            writable: tuple[str, ...] = (),
            home: str | None = None,
            resolve: Callable[[str], str] | None = None,
        ) -> None:
            put = object.__setattr__
            put(self, "workspaces", workspaces)
            put(self, "writable", writable)
            put(self, "home", home)
            put(self, "resolve", resolve)

    def absolute(self, cwd: str, path: str) -> str:
        """Join a path to a folder, with `~` expanded and dots removed."""
        if path == ".":
            return cwd
        import os.path

        if path == "~" or path.startswith("~/"):
            path = (self.home or "~") + path[1:]
        if path.startswith("~"):
            return os.path.normpath(path)
        return os.path.normpath(os.path.join(cwd, path))

    def trusted(self, path: str) -> bool:
        """Tell whether a folder is the user's: in a workspace and in none the caller may write."""
        return self.in_workspace(path) and not self.is_writable(path)

    def in_workspace(self, path: str) -> bool:
        """Tell whether a path lies in a workspace; one that no system can follow does not."""
        try:
            real = self.resolve(path) if self.resolve else path
        except (OSError, ValueError):  # a null byte, half a character
            return False
        for workspace in self.workspaces:  # noqa: SIM110 - see credentials.hinted
            if _inside(real, workspace):
                return True
        return False

    def is_writable(self, path: str) -> bool:
        """Tell whether the caller may write here; case does not count, to be sure."""
        if not self.writable:
            return False
        try:
            real = (self.resolve(path) if self.resolve else path).casefold()
        except (OSError, ValueError):
            return True
        return any(_inside(real, folder.casefold()) for folder in self.writable)


def _inside(path: str, folder: str) -> bool:
    if path == folder:
        return True
    folder = folder.rstrip("/\\") or "/"
    return path == folder or path.startswith((folder + "/", folder + "\\")) or folder == "/"
