"""`@path`: mentions that become absolute paths, in rules of the workspace only (8)."""

from __future__ import annotations

import re

from agguard.rules import port
from agguard.rules.path import join, located, unquoted

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    for path in _places(name, folder, root):
        found = located(path)
        if found and read.kind(found[0]) in (port.FILE, port.FOLDER, port.SPECIAL):
            return found[1]
    return ""


def _places(name: str, folder: str, root: str) -> tuple[str, ...]:
    if name.startswith("file:///"):
        path = unquoted(name.removeprefix("file://"))
        return (path,) if path else ()
    if name.startswith("/"):
        return name, join(root, name)
    return (join(folder, name),)
