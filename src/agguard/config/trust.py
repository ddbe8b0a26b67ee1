"""Which project files the user trusts, each with exactly the bytes that it had then.

Kept in the state folder, where no agent may write; the project cannot say it of itself.
"""

from __future__ import annotations

import json
import os

from agguard.config.source import read
from agguard.config.write import replace
from agguard.errors import ConfigError
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "trust.json"
FORMAT = 1


class Pin(Value):
    """One trusted file.

    Args:
        path: where it really lies.
        sha256: of its bytes.
        at: when it was trusted, in seconds since the epoch.
    """

    path: str
    sha256: str
    at: float


class Trust(Value):
    """All trusted files.

    Args:
        file: where they are kept.
        pins: one for each file.
        problem: why what is kept there cannot be used, or ''; then nothing is trusted.
    """

    file: str
    pins: tuple[Pin, ...] = ()
    problem: str = ""

    def trusts(self, path: str, data: bytes) -> bool:
        """Return whether a file is trusted with these bytes."""
        pin = self.find(path)
        return pin is not None and pin.sha256 == _digest(data)

    def find(self, path: str) -> Pin | None:
        """Return the pin of a file, whatever it holds now."""
        real = os.path.realpath(path)
        return next((pin for pin in self.pins if pin.path == real), None)

    def pinned(self, path: str, data: bytes, now: float) -> Trust:
        """Return the same with a file trusted as it is."""
        pin = Pin(os.path.realpath(path), _digest(data), now)
        return self.replace(pins=(*self.without(path).pins, pin), problem="")

    def without(self, path: str) -> Trust:
        """Return the same with a file no longer trusted."""
        real = os.path.realpath(path)
        return self.replace(pins=tuple(pin for pin in self.pins if pin.path != real))


def load(state: str) -> Trust:
    """Read what is trusted; never raises.

    Args:
        state: the state folder.
    """
    file = os.path.join(state, NAME)
    source = read(file)
    if source.problem:
        return Trust(file, problem=source.problem.text)
    if source.data is None:
        return Trust(file)
    if not _is_ours(file):
        return Trust(file, problem=f"{file}: no project is trusted: others can write to it")
    try:
        return Trust(file, _pins(json.loads(source.data)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return Trust(file, problem=f"{file}: no project is trusted: {error}")


def save(trust: Trust) -> None:
    """Write what is trusted.

    Raises:
        ConfigError: it cannot be written, or was changed meanwhile; nothing was written.
    """
    before = read(trust.file)
    if before.problem:
        raise ConfigError(before.problem.text)
    content = {"format": FORMAT, "files": [pin.asdict() for pin in trust.pins]}
    replace(trust.file, (json.dumps(content, indent=1) + "\n").encode(), before.data)


def _pins(content: Any) -> tuple[Pin, ...]:  # noqa: ANN401 - any JSON
    if content["format"] != FORMAT:
        msg = f"its format is {content['format']!r}, expected {FORMAT}"
        raise ValueError(msg)
    return tuple(
        Pin(str(one["path"]), str(one["sha256"]), float(one["at"])) for one in content["files"]
    )


def _is_ours(file: str) -> bool:
    """Whether only this user can have written it."""
    try:
        found = os.stat(file)
    except OSError:
        return False
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


def _digest(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()
