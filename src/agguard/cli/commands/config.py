"""`agguard config`: read and change settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import operator, output, settings
from agguard.cli.commands import config_check, config_profile, config_show

if TYPE_CHECKING:
    from agguard.config.store import Change
    from agguard.paths import Paths

Key = Annotated[
    str,
    typer.Argument(help="The setting, such as delegation.mode.", autocompletion=settings.keys),
]
Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]

INSTALLED = ("hooks.if_missing", "tiers.")
"""Settings that stand in what an installation writes: the launcher, the rules for the primary."""


def build() -> typer.Typer:
    """Make the group."""
    app = typer.Typer(help="Read and change settings.", no_args_is_help=True)
    commands = (
        config_show.show,
        get,
        set_,
        unset,
        config_show.list_,
        config_check.validate,
        config_profile.profile,
        config_show.schema,
        config_show.path,
    )
    for command in commands:
        # The value of `set` may be a number below zero, which is no option.
        lenient = {"ignore_unknown_options": command is set_}
        app.command(command.__name__.rstrip("_"), context_settings=lenient)(command)
    return app


def get(key: Key, as_json: Json = False) -> None:
    """Print the value of a setting that is in force here.

    Example: agguard config get delegation.mode
    """
    from agguard.config.literal import literal
    from agguard.config.lookup import lookup

    path = _known(key)
    value = lookup(settings.in_force().settings, path)
    if as_json:
        output.data(value)
    else:
        output.lines(value if isinstance(value, str) else literal(value))


def set_(
    key: Key,
    value: Annotated[
        str, typer.Argument(help="TOML; a bare word is text.", autocompletion=settings.values)
    ],
    as_json: Json = False,
) -> None:
    """Change a setting in your file; comments and order stay.

    Example: agguard config set delegation.mode read-only
    """
    from agguard.config.store import set_value

    operator.require("changing the configuration")
    if value.startswith("-") and not value[1:].lstrip(".")[:1].isdigit():
        hint = "a text that begins with - takes quotes of its own, as in '\"-x\"'"
        output.fail(f"there is no option {value!r}; {hint}")
    place = settings.paths()
    change = set_value(place.config_file, key, value, settings.schema())
    _report(place, change, "set in", "there is no need to change", as_json=as_json)


def unset(key: Key, as_json: Json = False) -> None:
    """Take a setting out of your file, so that profile or default hold again.

    Example: agguard config unset delegation.mode
    """
    from agguard.config.store import unset_value

    operator.require("changing the configuration")
    place = settings.paths()
    change = unset_value(place.config_file, key)
    if change.before == change.after:  # one that is set goes, known or not
        _known(key, sections=False)
    _report(place, change, "taken out of", f"{change.key!r} is not set in", as_json=as_json)


def _known(key: str, *, sections: bool = True) -> tuple[str, ...]:
    """Return the parts of the key of a setting, or of a section; another one ends the command."""
    from agguard.config.keys import split

    known = settings.schema()
    path = split(key)
    if known.find(path) is None and not (sections and known.is_section(path)):
        output.fail(known.complaint(path))
    return path


def _report(place: Paths, change: Change, done: str, idle: str, *, as_json: bool) -> None:
    """Say what was changed, and what is in force now; bring the launcher up to date."""
    from agguard.config.keys import split

    changed = change.before != change.after
    if changed:
        _take_over(place, change.key)
    loaded = settings.in_force(quiet=as_json)
    value, origin = _at(loaded.settings, split(change.key)), loaded.origin.get(change.key)
    if as_json:
        where = origin.text if origin else ""
        found = {"key": change.key, "file": change.file, "changed": changed}
        output.data({**found, "value": value, "origin": where})
        return
    said = f"{change.key} {done} {change.file}" if changed else f"{idle} {change.file}"
    output.note(said, "green")
    if value is not None and origin:
        from agguard.config.literal import literal

        output.note(f"in force here: {literal(value)} ({origin.text})", "none")


def _at(tree: Any, path: tuple[str, ...]) -> Any:  # noqa: ANN401 - a setting's value
    """Return what stands at a path; None for a key that is not, or no longer, known."""
    for part in path:
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree


def _take_over(place: Paths, key: str) -> None:
    """Have an installation work with what was changed, and know that the operator did it."""
    from agguard.install.user import accept, install_for_user, is_installed

    if key.startswith(INSTALLED) and is_installed(place):
        install_for_user(place)
        output.note("the installed files were brought up to date", "green")
    else:
        accept(place)
