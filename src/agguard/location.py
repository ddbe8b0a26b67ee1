"""Where a path that an agent wrote down really leads.

Protection and delegation compare real paths, or a symlink is a way around them.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

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

NAME_KEYS = (
    "ImageName",
    "RecordingName",
    "OutputPath",
    "OutputFile",
    "OutputDirectory",
    "SavePath",
    "SaveTo",
    "Destination",
)
"""Arguments that name what a tool makes: in the artifact directory, unless they hold a path.

The first two are the contract's (section 4); the others are what such tools call it elsewhere.
"""

DOTFILE = ".agguard.toml"
PYPROJECT = "pyproject.toml"
"""The files at a project's root that may configure agguard."""


def named(args: Mapping[str, Any]) -> list[str]:
    """Return what a call's arguments say where they name files.

    In whatever letter case they come: the engine takes `targetfile` for `TargetFile`, and the later
    of both counts (measured).
    """
    wanted = {key.casefold() for key in PATH_KEYS}
    found = [
        text
        for key, text in args.items()
        if key.casefold() in wanted and isinstance(text, str) and text
    ]
    return found + made(args)


def made(args: Mapping[str, Any]) -> list[str]:
    """Return the paths that a call gives where a name for what it makes is expected."""
    wanted = {key.casefold() for key in NAME_KEYS}
    return [
        text
        for key, text in args.items()
        if key.casefold() in wanted
        and isinstance(text, str)
        and (text[:1] in ("~", ".") or not {"/", "\\"}.isdisjoint(text))
    ]


def readings(text: str) -> tuple[str, ...]:
    """Return every absolute path that a host may make of what an agent wrote, dots included.

    There is none for a relative path: the hook's working directory is not the agent's. Measured on
    the engine: a backslash is a slash on every system; the authority of a `file://` URI is the
    first folder of its path; `X:/` is a folder below the engine's own working directory, which
    nobody here knows.
    """
    found = text.replace("\\", "/")
    if found.lower().startswith("file://"):
        return tuple(path for one in _of_uri(found) if (path := _absolute(one)))
    path = _absolute(found)
    return (path,) if path else ()


def spelled(text: str) -> str:
    """Return the path that an agent most likely meant, without dots; empty when it is none."""
    found = readings(text)
    return os.path.normpath(found[0]) if found else ""


def real(text: str) -> str:
    """Return where `text` leads with every symlink followed; empty when it is no absolute path."""
    path = spelled(text)
    return _followed(path) if path else ""


def leads(text: str) -> tuple[str, ...]:
    """Return every real path that `text` may lead to, in each reading of it.

    One of them is '' where a link on the way cannot be read. Of dots behind a symlink there are
    two readings: the engine takes them away first, the system follows the link first.
    """
    found = (_followed(way(one)) for one in readings(text) for way in (os.path.normpath, str))
    return tuple(dict.fromkeys(found))


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is `folder` or below it.

    Letter case is ignored: on file systems that ignore it, another spelling is the same file.
    """
    if not path or not folder:
        return False
    path, folder = path.casefold(), folder.casefold().rstrip(os.sep)
    return path == folder or path.startswith(folder + os.sep)


def below(path: str, folder: str) -> list[str]:
    """Return the parts of a real path below `folder`; empty unless it is surely below it.

    What this lets an agent do must not rest on a guess, so letter case counts where it may.
    """
    start = os.path.normcase(folder).rstrip(os.sep) + os.sep
    if not folder or not os.path.normcase(path).startswith(start):
        return []
    return [part for part in path[len(start) :].split(os.sep) if part]


def root_of(folder: str) -> str:
    """Return the root of the repository that a folder is in; the folder itself if in none."""
    folder = os.path.abspath(folder)
    here = folder
    while not os.path.lexists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above
    return here


def project_files(root: str) -> tuple[str, ...]:
    """Return the files that may configure the project at `root`, whether or not they exist."""
    return os.path.join(root, DOTFILE), os.path.join(root, PYPROJECT)


def _followed(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a link that may not be read, such as /proc/1/root
        return ""


def _absolute(text: str) -> str:
    if "\0" in text:
        return ""
    if text.startswith("~"):
        text = os.path.expanduser(text)
    if os.name == "posix":
        bare = text.lstrip("/")
        if bare[1:2] == ":" and bare[2:3] in ("", "/"):
            return ""
        text = "/" + text.lstrip("/") if text.startswith("/") else text
    return text if os.path.isabs(text) else ""


def _of_uri(uri: str) -> list[str]:
    """Return the paths that a URI may mean, the plain one first."""
    from urllib.parse import unquote

    found = []
    whole = uri[len("file://") :]
    for rest in (whole, whole.partition("?")[0].partition("#")[0]):
        authority, slash, path = rest.partition("/")
        path = unquote(slash + path).replace("\\", "/")
        if authority.lower() in ("", "localhost"):
            found.append(path)
        if authority:
            found.append("/" + unquote(authority.rpartition("@")[2]) + path)
    return list(dict.fromkeys(found))
