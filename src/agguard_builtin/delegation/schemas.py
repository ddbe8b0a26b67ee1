"""Which MCP tools the host knows: from the schemas that it keeps on disk.

The engine writes one file for each tool, `mcp/<server>/<tool>.json`, below the conversation's
folder and below the product's (contract, the table and section 7). A tool without a schema is
unknown, whatever its name says. Usually one look at the file system answers; a folder is read only
where a server's file names differ from its tools' names, and what it held is remembered.
"""

from __future__ import annotations

import os
import time

from agguard import jsontext
from agguard_builtin.memory import recall, remember

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.session import Session

MEMORY = "mcp.json"
KEEP = 300.0
"""Seconds that a folder's listing is believed, if the folder has not changed (the first seed)."""

MOST = 2_000
"""Files of one folder that are read."""


def is_known(server: str, tool: str, session: Session) -> bool:
    """Whether the host keeps a schema for this tool of this server."""
    if not server or not tool or _is_path(server):
        return False
    folders = [os.path.join(root, server) for root in _roots(session)]
    if not _is_path(tool):
        names = [os.path.join(folder, f"{tool}.json") for folder in folders]
        if any(os.path.isfile(name) for name in names):
            return True
    return any(tool in _named(folder, session.cache_dir) for folder in folders)


def servers(session: Session) -> list[str]:
    """Name the servers that the host keeps schemas for."""
    found: dict[str, None] = {}
    for root in _roots(session):
        try:
            found.update(dict.fromkeys(sorted(os.listdir(root))))
        except OSError:
            continue
    return list(found)


def _roots(session: Session) -> list[str]:
    """Return the schema folders: the conversation's own, and the product's."""
    brain = session.artifact_dir
    if not os.path.isabs(brain):
        return []
    product = os.path.dirname(os.path.dirname(brain.rstrip(os.sep)))
    return [os.path.join(brain, "mcp"), os.path.join(product, "mcp")]


def _is_path(name: str) -> bool:
    return bool(set(name) & set("/\\\0")) or name in (".", "..")


def _named(folder: str, cache_dir: str) -> tuple[str, ...]:
    """Return the tools that the schemas of a folder name inside."""
    try:
        stamp = os.stat(folder).st_mtime_ns
    except (OSError, ValueError):
        return ()
    memory = os.path.join(cache_dir, MEMORY) if cache_dir else ""
    known = recall(memory)
    entry = known.get(folder)
    fresh = isinstance(entry, list) and entry[0] == stamp and time.time() - entry[1] < KEEP
    if isinstance(entry, list) and fresh:
        return tuple(entry[2])
    names = list(_read(folder))
    remember(memory, {**known, folder: [stamp, time.time(), names]})
    return tuple(names)


def _read(folder: str) -> list[str]:
    found = []
    for name in sorted(os.listdir(folder))[:MOST]:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                schema = jsontext.loads(file.read(1 << 20).decode())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(schema, dict) and isinstance(schema.get("name"), str):
            found.append(schema["name"])
    return found
