"""Finds plugins by their entry points, without importing them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from agguard.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import Distribution, EntryPoint

GROUP = "agguard"
"""The entry-point group."""

DEFAULT = "builtin"
"""The name of the plugin that is shipped; no other may take it."""

DEFAULT_TARGET = "agguard_builtin.plugin"
"""Where it is: known by name, never imported by the core."""


class Found(Value):
    """A plugin that is installed."""

    name: str
    target: str
    """`package.module`, or `package.module:object`."""
    distribution: str = ""
    version: str = ""
    files: tuple[str, ...] = ()
    """The files that its RECORD names, absolute, without bytecode."""
    editable: str = ""
    """The source folder of an editable install; empty for any other."""


def discover(version: str, path: Iterable[str] | None = None) -> list[Found]:
    """List the shipped plugin and every plugin that is installed, in the order of their names.

    Args:
        version: agguard's own version, for the shipped plugin.
        path: The folders to look in; `sys.path` when None.

    Returns:
        The plugins. Two of one name are both listed; the registry refuses the second.
    """
    from importlib.metadata import distributions

    found: dict[tuple[str, str, str], Found] = {}
    for distribution in distributions() if path is None else distributions(path=list(path)):
        for point in _points(distribution):
            if point.name == DEFAULT and point.value == DEFAULT_TARGET:
                continue
            one = Found(point.name, point.value, distribution.name, distribution.version)
            key = (one.name, one.distribution, one.target)
            if key not in found:
                found[key] = one.replace(
                    files=tuple(sorted(set(_files(distribution, point.value)))),
                    editable=_editable(distribution),
                )
    shipped = Found(DEFAULT, DEFAULT_TARGET, "agguard", version)
    return [shipped, *(found[key] for key in sorted(found))]


def _files(distribution: Distribution, target: str) -> Iterator[str]:
    """List what was installed; without a RECORD, the module and the package's own description."""
    recorded = [str(distribution.locate_file(one)) for one in distribution.files or ()]
    listed = recorded or list(_unrecorded(distribution, target))
    for path in listed:
        if not path.endswith(".pyc"):  # written by the interpreter, whenever it likes
            yield os.path.normpath(path)


def _unrecorded(distribution: Distribution, target: str) -> Iterator[str]:
    top = str(distribution.locate_file(target.partition(":")[0].partition(".")[0]))
    if os.path.isfile(f"{top}.py"):
        yield f"{top}.py"
    for folder, _, names in os.walk(top):
        yield from (os.path.join(folder, name) for name in names)


def _editable(distribution: Distribution) -> str:
    """Return the source folder of an editable install (PEP 610)."""
    try:
        found = json.loads(distribution.read_text("direct_url.json") or "{}")
        if not found.get("dir_info", {}).get("editable"):
            return ""
        url = str(found["url"])
    except (ValueError, KeyError, AttributeError, OSError):
        return ""
    from urllib.parse import urlparse
    from urllib.request import url2pathname

    return url2pathname(urlparse(url).path)


def _points(distribution: Distribution) -> list[EntryPoint]:
    """Return a distribution's entry points for us; of a damaged one, none.

    Any package in the environment may be damaged, and none must end guarding by that.
    """
    try:
        points = [point for point in distribution.entry_points if point.group == GROUP]
        return points if distribution.name else []
    except Exception:  # noqa: BLE001 - parsers of foreign files raise what they like
        return []
