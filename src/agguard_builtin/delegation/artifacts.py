"""Which files an agent may write by where they lie: its artifacts, and its workspaces."""

from __future__ import annotations

from agguard.location import PATH_KEYS, below, is_inside, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agguard.model.call import ToolCall

RESERVED = (".system_generated", "mcp")
"""Folders of the engine inside the artifact directory: records that agguard takes as evidence."""


def is_artifact(target: str, artifact_dir: str) -> bool:
    """Whether `target` is a file that the primary may write.

    Args:
        target: The path as the agent wrote it.
        artifact_dir: `artifactDirectoryPath` as the host sent it. Empty or relative allows
            nothing: `realpath("")` would be the hook's own folder (contract, the table).
    """
    folder = real(artifact_dir)
    parts = below(real(target), folder) if folder else []
    if not parts:
        return False
    # Dot folders hold what tools execute: `.git/config`, `.envrc` (contract, the table).
    return parts[0].casefold() not in RESERVED and not any(p.startswith(".") for p in parts)


def outside(call: ToolCall, workspaces: Sequence[str]) -> str:
    """Return a path of a call that leads out of every workspace; empty when none does.

    A relative path leads nowhere that is known, so it is outside; so is every path of a session
    that has no workspace.

    Args:
        call: A call that writes.
        workspaces: `workspacePaths` as the host sent them.
    """
    folders = [folder for folder in map(real, workspaces) if folder]
    paths = [text for key in PATH_KEYS if (text := call.text(key))]
    return next((text for text in paths if not _is_in(text, folders)), "")


def _is_in(text: str, folders: Sequence[str]) -> bool:
    path = real(text)
    return any(is_inside(path, folder) for folder in folders)
