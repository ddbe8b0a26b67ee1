"""One installer at a time: a lock that the system releases when its holder ends, however."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from agguard.errors import RegistrationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT = 20.0
"""Seconds to wait for another installer."""
_PAUSE = 0.05


@contextlib.contextmanager
def held(path: str, wait: float = WAIT) -> Iterator[None]:
    """Hold the lock that a file stands for; the file stays behind, empty.

    Args:
        path: The file, in a folder that exists.
        wait: Seconds to wait for another holder; 0 tries once.

    Raises:
        RegistrationError: Another process holds it, or the file cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        msg = f"cannot open {path!r}: {error.strerror}; agguard's state folder must be writable"
        raise RegistrationError(msg) from None
    try:
        until = time.monotonic() + wait
        while not _taken(descriptor):
            if time.monotonic() >= until:
                msg = f"another agguard holds {path!r}: try again when it has finished"
                raise RegistrationError(msg)
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    """Try to take the lock; closing the descriptor gives it back."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
