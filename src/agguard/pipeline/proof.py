"""Whether a command line that ran and ended well is the one that a report claims. Pure.

Both are compared as parsed commands, not as texts: without `rtk`, which agguard itself may have put
before a command and which the transcript may or may not show, and without the joining of output
streams, which changes no result.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agguard.shell.syntax import Command, Compound

    Words = tuple[str, ...]
    Pipeline = tuple[Words, ...]
    Unit = tuple[str, Pipeline]
    """A pipeline, and the operator before it."""

IN_PLACE = ("sed", "perl")
WRITERS = ("tee", "cp", "mv", "touch", "install", "ln", "rm", "truncate", "patch")
"""Programs whose arguments name the files that they change."""
RENAMING = frozenset(
    "alias eval source . hash enable trap exec export declare typeset readonly".split()
)
"""Builtins that may change what a later name in the same line runs, or its exit status."""
RESTORING = {
    "am": (),
    "apply": ("--check", "--stat", "--numstat", "--summary", "--cached"),
    "checkout": ("-b", "-B"),
    "cherry-pick": (),
    "clean": ("-n", "--dry-run"),
    "merge": (),
    "pull": (),
    "rebase": (),
    "restore": ("--staged", "-S"),
    "revert": (),
    "stash": ("list", "show"),
    "switch": ("-c", "-C", "--create"),
}
"""What git does to files that nobody names, and the words with which it leaves them alone."""
HERE = "."
"""Stands for files that a command changes and does not name."""
WRITES = (">", ">>", ">|", "&>", "&>>", "<>")


def proves(ran: str, claimed: str) -> bool:
    """Whether exit status 0 of the line `ran` says that `claimed` ended well.

    They are the same, or `claimed` is a part of the `&&` chain that `ran` ends with: in `a; b` and
    in `a | b` the status is that of `b` alone.
    """
    wanted, line = _units(claimed), _units(ran)
    if not wanted or not line:
        return False
    if _joined(wanted) == _joined(line):
        return True
    chain = [] if _renames(ran) else [pipeline for _, pipeline in _chain(line)]
    parts = [pipeline for _, pipeline in wanted]
    if any(operator != "&&" for operator, _ in wanted[1:]):
        return False
    places = range(len(chain) - len(parts) + 1)
    return any(chain[place : place + len(parts)] == parts for place in places)


def is_last(ran: str, claimed: str) -> bool:
    """Whether a line that proves `claimed` changes no file after it: it ends with it.

    What `claimed` prints into a file, by redirection or `tee`, is its output and no edit.
    """
    parts = [pipeline for _, pipeline in _units(claimed)]
    end = [pipeline for _, pipeline in _units(ran)][-len(parts) :]
    return end == parts and not written(claimed, printed=False)


def written(line: str, *, printed: bool = True) -> tuple[str, ...]:
    """Return the files that a command line says it writes, as it spells them.

    Only what the line itself names, and `HERE` where it says that it changes files and not which:
    what a script does inside is not to be seen.

    Args:
        line: The command line.
        printed: Whether files count that only hold what a command prints.
    """
    from agguard.shell.parser import parse
    from agguard.shell.syntax import Unparsed

    script = parse(line)
    if isinstance(script, Unparsed):
        return ()
    return tuple(
        path for command in script.commands() for path in _targets(command, printed=printed)
    )


def _targets(command: Command, *, printed: bool) -> Iterator[str]:
    for redirect in command.redirects if printed else ():
        if redirect.operator in WRITES and redirect.target.text not in (None, "/dev/null"):
            yield redirect.target.text or ""
    name, *arguments = _without_rtk([word.text or "" for word in command.words]) or [""]
    program = os.path.basename(name)
    if printed or program != "tee":
        yield from _changed(program, arguments)


def _changed(program: str, arguments: list[str]) -> Iterator[str]:
    """Yield the arguments that name what a program changes."""
    if program == "git":
        program, arguments = _of_git(arguments)
    if program == "patch":
        yield HERE  # which files, stands in the patch
    in_place = program in IN_PLACE and any(one.startswith("-i") for one in arguments)
    if in_place or program in WRITERS:
        yield from (one for one in arguments if one and not one.startswith("-"))


def _of_git(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the program that does to files what a git command does, with its arguments."""
    rest = arguments
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-C", "-c") else rest[1:]
    name, *words = rest or [""]
    if name in ("mv", "rm"):
        return name, words
    spares = RESTORING.get(name)
    changes = "--hard" in words if name == "reset" else spares is not None
    return ("patch" if changes and not set(words) & set(spares or ()) else "", [])


def _joined(units: Sequence[Unit]) -> list[object]:
    """Return a line for comparison: what stands before its first command joins nothing."""
    return [units[0][1], *units[1:]]


def _chain(units: Sequence[Unit]) -> Sequence[Unit]:
    """Return the units at the end of a line that all ended well if the line did."""
    start = len(units) - 1
    while start and units[start][0] == "&&":
        start -= 1
    # What stands behind `||` ran only if something before it did not end well.
    return units[start + 1 :] if units[start][0] == "||" else units[start:]


def _renames(line: str) -> bool:
    """Whether a line gives names a meaning of its own, so that its words may not be what runs."""
    from agguard.shell.parser import parse
    from agguard.shell.syntax import Compound, Unparsed

    script = parse(line)
    if isinstance(script, Unparsed):
        return False
    kinds = {node.kind for node in script.nodes if isinstance(node, Compound)}
    names = {command.words[0].text for command in script.commands() if command.words}
    assigns = any(not one.words and one.assignments for one in script.commands())
    return "function" in kinds or assigns or bool(names & RENAMING)


def _units(line: str) -> list[Unit]:
    """Return the pipelines of a line; none where it is broken off, or runs in the background."""
    from agguard.shell.parser import parse
    from agguard.shell.syntax import Unparsed

    script = parse(line)
    if isinstance(script, Unparsed):
        words = tuple(_without_rtk(line.split()))
        return [("", (words,))] if words else []
    if not script.nodes or script.nodes[-1].trail == "&":
        return []
    units: list[Unit] = []
    for node in script.nodes:
        words = _words(node, line)
        if node.lead in ("|", "|&") and units:
            operator, pipeline = units.pop()
            units.append((operator, (*pipeline, words)))
        else:
            units.append((";" if node.lead == "\n" else node.lead, (words,)))
    return units


def _words(node: Command | Compound, line: str) -> Words:
    """Return what a command is compared by: its words where they are known, else its spelling."""
    from agguard.shell.syntax import Command

    if not isinstance(node, Command):
        return tuple(line[node.start : node.end].split())
    words = [line[w.start : w.end] if w.text is None else w.text for w in node.words]
    assignments = [line[a.start : a.end] for a in node.assignments if a.name != "RTK_DISABLED"]
    redirects = [
        f"{one.fd}{one.operator}{line[one.target.start : one.target.end]}"
        for one in node.redirects
        if one.operator != ">&" or not (one.target.text or "").isdigit()
    ]
    return (*node.prefix, *assignments, *_without_rtk(words), *sorted(redirects))


def _without_rtk(words: list[str]) -> list[str]:
    while words and os.path.basename(words[0]) in ("rtk", "rtk.exe"):
        words = words[1:]
    return words
