"""The settings that exist: agguard's own and those that plugins declare."""

from __future__ import annotations

from agguard.config.keys import dotted
from agguard.config.setting import FREE, Setting
from agguard.config.settings import SETTINGS
from agguard.config.strictness import USER
from agguard.config.suggest import moved, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    from agguard.config.setting import Flat

    Declared: TypeAlias = Mapping[str, tuple[Setting, ...] | None]

PLUGINS = "plugins"


class Schema:
    """What may stand in a configuration.

    Args:
        settings: agguard's own settings.
        plugins: per plugin the settings that it declares (`agguard.config.declared`); None for
            one whose settings cannot be known because it is not imported: its table may then
            hold any plain data. Leave `plugins` out while nothing is known of plugins yet, as
            when `plugins.block` is to be read: then every plugin's table is taken as it is.
    """

    def __init__(
        self, settings: tuple[Setting, ...] = SETTINGS, plugins: Declared | None = None
    ) -> None:
        known = plugins or {}
        self._open = plugins is None
        self._unknown = {name for name, declared in known.items() if declared is None}
        self._plugins = known.keys() - self._unknown
        own = (setting for declared in known.values() for setting in declared or ())
        self._index = {setting.path: setting for setting in (*settings, *own)}
        self._sections = {path[:depth] for path in self._index for depth in range(1, len(path))}
        self._sections |= {(PLUGINS, name) for name in self._plugins}

    @staticmethod
    def tables(settings: Mapping[str, Any]) -> dict[str, None]:
        """Return the plugins that compiled settings have a table of, as of unknown settings."""
        tables = settings.get(PLUGINS, {})
        return {name: None for name, table in tables.items() if isinstance(table, dict)}

    def __iter__(self) -> Iterator[Setting]:
        return iter(self._index.values())

    def find(self, path: tuple[str, ...]) -> Setting | None:
        """Return the setting at a path, if there is one."""
        if setting := self._index.get(path):
            return setting
        if self.is_plugin(path) and (self._open or path[1] in self._unknown):
            meaning = "settings of a plugin that is not imported"
            return Setting(dotted(path), FREE, (), meaning, USER)
        return None

    def is_section(self, path: tuple[str, ...]) -> bool:
        """Return whether settings may stand below the path."""
        return path in self._sections

    def is_plugin(self, path: tuple[str, ...]) -> bool:
        """Return whether the path is that of a plugin's table, installed or not."""
        return path[:1] == (PLUGINS,) and len(path[1:]) == 1 and path not in self._index

    def defaults(self) -> Flat:
        """Return the default of every setting, by dotted key."""
        return {setting.key: setting.initial for setting in self}

    def complaint(self, path: tuple[str, ...]) -> str:
        """Return why a path is that of no setting, and what to do; for a path that is none."""
        key = dotted(path)
        inner = [setting.key for setting in self if setting.path[: len(path)] == path]
        if inner:
            return f"{key!r} is a section; name a setting of it, such as {inner[0]!r}"
        meant = self.suggestion(path)
        hint = f"did you mean {meant!r}?" if meant else "`agguard config list` shows every key"
        return f"unknown key {key!r}; {hint}"

    def suggestion(self, path: tuple[str, ...]) -> str:
        """Return the dotted key or section that was probably meant by an unknown path, or ''."""
        key = dotted(path)
        alike = [known for known in (*self._index, *self._sections) if len(known) == len(path)]
        keys = [setting.key for setting in self]
        return moved(key, keys) or nearest(key, map(dotted, alike)) or nearest(key, keys)
