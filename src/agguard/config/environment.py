"""The environment as a layer: `AGGUARD_<SECTION>_<KEY>`, single values only."""

from __future__ import annotations

from agguard.config.layer import Layer
from agguard.config.literal import value_of
from agguard.config.problem import Problem
from agguard.config.setting import FREE, LIST, TABLE
from agguard.config.suggest import nearest
from agguard.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agguard.config.schema import Schema
    from agguard.config.setting import Json, Setting

PREFIX = "AGGUARD_"
# The host sets these for the commands of agents (contract, section 2.2); a hook's own
# environment always has ANTIGRAVITY_CONVERSATION_ID, so that one says nothing.
_AGENT = ("ANTIGRAVITY_AGENT", "ANTIGRAVITY_TRAJECTORY_ID")


def variable(setting: Setting) -> str:
    """Return the name of the variable that stands for a setting."""
    return PREFIX + "_".join(setting.path).upper().replace("-", "_").replace(".", "_")


def in_agent_shell(environ: Mapping[str, str]) -> bool:
    """Return whether the process was started from an agent's own shell."""
    return any(environ.get(name) for name in _AGENT)


def layer_of_environment(environ: Mapping[str, str], schema: Schema) -> Layer:
    """Return what the environment says; never raises.

    Variables that do not begin with a section's name, such as `AGGUARD_TOKEN`, are other
    programs' business.
    """
    known = {variable(setting): setting for setting in schema if setting.kind != FREE}
    sections = {f"{PREFIX}{setting.path[0].upper()}_" for setting in schema if setting.path[1:]}
    values: dict[str, Json] = {}
    problems: list[Problem] = []
    for name in sorted(environ):
        if setting := known.get(name):
            fault = _take(name, environ[name], setting, values)
            problems += [fault] if fault else []
        elif name.startswith(tuple(sections)):
            problems.append(_unknown(name, known))
    return Layer("", values, {}, tuple(problems))


def _take(name: str, raw: str, setting: Setting, values: dict[str, Json]) -> Problem | None:
    if setting.kind in {LIST, TABLE}:
        message = f"{setting.key!r} is a {setting.kind}; a variable can only hold a single value"
        return Problem(name, 0, 0, message, setting.key)
    try:
        value = value_of(raw)
    except ConfigError as error:
        return Problem(name, 0, 0, str(error), setting.key)
    if fault := setting.fault(value):
        return Problem(name, 0, 0, fault.message, setting.key, fault.suggestion)
    values[setting.key] = setting.normal(value)
    return None


def _unknown(name: str, known: Mapping[str, Setting]) -> Problem:
    meant = nearest(name, known)
    hint = f"; did you mean {meant!r}?" if meant else "; `agguard config list` shows every key"
    return Problem(name, 0, 0, f"{name!r} is not the variable of a setting{hint}", "", meant)
