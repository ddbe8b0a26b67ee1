"""Replaces a file whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import stat

from agguard.config.source import read
from agguard.errors import ConfigError


def replace(path: str, data: bytes, before: bytes | None) -> None:
    """Write a file through links, atomically, with its old mode.

    A new file gets mode 0600 and a new folder 0700.

    Args:
        path: the file, or a link to it; the link stays a link.
        data: what it shall hold.
        before: what it was when it was read, None if it was not there. If somebody changed it
            since, nothing is written.

    Raises:
        ConfigError: it cannot be written, or it was changed meanwhile; it is as it was.
    """
    try:
        _replace(os.path.realpath(path), data, before)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        msg = f"{path!r} cannot be written: {reason}; nothing was changed"
        raise ConfigError(msg) from error


def _replace(path: str, data: bytes, before: bytes | None) -> None:
    import tempfile

    folder = os.path.dirname(path)
    os.makedirs(folder, 0o700, exist_ok=True)
    # A rename would overrule a file that somebody made read-only.
    if before is not None and not os.access(path, os.W_OK):
        msg = f"{path!r} is read-only; nothing was changed"
        raise ConfigError(msg)
    handle, temporary = tempfile.mkstemp(prefix=".agguard-", dir=folder)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            _keep_owner_and_mode(path, temporary)
        _refuse_if_changed(path, before)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _refuse_if_changed(path: str, before: bytes | None) -> None:
    if read(path).data != before:
        msg = f"{path!r} was changed by somebody else meanwhile; run the command again"
        raise ConfigError(msg)


def _keep_owner_and_mode(path: str, temporary: str) -> None:
    status = os.stat(path)
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(temporary, status.st_uid, status.st_gid)
    os.chmod(temporary, stat.S_IMODE(status.st_mode))
