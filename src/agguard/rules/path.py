"""Paths as the host's engine writes, cleans and compares them. Nothing here touches a disk."""

from __future__ import annotations

import posixpath

from agguard.rules.text import lossless, raw

_URI_SAFE = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+,/:;=@"
)
_HEX = frozenset(b"0123456789abcdefABCDEF")
_URI = {byte: f"%{byte:02X}" for byte in range(256) if byte not in _URI_SAFE}


def uri(path: str) -> str:
    """Return the URI of an absolute path (5.2); rules are ordered by it."""
    slash = "" if path.startswith("/") else "/"
    return f"file://{slash}{raw(path).decode('latin-1').translate(_URI)}"


def clean(path: str) -> str:
    """Return an absolute path without `.`, `..`, doubled slashes and a slash at the end."""
    return posixpath.normpath("/" + path.lstrip("/") if path.startswith("//") else path)


def join(folder: str, name: str) -> str:
    """Return `name` below `folder`, cleaned."""
    return clean(f"{folder}/{name}")


def under(folder: str, name: str) -> str:
    """Return a single name below a folder that is clean already."""
    return f"/{name}" if folder == "/" else f"{folder}/{name}"


def parent(path: str) -> str:
    """Return the folder that holds `path`, which keeps its links."""
    return posixpath.dirname(path)


def leaf(path: str) -> str:
    """Return the last name of a path."""
    return posixpath.basename(path)


def within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def upward(path: str) -> list[str]:
    """Return `path` and every folder above it, nearest first."""
    folders = [path]
    while (above := parent(path)) not in ("", path):
        folders.append(above)
        path = above
    return folders


def located(path: str) -> tuple[str, str] | None:
    r"""Return where an absolute path leads and how the host writes it, or None if nowhere.

    The host takes an absolute path for one of any system (measured on 0.1.22; the contract's
    section 13 names two cases): a backslash separates, though not in relative paths, and two
    slashes in front make a network path, so that `//tmp/ws/a.md` is looked up as it stands but
    written `\\tmp\ws\a.md`. A bare `//host/share` is a folder, three slashes lead nowhere.
    """
    path = path.replace("\\", "/")
    if not path.startswith("//"):
        cleaned = clean(path)
        return cleaned, cleaned
    host, _, rest = path[2:].partition("/")
    share, _, inner = rest.partition("/")
    if not host or not share:
        return None
    native = f"//{host}/{share}{clean(f'/{inner}')}"
    return native, native.replace("/", "\\")


def crashes(path: str) -> bool:
    r"""Whether the host's engine ends with a panic over an absolute path.

    `//host/share\` is an "invalid volume name" to it, and nobody catches that (seen on 0.1.22).
    """
    host, _, rest = path.removeprefix("//").partition("/")
    return path.startswith("//") and bool(host) and rest.partition("/")[0].endswith("\\")


def from_uri(text: str) -> str | None:
    """Return the absolute path of a `file://` URI, or None when it has none (8.2)."""
    rest = text.removeprefix("file://")
    authority, slash, path = rest.partition("/")
    host = authority.rpartition("@")[2]
    decoded = unquoted(slash + path)
    if not slash or decoded is None or "#" in rest or "?" in rest:
        return None
    return f"//{host}{decoded}" if host else decoded


def unquoted(text: str) -> str | None:
    """Return `text` with its `%XX` decoded, or None when one is malformed (8.2)."""
    head, *pieces = raw(text).split(b"%")
    for piece in pieces:
        if len(piece[:2]) < 2 or any(digit not in _HEX for digit in piece[:2]):  # noqa: PLR2004
            return None
        head += bytes((int(piece[:2], 16),)) + piece[2:]
    return lossless(head)
