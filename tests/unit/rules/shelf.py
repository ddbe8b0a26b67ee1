"""A file system in memory: the rules engine's port without a disk."""

from __future__ import annotations

import posixpath

from agguard.rules import port

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Shelf:
    """Files by path, text or bytes; a target that begins with `->` makes a link.

    `special` and `closed` name paths of FIFOs and of files that may not be read. Every path that
    is read is in `opened`, every one that is asked about in `asked`.
    """

    def __init__(
        self,
        files: Mapping[str, str | bytes],
        *,
        special: tuple[str, ...] = (),
        closed: tuple[str, ...] = (),
    ) -> None:
        self.files: dict[str, bytes] = {}
        self.links: dict[str, str] = {}
        for path, content in files.items():
            if isinstance(content, str) and content.startswith("->"):
                self.links[path] = posixpath.join(posixpath.dirname(path), content[2:].strip())
            else:
                self.files[path] = content.encode() if isinstance(content, str) else content
        self.special = special
        self.closed = closed
        self.opened: list[str] = []
        self.asked: list[str] = []

    def kind(self, path: str) -> str:
        self.asked.append(path)
        found = self._resolved(path)
        if found is None:
            return port.DANGLING
        if found in self.closed:
            return port.CLOSED
        if found in self.special:
            return port.SPECIAL
        if found in self.files:
            return port.FILE if not path.endswith("/") else port.MISSING
        if self._holds(found):
            return port.FOLDER
        return port.DANGLING if self.linked(path) else port.MISSING

    def names(self, path: str) -> tuple[str, ...]:
        self.asked.append(path)
        found = self._resolved(path)
        if found is None:
            return ()
        start = found.rstrip("/") + "/"
        below = (*self.files, *self.links, *self.special, *self.closed)
        return tuple(
            sorted({each[len(start) :].split("/")[0] for each in below if each.startswith(start)})
        )

    def real(self, path: str) -> str:
        return self._resolved(path) or path

    def linked(self, path: str) -> bool:
        folder = self._resolved(posixpath.dirname(path))
        return folder is not None and posixpath.join(folder, posixpath.basename(path)) in self.links

    def data(self, path: str) -> bytes:
        self.opened.append(path)
        found = self._resolved(path)
        if found in self.closed:
            raise PermissionError(13, "Permission denied", path)
        if found is None or found not in self.files:
            raise OSError(22, "not a regular file", path)
        return self.files[found]

    def _holds(self, folder: str) -> bool:
        start = folder.rstrip("/") + "/"
        below = (*self.files, *self.links, *self.special, *self.closed)
        return any(path.startswith(start) for path in below)

    def _resolved(self, path: str) -> str | None:
        """Return the path without links, or None where they go in a circle."""
        for _ in range(40):
            path = posixpath.normpath(path)
            for folder in _prefixes(path):
                if folder in self.links:
                    path = self.links[folder] + path[len(folder) :]
                    break
            else:
                return "/" + path.lstrip("/")
        return None


def _prefixes(path: str) -> list[str]:
    parts = path.strip("/").split("/")
    return ["/" + "/".join(parts[: count + 1]) for count in range(len(parts))]
