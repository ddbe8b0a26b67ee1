"""Changes single settings in the user's file: what `agguard config set` and `unset` do."""

from __future__ import annotations

import os

from agguard.config.document import parse
from agguard.config.edit import with_value, without_value
from agguard.config.keys import dotted, split
from agguard.config.literal import value_of
from agguard.config.setting import FREE, is_plain
from agguard.config.source import read
from agguard.config.write import replace
from agguard.errors import ConfigError
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.config.schema import Schema
    from agguard.config.setting import Json


class Change(Value):
    """What a command did to a file; the same text twice if there was nothing to do."""

    file: str
    key: str
    before: str
    after: str


def set_value(file: str, key: str, raw: str, schema: Schema) -> Change:
    """Set a key in a file; comments, order and every other byte stay.

    Args:
        file: path of the file, which need not exist.
        key: a dotted key.
        raw: the value in TOML; a bare word is a string.
        schema: the settings that exist.

    Raises:
        ConfigError: there is no such key, the value does not fit, or the file cannot be read,
            understood or written; then it is as it was.
    """
    path = split(key)
    value = checked(path, raw, schema)
    return _edit(file, path, lambda text: with_value(text, path, value))


def unset_value(file: str, key: str) -> Change:
    """Take a key, known or not, out of a file.

    Raises:
        ConfigError: the file cannot be read, understood or written; then it is as it was.
    """
    path = split(key)
    return _edit(file, path, lambda text: without_value(text, path))


def checked(path: tuple[str, ...], raw: str, schema: Schema) -> Json:
    """Return the value that `raw` means for a key.

    Raises:
        ConfigError: there is no such key, or the value does not fit.
    """
    setting = schema.find(path)
    value = value_of(raw)
    if setting is None:
        return _checked_free(path, value, schema)
    if fault := setting.fault(value):
        raise ConfigError(fault.message)
    normal: Json = setting.normal(value)
    return normal


def _checked_free(path: tuple[str, ...], value: Json, schema: Schema) -> Json:
    """Check a value below the table of a plugin whose settings are not known."""
    table = schema.find(path[:2])
    if table is not None and table.kind == FREE and is_plain(value):
        return value
    raise ConfigError(schema.complaint(path))


def _edit(file: str, path: tuple[str, ...], change: Callable[[str], str]) -> Change:
    source = read(file)
    data = source.data or b""
    problems = [source.problem] if source.problem else list(parse(data, file).problems)
    if problems:
        msg = f"{problems[0].text}; nothing was changed"
        raise ConfigError(msg)
    before = data.decode()
    after = change(before)
    if after != before:
        replace(os.path.abspath(file), after.encode(), source.data)
    return Change(file, dotted(path), before, after)
