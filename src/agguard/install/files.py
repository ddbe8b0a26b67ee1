"""Files as the installer sees and replaces them: through links, all at once, mode kept.

A file is replaced by renaming a finished copy over it, made in the folder where the file really
lies: a link stays a link (peers 3.4, row 48) and a reader never meets half a file.
"""

from __future__ import annotations

import contextlib
import os
import stat

from agguard.errors import RegistrationError
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_TEMPORARY = ".agguard-tmp"


class FileState(Value):
    """What was found at a path."""

    path: str
    """As it is named, by the host or by us."""
    target: str
    """Where the file really lies, all links followed."""
    data: bytes | None = None
    """Its content; None when there is no file."""
    mode: int = 0
    """Its permission bits; 0 when there is no file."""
    writable: bool = True
    """Whether it can be replaced: neither the file nor its folder is read-only."""
    hard_links: int = 1

    @property
    def text(self) -> str:
        """The content as text; bytes that are not UTF-8 become lone surrogates."""
        return (self.data or b"").decode("utf-8", "surrogateescape")


class FileChange(Value):
    """One file to be written or removed, and what it must still hold when that happens."""

    path: str
    target: str
    before: bytes | None
    after: bytes | None
    """The new content; None removes the file."""
    mode: int
    """Permission bits; for a new file the umask takes its part."""
    backup: bool = False
    """Whether the former content is somebody else's and is to be kept."""
    link_too: bool = False
    """Whether a link that leads to a removed file goes with it."""
    why: str = ""
    """What a person should know of this change; '' where its kind says all."""

    @property
    def action(self) -> str:
        """`create`, `change` or `remove`, in one word for people."""
        if self.after is None:
            return "remove"
        return "create" if self.before is None else "change"


def look(path: str) -> FileState:
    """Read a file, or find that there is none.

    Raises:
        RegistrationError: Something is there that cannot be read, or a link leads nowhere.
    """
    target = os.path.realpath(path)
    try:
        found = os.stat(target)
        if not stat.S_ISREG(found.st_mode):
            msg = f"{path!r} is no regular file: move it away and try again"
            raise RegistrationError(msg)
        with open(target, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return _missing(path, target)
    except OSError as error:
        msg = f"cannot read {path!r}: {error.strerror}; nothing was written"
        raise RegistrationError(msg) from None
    mode = stat.S_IMODE(found.st_mode)
    # The superuser may write to read-only files; that they are read-only still means something.
    writable = bool(mode & 0o222) and os.access(target, os.W_OK)
    writable = writable and os.access(os.path.dirname(target), os.W_OK)
    return FileState(path, target, data, mode, writable, found.st_nlink)


def _missing(path: str, target: str) -> FileState:
    folder = os.path.dirname(target)
    if os.path.islink(path) and not os.path.isdir(folder):
        msg = f"{path!r} is a link to {target!r}, whose folder does not exist: mend the link"
        raise RegistrationError(msg)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        msg = f"cannot create {path!r}: {folder!r} is no folder"
        raise RegistrationError(msg)
    return FileState(path, target, writable=os.access(folder, os.W_OK))


def missing_folders(path: str) -> tuple[str, ...]:
    """Return the folders above a path that do not exist, outermost first."""
    found: list[str] = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(found)


def stage(change: FileChange) -> str:
    """Write the new content beside the file it is for; return the copy's path.

    Raises:
        OSError: The folder cannot be written to, or the disk is full; nothing is left behind.
    """
    folder, name = os.path.split(change.target)
    copy = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}{_TEMPORARY}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(copy, flags | getattr(os, "O_BINARY", 0), change.mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(change.after or b"")
            file.flush()
            os.fsync(descriptor)
        if change.before is not None:
            _take_over(change, copy)
    except BaseException:
        discard(copy)
        raise
    return copy


def _take_over(change: FileChange, copy: str) -> None:
    """Give the copy the owner and the mode of the file that it replaces."""
    with contextlib.suppress(OSError, AttributeError):
        found = os.stat(change.target)
        if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
            os.chown(copy, found.st_uid, found.st_gid)
    os.chmod(copy, change.mode)


def commit(change: FileChange, copy: str) -> None:
    """Put a staged copy in the file's place, or remove the file when there is none."""
    if change.after is None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(change.target)
        if change.link_too and os.path.islink(change.path):
            os.unlink(change.path)
    else:
        os.replace(copy, change.target)
    sync_folder(os.path.dirname(change.target))


def carry_out(change: FileChange) -> None:
    """Do one change at once; OSError when that fails, and nothing is left behind."""
    copy = stage(change) if change.after is not None else ""
    try:
        commit(change, copy)
    except BaseException:
        discard(copy)
        raise


def write(path: str, data: bytes) -> None:
    """Replace a file of our own, for this user alone; OSError when that fails."""
    carry_out(FileChange(path, path, None, data, 0o600))


def discard(copy: str) -> None:
    """Remove a staged copy that will not be used."""
    with contextlib.suppress(OSError):
        os.unlink(copy)


def sync_folder(folder: str) -> None:
    """Make a rename durable, where the platform can open folders."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def leftovers(folder: str, name: str) -> Iterator[str]:
    """Yield copies of one file that a killed installer left in its folder."""
    with contextlib.suppress(OSError):
        for found in os.listdir(folder):
            if found.startswith(f".{name}.") and found.endswith(_TEMPORARY):
                yield os.path.join(folder, found)


def digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes in hexadecimal digits."""
    import hashlib

    return hashlib.sha256(data).hexdigest()
