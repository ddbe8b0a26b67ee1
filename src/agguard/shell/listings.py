"""Listings: commands that print names of files in the workspace, which may then be read."""

from __future__ import annotations

from agguard.shell.calls import COMPUTED, Loose
from agguard.shell.credentials import spells_credential
from agguard.shell.scanner import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.shell.calls import Argument
    from agguard.shell.places import Place
    from agguard.shell.table import Table

HIDDEN_BY_UNKNOWN = r"(?:^|/)\.[^/*]*\*"
"""Names that begin with a dot and something that is not known."""


def prints_names(arguments: list[Argument], table: Table, place: Place, *, piped: bool) -> bool:
    """Tell whether a command lists files, or passes on some lines of what is piped into it.

    A command that could print anything else, `find -printf` or `grep` without `-l`, does not
    list: what it prints may be the name of any file.
    """
    name, rest = arguments[0], arguments[1:]
    entry = table.entry(name) if isinstance(name, str) else None
    if entry is not None and "sub" in entry.flags and rest and isinstance(rest[0], str):
        entry, rest = table.entry(entry.name, rest[0]), rest[1:]
    if entry is None:
        return False
    wanted = entry.passes if piped else entry.lists
    if not wanted or pattern(wanted).fullmatch(_shape(rest)) is None:
        return False
    texts = [a.pattern if isinstance(a, Loose) else a for a in rest]
    return all(stays(a, place) for a in rest) and not any(map(spells_credential, texts))


def stays(argument: Argument, place: Place) -> bool:
    """Tell whether an argument does not lead out of the workspace."""
    text = argument.pattern if isinstance(argument, Loose) else argument
    if isinstance(argument, Loose) and (
        argument.origin == COMPUTED or pattern(HIDDEN_BY_UNKNOWN).search(text)
    ):
        return False
    if ".." in text or text[:1] == "~" or text.partition("=")[2][:1] in ("/", "~"):
        return False
    return text[:1] != "/" or place.in_workspace(text)


def _shape(arguments: list[Argument]) -> str:
    """Return arguments as the table's `lists` describes them: options, and dots for the others."""
    shape = ""
    for argument in arguments:
        text = argument.prefix if isinstance(argument, Loose) else argument
        shape += f" {text}" if text[:1] == "-" else " ."
    return shape
