"""The root and the chain of folders of a session (1)."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules import port
from agguard.rules.path import under, upward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.rules.port import Read


class Session(Value):
    """A workspace that a session is opened with."""

    folder: str
    """The session's folder, its links resolved."""
    root: str
    marker: str
    """What makes the root one; empty when nothing does."""

    @property
    def chain(self) -> tuple[str, ...]:
        """The folders from the session's up to the root, both included."""
        folders = upward(self.folder)
        return tuple(folders[: folders.index(self.root) + 1])


def session(workspace: str, read: Read) -> Session:
    """Find the root of a workspace."""
    folder = read.real(workspace)
    folders = upward(folder)
    for above in folders:
        marker = under(above, ".repo")
        if read.kind(marker) in (port.FILE, port.FOLDER):
            return Session(folder, above, marker)
    for above in folders:
        marker = under(above, ".git")
        if _is_git(marker, read):
            return Session(folder, above, marker)
    return Session(folder, folder, "")


def _is_git(path: str, read: Read) -> bool:
    kind = read.kind(path)
    if kind == port.FOLDER:
        return read.kind(f"{path}/HEAD") in (port.FILE, port.FOLDER)
    return kind == port.FILE
