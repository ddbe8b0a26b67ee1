"""`@path`: mentions that become absolute paths, in rules of the workspace only (8)."""

from __future__ import annotations

import re

from agguard.rules import port
from agguard.rules.path import from_uri, join, located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.port import Read

PATTERN = re.compile(r"@([^ \t\n\f\r]+)")


def mentioned(body: str, folder: str, root: str, read: Read) -> str:
    """Return the body with each mention of something that exists made absolute.

    Args:
        body: the body after the cap; the result may exceed it.
        folder: the folder of the rule's path.
        root: the repository root, where `/path` is looked for second.
        read: the port.
    """
    if "@" not in body:
        return body
    known: dict[str, str] = {}

    def absolute(match: re.Match[str]) -> str:
        name = match[1]
        if name not in known:
            known[name] = resolved(name, folder, root, read)
        return f"@{known[name] or name}"

    return PATTERN.sub(absolute, body)


def resolved(name: str, folder: str, root: str, read: Read) -> str:
    """Return the absolute path that a mention means as the host writes it, or an empty text."""
    for place, written in _places(name, folder, root):
        if read.kind(place) in (port.FILE, port.FOLDER, port.SPECIAL):
            return written
    return ""


def _places(name: str, folder: str, root: str) -> Iterator[tuple[str, str]]:
    """Yield where a mention may lead, and how it is then written.

    The contract (8.2) does not know of `google3`, the folder that the host's makers keep their
    sources in, nor that a URI that leads nowhere is looked up as a relative path (measured).
    """
    if name.startswith("/"):
        yield from _absolute(name)
        for base in (root, f"{root}/google3"):
            joined = join(base, name)
            yield joined, joined
        return
    if name.startswith("file://"):
        yield from _absolute(from_uri(name))
    joined = join(folder, name)
    yield joined, joined


def _absolute(path: str | None) -> Iterator[tuple[str, str]]:
    found = located(path) if path is not None else None
    if found:
        yield found
