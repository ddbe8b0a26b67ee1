"""Finds plugins by their entry points, without importing them."""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
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
            found.setdefault((one.name, one.distribution, one.target), one)
    shipped = Found(DEFAULT, DEFAULT_TARGET, "agguard", version)
    return [shipped, *(found[key] for key in sorted(found))]


def _points(distribution: Distribution) -> list[EntryPoint]:
    """Return a distribution's entry points for us; of a damaged one, none.

    Any package in the environment may be damaged, and none must end guarding by that.
    """
    try:
        points = [point for point in distribution.entry_points if point.group == GROUP]
        return points if distribution.name else []
    except Exception:  # noqa: BLE001 - parsers of foreign files raise what they like
        return []
