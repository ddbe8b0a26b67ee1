"""The command table and the boundary at which errors become messages."""

from __future__ import annotations

import inspect
import sys
from typing import Annotated

import typer

from agguard import __version__
from agguard.cli.commands import (
    config,
    demo,
    doctor,
    explain,
    handoff,
    install,
    ledger,
    log,
    pause,
    plugins,
    replay,
    rules,
    status,
    trust,
    uninstall,
    why,
)
from agguard.errors import AgguardError

EPILOG = (
    "Start with `agguard demo`, then `agguard install`. Exit status: 0 well, 1 the answer is no "
    "(not healthy, not valid, not found), 2 wrong use or something failed."
)

PANELS = {
    "Start": ("demo", "install", "doctor", "uninstall"),
    "Configure": ("config", "plugins", "trust", "pause", "resume"),
    "Answers": ("status", "log", "why", "explain", "replay"),
}
"""How the commands are grouped in the help; the others follow."""


def build() -> typer.Typer:
    """Make the application with all its commands."""
    app = typer.Typer(
        name="agguard",
        help="Deterministic guards for AI coding agents, at the host's lifecycle hooks.",
        epilog=EPILOG,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for module in (
        demo,
        install,
        doctor,
        uninstall,
        trust,
        pause,
        status,
        log,
        why,
        explain,
        replay,
    ):
        module.add(app)
    app.add_typer(config.build(), name="config")
    app.add_typer(handoff.build(), name="handoff")
    app.add_typer(ledger.build(), name="ledger")
    app.add_typer(plugins.build(), name="plugins")
    app.add_typer(rules.build(), name="rules")
    for command in app.registered_commands:
        command.rich_help_panel = _panel(getattr(command.callback, "__name__", ""))
        command.help = _flowing(command.callback)
    for group in app.registered_groups:
        group.rich_help_panel = _panel(str(group.name))
        for command in group.typer_instance.registered_commands if group.typer_instance else ():
            command.help = command.help or _flowing(command.callback)
    return app


def _flowing(command: object) -> str:
    """Return a docstring with each paragraph on one line, for the terminal to break.

    Typer keeps the line ends of all but the first, and a terminal of 80 columns then breaks the
    lines of our source a second time.
    """
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(one if "\n " in one else one.replace("\n", " ") for one in paragraphs)


def _panel(name: str) -> str:
    return next((panel for panel, names in PANELS.items() if name in names), "More")


def run() -> None:
    """Run the command line; an error of ours is one message, and its status is 2."""
    try:
        build()()
    except AgguardError as error:
        from agguard.cli.output import fail

        try:
            fail(str(error), error.exit_code)
        except typer.Exit as end:
            sys.exit(end.exit_code)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"agguard {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", is_eager=True, callback=_version
        ),
    ] = False,
) -> None:
    """Take the options that stand before a command."""
