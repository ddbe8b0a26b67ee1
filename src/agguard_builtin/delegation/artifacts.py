"""Which files an agent may write by where they lie: its artifacts, and its workspaces."""

from __future__ import annotations

from agguard.location import below, is_inside, leads, named, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agguard.model.call import ToolCall

RESERVED = (".system_generated", "mcp")
"""Folders of the engine inside the artifact directory: records that agguard takes as evidence."""


def is_plan(target: str, workspaces: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    """Whether `target` is a workspace file that the user lets the primary write.

    Args:
        target: The path as the agent wrote it.
        workspaces: The session's folders.
        patterns: `[delegation] plan_files`: globs for the path below a workspace.
    """
    if not patterns:
        return False
    from fnmatch import fnmatchcase

    path = real(target)
    for workspace in workspaces:
        parts = below(path, real(workspace))
        if parts and not any(part.startswith(".") for part in parts):
            name = "/".join(parts)
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                return True
    return False


def is_artifact(target: str, artifact_dir: str) -> bool:
    """Whether `target` is a file that the primary may write.

    Args:
        target: The path as the agent wrote it.
        artifact_dir: `artifactDirectoryPath` as the host sent it. Empty or relative allows
            nothing: `realpath("")` would be the hook's own folder (contract, the table).
    """
    folder = real(artifact_dir)
    places = leads(target) if folder else ()
    return bool(places) and all(_is_free(below(place, folder)) for place in places)


def _is_free(parts: list[str]) -> bool:
    """Whether a place in the artifact directory, as its parts, is the agent's own to write.

    Dot folders hold what tools execute: `.git/config`, `.envrc` (contract, the table).
    """
    if not parts or parts[0].casefold() in RESERVED:
        return False
    return not any(part.startswith(".") for part in parts)


def outside(call: ToolCall, workspaces: Sequence[str]) -> str:
    """Return a path of a call that leads out of every workspace; empty when none does.

    A relative path leads nowhere that is known, so it is outside; so is every path of a session
    that has no workspace.

    Args:
        call: A call that writes.
        workspaces: `workspacePaths` as the host sent them.
    """
    folders = [folder for folder in map(real, workspaces) if folder]
    return next((text for text in named(call.args) if not _is_in(text, folders)), "")


def _is_in(text: str, folders: Sequence[str]) -> bool:
    places = leads(text)
    return bool(places) and all(
        any(is_inside(place, folder) for folder in folders) for place in places
    )
