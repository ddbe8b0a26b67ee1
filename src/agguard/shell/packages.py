"""What a package runner is told to run: `npx -y @google/gemini-cli -p x` runs gemini-cli."""

from __future__ import annotations

from agguard.shell.calls import Loose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agguard.shell.calls import Argument

WAYS = frozenset({"dlx", "exec", "x", "run", "tool"})
"""Words by which some runners are told to run something: `pnpm dlx`, `uv tool run`."""
NAMING = frozenset({"-p", "--package", "--from", "--spec"})
"""Options whose value is a package."""


def packages(arguments: Iterable[Argument]) -> Iterator[str]:
    """Yield the names of the packages and programs that a runner may start, without versions."""
    is_named = False
    for word in arguments:
        if isinstance(word, Loose):
            return
        if word[:1] == "-":
            is_named = word in NAMING
            if "=" in word:
                yield _name(word.partition("=")[2])
        elif word not in WAYS:
            yield _name(word)
            if not is_named:
                return
            is_named = False


def _name(package: str) -> str:
    """Return a package's name without its scope, extras and version."""
    name = package.rpartition("/")[2]
    for mark in "@=<>~![;":
        name = name.partition(mark)[0]
    return name
