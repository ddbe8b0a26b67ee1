"""Where a path that an agent wrote down really leads.

Protection and delegation compare real paths, or a symlink is a way around them.
"""

from __future__ import annotations

import os

PATH_KEYS = (
    "TargetFile",
    "target_file",
    "NotebookPath",
    "AbsolutePath",
    "DirectoryPath",
    "SearchPath",
    "SearchDirectory",
    "Path",
    "ScriptPath",
)
"""Arguments of the host's tools that name a file or folder (contract, section 4)."""


def spelled(text: str) -> str:
    """Return an absolute path for what an agent wrote; empty when it is relative or no path.

    `file://` URIs and `~` are resolved as the host does. A relative path means nothing here: the
    hook's working directory is not the agent's.
    """
    if text.lower().startswith("file://"):
        text = _from_uri(text)
    if text.startswith("~"):
        text = os.path.expanduser(text)
    if not os.path.isabs(text) or "\0" in text:
        return ""
    return os.path.normpath(text)


def real(text: str) -> str:
    """Return where `text` leads with every symlink followed; empty when it is no absolute path."""
    path = spelled(text)
    return os.path.realpath(path) if path else ""


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is `folder` or below it.

    Letter case is ignored: on file systems that ignore it, another spelling is the same file.
    """
    if not path or not folder:
        return False
    path, folder = path.casefold(), folder.casefold().rstrip(os.sep)
    return path == folder or path.startswith(folder + os.sep)


def below(path: str, folder: str) -> list[str]:
    """Return the parts of a real path below `folder`; empty when it is not below it."""
    if not is_inside(path, folder):
        return []
    return [part for part in path[len(folder.rstrip(os.sep)) :].split(os.sep) if part]


def _from_uri(uri: str) -> str:
    from urllib.parse import unquote

    rest = unquote(uri[len("file://") :])
    host, slash, path = rest.partition("/")
    return slash + path if host.lower() in ("", "localhost") else ""
