"""Merging of layers, pure: the user's values replace, every other layer's only tighten."""

from __future__ import annotations

from agguard.config import strictness
from agguard.config.keys import split
from agguard.config.profiles import PROFILE, named, whole
from agguard.config.schema import PLUGINS
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.config.schema import Schema
    from agguard.config.setting import Flat, Json, Setting


_UNKNOWN = "may not set it"


class Merged(Value):
    """What came of a merge.

    Args:
        values: every setting, by dotted key.
        taken: the keys whose value the layer changed.
        refused: the keys that the layer set and whose value was not, or not wholly, taken; with
            the reason.
    """

    values: Flat
    taken: frozenset[str]
    refused: tuple[tuple[str, str], ...] = ()


def based(schema: Schema, values: Flat) -> Merged:
    """Return the user's values over those of the profile that they name, over the defaults.

    `taken` is what the profile changed; what the user wrote is known from the layer.
    """
    defaults = schema.defaults()
    profile = _only_known(named(values.get(PROFILE)).flat, defaults)
    return Merged(defaults | profile | values, frozenset(profile))


def tightened(schema: Schema, base: Flat, wanted: Flat, *, trusted: bool = False) -> Merged:
    """Return `base` with every value of a layer that makes it stricter.

    Args:
        schema: the settings that exist.
        base: every setting, as the layers below have it.
        wanted: what the layer says, checked, by dotted key.
        trusted: whether the user trusted the file: then settings that have no stricter
            direction are taken too. Those that only the user's own file may set never are.

    Returns:
        Settings that are nowhere milder than `base`.
    """
    values = dict(base)
    refused: list[tuple[str, str]] = []
    for key, value in _spread(schema, base, wanted).items():
        setting = schema.find(split(key))
        if setting is None or key not in base:
            refused.append((key, _UNKNOWN))
            continue
        values[key], reason = _decide(setting, base[key], value, trusted=trusted)
        if reason and key in wanted:
            refused.append((key, reason))
    taken = frozenset(key for key in base if values[key] != base[key])
    return Merged(values, taken, tuple(refused))


def nested(values: Flat) -> dict[str, Any]:
    """Return settings by dotted key as nested tables: what is compiled and what hooks read."""
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *above, leaf = split(key)
        table = tree
        for part in above:
            table = table.setdefault(part, {})
        table[leaf] = value
    return tree


def flat(tree: object, schema: Schema) -> Flat:
    """Return the fitting settings of nested tables, by dotted key; whatever else is left out.

    Compiled settings may come from another version, or be damaged.
    """
    values: Flat = {}
    plugins = _at(tree, (PLUGINS,))
    tables = [(PLUGINS, name) for name in plugins] if isinstance(plugins, dict) else []
    for path in (*(setting.path for setting in schema), *tables):
        setting, value = schema.find(path), _at(tree, path)
        if setting and not setting.fault(value):
            values[setting.key] = setting.normal(value)
    return values


def _decide(setting: Setting, base: Json, value: Json, *, trusted: bool) -> tuple[Json, str]:
    if setting.stricter == strictness.TRUSTED and trusted:
        return value, ""
    if setting.stricter in strictness.DIRECTED:
        kept = strictness.granted(setting, base, value)
        return strictness.meet(setting, base, value), "" if kept else strictness.rule(setting)
    return base, "" if value == base else strictness.rule(setting)


def _spread(schema: Schema, base: Flat, wanted: Flat) -> Flat:
    """Return what a layer asks for, with the values of the profile that it names."""
    profile = wanted.get(PROFILE)
    setting = schema.find((PROFILE,))
    if profile is None or setting is None or PROFILE not in base:
        return wanted
    if not strictness.granted(setting, base[PROFILE], profile):
        return wanted
    return _only_known(whole(profile), base) | wanted


def _only_known(values: Flat, known: Mapping[str, Json]) -> Flat:
    return {key: value for key, value in values.items() if key in known}


def _at(tree: object, path: tuple[str, ...]) -> Any:  # noqa: ANN401 - data from a file
    """Return what stands at a path; None, which fits no setting, if nothing does."""
    found: Any = tree
    for part in path:
        if not isinstance(found, dict):
            return None
        found = found.get(part)
    return found
