"""One layer of settings: what a file or the environment says, checked against the schema."""

from __future__ import annotations

from agguard.config.document import parse
from agguard.config.keys import dotted
from agguard.config.setting import shown
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.config.document import Document
    from agguard.config.problem import Problem
    from agguard.config.schema import Schema
    from agguard.config.setting import Flat, Setting
    from agguard.config.source import Source

MOST_PROBLEMS = 50


class Layer(Value):
    """What one source says.

    Args:
        file: path of the file, or '' for the environment.
        values: the settings that fit, by dotted key.
        places: for each of them line and column of its key; empty for the environment.
        problems: everything that is wrong, at most `MOST_PROBLEMS`.
    """

    file: str
    values: Flat
    places: dict[str, tuple[int, int]]
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing grave is wrong."""
        return not any(problem.grave for problem in self.problems)


def layer_of(source: Source, schema: Schema, table: tuple[str, ...] = ()) -> Layer:
    """Check a file's settings; never raises.

    Args:
        source: the file as it was read; a missing one says nothing.
        schema: the settings that exist.
        table: path of the table that holds the settings, `("tool", "agguard")` in pyproject.toml.
    """
    if source.problem:
        return Layer(source.path, {}, {}, (source.problem,))
    return layer_of_document(parse(source.data or b"", source.path), schema, table)


def layer_of_document(document: Document, schema: Schema, table: tuple[str, ...] = ()) -> Layer:
    """Check the settings of a parsed file; see `layer_of`."""
    check = _Check(document, schema, table)
    found: Any = document.table
    for part in table:
        if not isinstance(found, dict) or part not in found:
            return Layer(document.file, {}, {}, document.problems)
        found = found[part]
    check.section((), found)
    return Layer(document.file, check.values, check.places, tuple(check.problems))


class _Check:
    def __init__(self, document: Document, schema: Schema, table: tuple[str, ...]) -> None:
        self.document = document
        self.schema = schema
        self.table = table
        self.values: Flat = {}
        self.places: dict[str, tuple[int, int]] = {}
        self.problems = list(document.problems)
        self.offsets = document.outline.offsets()
        self.value_offsets = document.outline.value_offsets()

    def section(self, path: tuple[str, ...], found: Any) -> None:  # noqa: ANN401 - TOML data
        """Check a table of settings."""
        if not isinstance(found, dict):
            message = f"{dotted((*self.table, *path))!r} is {shown(found)}, expected a table"
            self._report(self._value_offset(path), message, path)
            return
        for name, value in found.items():
            self._key((*path, name), value)

    def _key(self, path: tuple[str, ...], value: Any) -> None:  # noqa: ANN401 - TOML data
        setting = self.schema.find(path)
        if self.schema.is_plugin(path) and not isinstance(value, dict):
            self._unknown(path)
        elif setting:
            self._setting(path, setting, value)
        elif self.schema.is_section(path):
            self.section(path, value)
        else:
            self._unknown(path, plugin=self.schema.is_plugin(path))

    def _setting(self, path: tuple[str, ...], setting: Setting, value: Any) -> None:  # noqa: ANN401
        if fault := setting.fault(value):
            offset = self._value_offset((*path, *fault.below))
            self._report(offset, fault.message, path, fault.suggestion)
            return
        self.values[setting.key] = setting.normal(value)
        self.places[setting.key] = self.document.outline.place(self._offset(path))

    def _unknown(self, path: tuple[str, ...], *, plugin: bool = False) -> None:
        if self._is_full:
            return
        key = dotted(path)
        meant = self.schema.suggestion(path)
        hint = f"; did you mean {meant!r}?" if meant else "; `agguard config list` shows every key"
        if plugin:
            message = f"no plugin named {path[-1]!r} is installed; its settings are not used{hint}"
            self._report(self._offset(path), message, path, meant, grave=False)
        else:
            self._report(self._offset(path), f"unknown key {key!r}{hint}", path, meant)

    def _report(
        self,
        offset: int,
        message: str,
        path: tuple[str, ...],
        meant: str = "",
        *,
        grave: bool = True,
    ) -> None:
        if not self._is_full:
            problem = self.document.problem(offset, message, dotted(path), meant)
            self.problems.append(problem.replace(grave=grave))

    @property
    def _is_full(self) -> bool:
        # A place and a suggestion cost a search each, and nobody reads more.
        return len(self.problems) >= MOST_PROBLEMS

    def _offset(self, path: tuple[str, ...]) -> int:
        return self.offsets.get((*self.table, *path), 0)

    def _value_offset(self, path: tuple[str | int, ...]) -> int:
        """Return where a value begins; where its key stands if it has no value of its own."""
        whole = (*self.table, *path)
        return self.value_offsets.get(whole, self.offsets.get(whole, 0))
