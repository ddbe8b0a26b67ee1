"""`agguard config profile`: a set of values to start from."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import choice, operator, output, settings

if TYPE_CHECKING:
    from agguard.config.load import Loaded
    from agguard.config.profiles import Profile


class ProfileName(StrEnum):
    """The profiles; a test keeps them in step with the library."""

    STRICT = "strict"
    BALANCED = "balanced"
    ADAPTIVE = "adaptive"
    OBSERVE = "observe"


def profile(
    name: Annotated[
        ProfileName | None,
        typer.Argument(
            help="The profile to switch on.",
            show_default=False,
            **choice.of("the profile", ProfileName),
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Show the profiles and what each sets, or switch one on.

    Example: agguard config profile balanced
    """
    if name:
        switch(name)
    loaded = settings.in_force(quiet=as_json)
    if as_json:
        output.data(_data(loaded))
    elif name:
        _switched(loaded, name)
    else:
        _show(loaded)


def switch(name: ProfileName) -> None:
    """Write the profile into the user's file."""
    from agguard.config.store import set_value
    from agguard.install.user import accept

    operator.require("changing the profile")
    place = settings.paths()
    set_value(place.config_file, "profile", name.value, settings.schema())
    accept(place)


def _switched(loaded: Loaded, name: ProfileName) -> None:
    from agguard.config.load import FROM_USER
    from agguard.config.profiles import whole

    active = loaded.settings["profile"]
    output.note(f"the profile {name.value!r} is set in {settings.paths().config_file}", "green")
    if active != name.value:
        origin = loaded.origin["profile"].text
        output.note(f"in force here is {active!r} ({origin}), which is stricter")
    own = [key for key in whole(name.value) if loaded.origin[key].layer == FROM_USER]
    if own:
        output.note(
            f"your own values stay above it: {', '.join(own)}; "
            "`agguard config unset KEY` takes one out",
            "none",
        )


def _show(loaded: Loaded) -> None:
    from agguard.config.literal import literal
    from agguard.config.profiles import PROFILES

    active = loaded.settings["profile"]
    table = output.table("", "profile", "meaning and values")
    for one in PROFILES:
        mark = "*" if one.name == active else ""
        table.add_row(mark, f"[bold]{one.name}[/]", output.plain(one.meaning))
        for key, value in one.flat.items():
            table.add_row("", "", f"[dim]{output.plain(f'{key} = {literal(value)}')}[/]")
    output.say(table)
    where = loaded.origin["profile"].text
    output.note(f"* is in force here ({where}); `agguard config profile NAME` changes it", "none")


def _data(loaded: Loaded) -> dict[str, Any]:
    from agguard.config.profiles import PROFILES

    return {
        "active": loaded.settings["profile"],
        "origin": loaded.origin["profile"].text,
        "profiles": [_row(one) for one in PROFILES],
    }


def _row(one: Profile) -> dict[str, Any]:
    return {"name": one.name, "meaning": one.meaning, "values": one.flat}
