"""Loads the configuration: the user's file, then what may only tighten it.

A broken file never means "no guards". The user's file counts as a whole or not at all: if
anything grave is wrong with it, the last good settings stay in force, or the defaults, and what
can be read of the file still makes them stricter.
"""

from __future__ import annotations

import os

from agguard.config import merge, source
from agguard.config.environment import in_agent_shell, layer_of_environment, variable
from agguard.config.layer import layer_of
from agguard.config.problem import Problem
from agguard.config.profiles import PROFILE
from agguard.config.project import PYPROJECT
from agguard.config.schema import Schema
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agguard.config.layer import Layer
    from agguard.config.merge import Merged
    from agguard.config.setting import Flat
    from agguard.config.source import Source

DEFAULT = "default"
FROM_PROFILE = "profile"
FROM_USER = "user"
LAST_GOOD = "last good"
FROM_PROJECT = "project"
FROM_ENVIRONMENT = "environment"

_TABLE = ("tool", "agguard")
_MARK = b"agguard"


class Origin(Value):
    """Where the value of a setting comes from.

    Args:
        layer: DEFAULT, FROM_PROFILE, FROM_USER, LAST_GOOD, FROM_PROJECT or FROM_ENVIRONMENT.
        name: the profile, the file or the variable; '' for the others.
        line: in the file, from 1; 0 where there is none.
    """

    layer: str
    name: str = ""
    line: int = 0

    @property
    def text(self) -> str:
        """The origin in one phrase, such as `user config.toml:3`."""
        place = f"{self.name}:{self.line}" if self.line else self.name
        return f"{self.layer} {place}".rstrip()


class Loaded(Value):
    """A loaded configuration.

    Args:
        settings: what is in force: nested tables of plain JSON data, complete.
        user: the same without project and environment; when `sound`, the next `last_good`.
        origin: for each dotted key where its value comes from.
        problems: everything that is wrong, in any layer.
        sound: whether the user's file was taken as it stands (a missing file is sound).
        sources: the files that were read or looked for, with the time of change and size that
            belong to the bytes that were read.
    """

    settings: dict[str, Any]
    user: dict[str, Any]
    origin: dict[str, Origin]
    problems: tuple[Problem, ...]
    sound: bool
    sources: tuple[Source, ...]


def load(  # noqa: PLR0913 - each layer is one argument
    user: str,
    *,
    schema: Schema | None = None,
    last_good: Mapping[str, Any] | None = None,
    projects: tuple[str, ...] = (),
    trusted: Callable[[str, bytes], bool] | None = None,
    environ: Mapping[str, str] | None = None,
    profile: str = "",
) -> Loaded:
    """Load the configuration; never raises, whatever the files hold.

    Args:
        user: path of the user's file, which need not exist.
        schema: the settings that exist; agguard's own if left out.
        last_good: `Loaded.user` of the last load that was sound.
        projects: paths of project files (`agguard.config.project.files`).
        trusted: whether the user trusted a project file with exactly these bytes.
        environ: the environment. It is ignored inside an agent's own shell.
        profile: a profile to assume in the place of the one that the user's file names.
    """
    schema = schema or Schema()
    state = _user_state(schema, source.read(user), last_good, profile)
    base = dict(state.values)
    for path in projects:
        state.project(source.read(path), trusted)
    if environ is not None and not in_agent_shell(environ):
        state.environment(layer_of_environment(environ, schema))
    return Loaded(
        merge.nested(state.values),
        merge.nested(base),
        state.origin,
        tuple(state.problems),
        state.sound,
        tuple(state.sources),
    )


class _State:
    """The settings while layers are put on one another."""

    def __init__(self, schema: Schema, values: Flat, origin: Origin) -> None:
        self.schema = schema
        self.values = values
        self.origin = dict.fromkeys(values, origin)
        self.problems: list[Problem] = []
        self.sources: list[Source] = []
        self.sound = True

    def project(self, read: Source, trusted: Callable[[str, bytes], bool] | None) -> None:
        """Put a project's file on top."""
        self.sources.append(read)
        pyproject = os.path.basename(read.path) == PYPROJECT
        if pyproject and read.data is not None and _MARK not in read.data:
            return  # not about agguard, be it TOML or not
        layer = layer_of(read, self.schema, _TABLE if pyproject else ())
        self.problems += layer.problems
        trust = bool(trusted and read.data is not None and trusted(read.path, read.data))
        merged = merge.tightened(self.schema, self.values, layer.values, trusted=trust)
        self.take(merged, FROM_PROJECT, layer)
        for key, rule in merged.refused:
            place = layer.places[key]
            self.problems.append(Problem(layer.file, *place, _refusal(key, rule), key, grave=False))

    def environment(self, layer: Layer) -> None:
        """Put the environment on top."""
        self.problems += layer.problems
        merged = merge.tightened(self.schema, self.values, layer.values)
        self.values = merged.values
        names = {setting.key: variable(setting) for setting in self.schema}
        for key in merged.taken:
            by = key if key in layer.values else PROFILE
            self.origin[key] = Origin(FROM_ENVIRONMENT, names[by])
        for key, rule in merged.refused:
            self.problems.append(Problem(names[key], 0, 0, _refusal(key, rule), key, grave=False))

    def take(self, merged: Merged, name: str, layer: Layer) -> None:
        """Take over what a file's layer changed, and note that it did."""
        self.values = merged.values
        for key in merged.taken:
            by = key if key in layer.values else PROFILE
            self.origin[key] = Origin(name, layer.file, layer.places[by][0])


def _user_state(
    schema: Schema, read: Source, last_good: Mapping[str, Any] | None, profile: str
) -> _State:
    layer = layer_of(read, schema)
    if profile:
        layer = layer.replace(values={**layer.values, PROFILE: profile})
    state = _sound(schema, layer) if layer.sound else _broken(schema, layer, last_good)
    state.problems += layer.problems
    state.sources.append(read)
    state.sound = layer.sound
    return state


def _sound(schema: Schema, layer: Layer) -> _State:
    merged = merge.based(schema, layer.values)
    state = _State(schema, merged.values, Origin(DEFAULT))
    for key in merged.taken:
        state.origin[key] = Origin(FROM_PROFILE, str(merged.values[PROFILE]))
    for key, (line, _) in layer.places.items():
        state.origin[key] = Origin(FROM_USER, layer.file, line)
    return state


def _broken(schema: Schema, layer: Layer, last_good: Mapping[str, Any] | None) -> _State:
    good = merge.flat(last_good, schema)
    state = _State(schema, schema.defaults() | good, Origin(DEFAULT))
    state.origin |= dict.fromkeys(good, Origin(LAST_GOOD))
    state.take(merge.tightened(schema, state.values, layer.values), FROM_USER, layer)
    return state


def _refusal(key: str, rule: str) -> str:
    own = f"`agguard config set {key} ...` sets it for this user"
    return f"{key!r} is left as it is: a project or a variable {rule}; {own}"
