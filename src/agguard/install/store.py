"""The installer's own folder below the state folder: record, originals, backups, lock."""

from __future__ import annotations

import contextlib
import os
import time

from agguard.errors import RegistrationError
from agguard.install import files, record
from agguard.install.lock import WAIT, held
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from agguard.install.record import Install, Record

KEEP = 10
"""How many backups are kept of one file."""


class Store(Value):
    """Access to one state folder; `state` is its absolute path."""

    state: str

    @property
    def folder(self) -> str:
        """Where the installer keeps its files."""
        return os.path.join(self.state, "install")

    @property
    def backups(self) -> str:
        """Where former contents of changed files are kept."""
        return os.path.join(self.folder, "backups")

    def lock(self, wait: float = WAIT) -> AbstractContextManager[None]:
        """Hold the installer's lock; the folder is made when it is missing."""
        self.make(self.folder)
        return held(os.path.join(self.folder, "lock"), wait)

    def load(self) -> tuple[Record, str]:
        """Read the record; the second value says what is wrong with it, '' when nothing is."""
        try:
            with open(self._record, "rb") as file:
                return record.parse(file.read()), ""
        except FileNotFoundError:
            return record.Record(), ""
        except (OSError, ValueError) as error:
            return record.Record(), f"{self._record!r} cannot be used: {error}"

    def find(self, hooks: str) -> Install | None:
        """Return what the record says about a hooks file; None when it is not on record."""
        return self.load()[0].find(hooks, os.path.realpath(hooks))

    def save(self, content: Record) -> None:
        """Replace the record; one that could not be read is set aside first."""
        if self.load()[1]:
            with contextlib.suppress(OSError):
                os.replace(self._record, self._record + ".broken")
        files.write(self._record, record.dump(content))

    def original(self, digest: str) -> bytes | None:
        """Return a kept original; None when it is gone or no longer what it was."""
        try:
            with open(os.path.join(self.folder, "originals", digest), "rb") as file:
                data = file.read()
        except OSError:
            return None
        return data if files.digest(data) == digest else None

    def keep_original(self, data: bytes) -> None:
        """Keep an original, under the digest of its bytes."""
        folder = os.path.join(self.folder, "originals")
        self.make(folder)
        if self.original(files.digest(data)) is None:
            files.write(os.path.join(folder, files.digest(data)), data)

    def forget_originals(self, content: Record) -> None:
        """Remove the originals that no registration refers to."""
        wanted = {one.original.digest for one in content.installs if one.original}
        folder = os.path.join(self.folder, "originals")
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                if name not in wanted:
                    os.unlink(os.path.join(folder, name))

    def back_up(self, target: str, data: bytes) -> str:
        """Keep a file's former content and prune older ones; return where it is now."""
        self.make(self.backups)
        own = files.digest(os.fsencode(target))[:8]
        name = f"{own}-{time.time_ns():020d}-{os.path.basename(target)}"
        files.write(os.path.join(self.backups, name), data)
        kept = sorted(found for found in os.listdir(self.backups) if found.startswith(f"{own}-"))
        for old in kept[:-KEEP]:
            os.unlink(os.path.join(self.backups, old))
        return os.path.join(self.backups, name)

    def make(self, folder: str) -> None:
        """Make a folder for this user alone.

        Raises:
            RegistrationError: It cannot be made.
        """
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError as error:
            msg = f"cannot make {folder!r}: {error.strerror}; agguard must keep its state there"
            raise RegistrationError(msg) from None

    @property
    def _record(self) -> str:
        return os.path.join(self.folder, "record.json")
