"""Which of two values is stricter: what a project or the environment may change.

Each setting names the direction in which it gets stricter. A layer that may only tighten gets
the stricter of its own value and the value below it, never the milder.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.config.setting import Json, Setting

ORDER = "order"
"""A later choice is stricter."""
TRUE = "true"
"""`true` is stricter."""
FALSE = "false"
"""`false` is stricter."""
LESS = "less"
"""A smaller number is stricter."""
MORE = "more"
"""A larger number is stricter."""
GROW = "grow"
"""More items are stricter."""
SHRINK = "shrink"
"""Fewer items are stricter."""
TRUSTED = "trusted"
"""Neither way is stricter: taken from a project only when the user trusted that very file."""
USER = "user"
"""Taken from the user's file only: it decides whose code runs, or whether answers come in time."""

DIRECTED = (ORDER, TRUE, FALSE, LESS, MORE, GROW, SHRINK)
DIRECTIONS = (*DIRECTED, TRUSTED, USER)


def meet(setting: Setting, base: Json, wanted: Json) -> Json:
    """Return the stricter of two fitting values; `base` where the setting has no direction."""
    if setting.stricter in {LESS, MORE}:
        pick = min if setting.stricter == LESS else max
        return pick(base, wanted)  # type: ignore[type-var] # numbers, by the setting's kind
    if isinstance(base, list) and isinstance(wanted, list):
        return _meet_lists(setting.stricter, base, wanted)
    if setting.stricter == ORDER:
        return max(base, wanted, key=lambda choice: setting.choices.index(str(choice)))
    if setting.stricter == TRUE:
        return base or wanted
    if setting.stricter == FALSE:
        return base and wanted
    return base


def granted(setting: Setting, base: Json, wanted: Json) -> bool:
    """Return whether `meet` gives `wanted` all that it asks for."""
    met = meet(setting, base, wanted)
    if isinstance(met, list) and isinstance(wanted, list):
        return all(item in met for item in wanted)
    return met == wanted


def rule(setting: Setting) -> str:
    """Return what a project or a variable may do with the setting, as `may ...`."""
    return {
        ORDER: f"may only move it towards {''.join(setting.choices[-1:])!r}",
        TRUE: "may only set it to true",
        FALSE: "may only set it to false",
        LESS: "may only lower it",
        MORE: "may only raise it",
        GROW: "may only add to it",
        SHRINK: "may only take from it",
        TRUSTED: "may set it only in a file that the user trusts",
        USER: "may not set it",
    }[setting.stricter]


def _meet_lists(stricter: str, base: list[Json], wanted: list[Json]) -> Json:
    if stricter == GROW:
        return [*base, *(item for item in wanted if item not in base)]
    if stricter == SHRINK:
        return [item for item in base if item in wanted]
    return base
