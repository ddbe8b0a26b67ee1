"""A port that asks each question once: for many sessions of one tree."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.rules.port import Read


class Memory:
    """Answers from what another port said before; see `agguard.rules.port.Read`."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.kinds: dict[str, str] = {}
        self.folders: dict[str, tuple[str, ...]] = {}
        self.reals: dict[str, str] = {}
        self.links: dict[str, bool] = {}

    def kind(self, path: str) -> str:
        """Return what stands at a path."""
        if path not in self.kinds:
            self.kinds[path] = self.read.kind(path)
        return self.kinds[path]

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder."""
        if path not in self.folders:
            self.folders[path] = self.read.names(path)
        return self.folders[path]

    def real(self, path: str) -> str:
        """Return a path with its links resolved."""
        if path not in self.reals:
            self.reals[path] = self.read.real(path)
        return self.reals[path]

    def linked(self, path: str) -> bool:
        """Whether a path is a link."""
        if path not in self.links:
            self.links[path] = self.read.linked(path)
        return self.links[path]

    def data(self, path: str) -> bytes:
        """Return a file's bytes, which are not kept."""
        return self.read.data(path)
