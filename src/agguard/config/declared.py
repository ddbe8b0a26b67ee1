"""Settings that a plugin declares, as data, so that a plugin imports nothing for them.

{"mode": {"type": "choice", "choices": ["warn", "block"], "default": "block",
          "meaning": "what happens to an unplanned apply", "stricter": "order"}}

`stricter` says in which direction a project's file and a variable may move the setting:

    order            towards the last choice         less, more      a smaller, a larger number
    true, false      to that value                   grow, shrink    more, fewer items of a list
    trusted          anywhere, from a file that the user has pinned with `agguard trust`; the
                     default
    user             never
"""

from __future__ import annotations

from agguard.config.keys import dotted
from agguard.config.schema import PLUGINS
from agguard.config.setting import CHOICE, FLOAT, INT, KINDS, LIST, TABLE, Setting
from agguard.config.settings import SETTINGS
from agguard.config.strictness import (
    DIRECTIONS,
    FALSE,
    GROW,
    LESS,
    MORE,
    ORDER,
    SHRINK,
    TRUE,
    TRUSTED,
)
from agguard.errors import ConfigError, PluginError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agguard.config.setting import Default

_FIELDS = frozenset(
    {"type", "default", "meaning", "stricter", "choices", "minimum", "maximum", "unit"}
)
_NEEDS = ("type", "default", "meaning")
_RESERVED = frozenset(
    setting.path[1] for setting in SETTINGS if setting.path[0] == PLUGINS and setting.path[1:]
)
_FOR = {
    ORDER: (CHOICE,),
    TRUE: ("bool",),
    FALSE: ("bool",),
    LESS: (INT, FLOAT),
    MORE: (INT, FLOAT),
    GROW: (LIST,),
    SHRINK: (LIST,),
}
_BOUND = 10**9


def declared(plugin: str, raw: Mapping[str, Mapping[str, object]]) -> tuple[Setting, ...]:
    """Return the settings that a plugin declares, with their full keys.

    Args:
        plugin: the plugin's name, as its entry point says.
        raw: per key the fields `type`, `default`, `meaning` and, where they apply, `choices`
            (loosest first where `stricter` is `order`), `minimum`, `maximum`, `unit` and
            `stricter` (one of `agguard.config.strictness.DIRECTIONS`, default `trusted`).

    Raises:
        PluginError: a declaration is not of that form, or its default does not fit it.
    """
    if plugin in _RESERVED:
        msg = f"a plugin cannot be named {plugin!r}: [plugins] has a setting of that name"
        raise PluginError(msg)
    return tuple(_setting(plugin, key, fields) for key, fields in raw.items())


def written(settings: Iterable[Setting]) -> dict[str, dict[str, object]]:
    """Return the declaration of a plugin's settings as plain JSON data, for `declared`."""
    return {
        ".".join(one.path[2:]): {
            "type": one.kind,
            "default": one.initial,
            "meaning": one.meaning,
            "stricter": one.stricter,
            "choices": list(one.choices),
            "minimum": one.minimum,
            "maximum": one.maximum,
            "unit": one.unit,
        }
        for one in settings
    }


def _setting(plugin: str, key: str, fields: Mapping[str, object]) -> Setting:
    try:
        setting = _built(dotted((PLUGINS, plugin, *key.split("."))), fields)
        setting.path  # noqa: B018 - a key that cannot be written in TOML raises here
    except (ConfigError, TypeError, ValueError, AttributeError) as error:
        msg = f"plugin {plugin!r}: setting {key!r} is not declared correctly: {error}"
        raise PluginError(msg) from error
    return setting


def _built(key: str, fields: Mapping[str, object]) -> Setting:
    _refuse_unknown(fields)
    kind, default = fields["type"], fields["default"]
    if kind not in KINDS:
        msg = f"type is {kind!r}, expected one of {', '.join(KINDS)}"
        raise TypeError(msg)
    setting = Setting(
        key,
        str(kind),
        _frozen(str(kind), default),
        str(fields["meaning"]),
        str(fields.get("stricter", TRUSTED)),
        choices=tuple(fields.get("choices", ())),  # type: ignore[arg-type] # checked below
        minimum=fields.get("minimum", -_BOUND),  # type: ignore[arg-type] # checked by use
        maximum=fields.get("maximum", _BOUND),  # type: ignore[arg-type] # checked by use
        unit=str(fields.get("unit", "")),
    )
    _refuse_unfit(setting)
    return setting


def _refuse_unknown(fields: Mapping[str, object]) -> None:
    wrong = sorted(fields.keys() - _FIELDS) + [name for name in _NEEDS if name not in fields]
    if wrong:
        msg = (
            f"field {wrong[0]!r} is unknown or missing; a setting has {', '.join(sorted(_FIELDS))}"
        )
        raise ValueError(msg)


def _refuse_unfit(setting: Setting) -> None:
    if setting.stricter not in DIRECTIONS:
        msg = f"stricter is {setting.stricter!r}, expected one of {', '.join(DIRECTIONS)}"
        raise ValueError(msg)
    if setting.kind not in _FOR.get(setting.stricter, KINDS):
        msg = f"stricter is {setting.stricter!r}, which a setting of type {setting.kind} cannot be"
        raise ValueError(msg)
    if not all(isinstance(choice, str) for choice in setting.choices):
        msg = f"choices are {setting.choices!r}, expected strings"
        raise TypeError(msg)
    if not all(isinstance(one, int | float) for one in (setting.minimum, setting.maximum)):
        msg = f"its limits are {setting.minimum!r} and {setting.maximum!r}, expected numbers"
        raise TypeError(msg)
    if fault := setting.fault(setting.initial):
        msg = f"the default does not fit: {fault.message}"
        raise ValueError(msg)


def _frozen(kind: str, default: object) -> Default:
    if kind == LIST and isinstance(default, list | tuple):
        return tuple(default)
    if kind == TABLE and isinstance(default, dict):
        return tuple(default.items())
    return default  # type: ignore[return-value] # `_refuse_unfit` checks it
