"""Runs every check over the rules of a session, or of all sessions below a folder."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules import engine, port
from agguard.rules.budget import BUDGET
from agguard.rules.discovery import CONFIG_FOLDERS
from agguard.rules.include import Library
from agguard.rules.lint import (
    encoding,
    frontmatter,
    identity,
    inclusions,
    mentions,
    overlap,
    placement,
    size,
)
from agguard.rules.lint.finding import ERROR, SEVERITIES, Finding, finding
from agguard.rules.lint.subject import Subject
from agguard.rules.load import Loader
from agguard.rules.memory import Memory
from agguard.rules.path import clean, under, within
from agguard.rules.product import DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agguard.rules.engine import Rendered
    from agguard.rules.port import Read
    from agguard.rules.product import Product

CHECKS = (
    size.check,
    frontmatter.check,
    encoding.check,
    inclusions.check,
    mentions.check,
    placement.check,
    identity.check,
    overlap.check,
)
SKIPPED = (".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox")
"""Folders in which no sessions are looked for."""
_RULES = frozenset((*CONFIG_FOLDERS, "GEMINI.md", "AGENTS.md"))


class Linted(Value):
    """What the checks found."""

    findings: tuple[Finding, ...]
    """By path, line and code; each once."""

    @property
    def failed(self) -> bool:
        """Whether anything is an error: the exit status."""
        return any(each.severity == ERROR for each in self.findings)

    def count(self, severity: str) -> int:
        """Return how many findings have a severity."""
        return sum(each.severity == severity for each in self.findings)


def lint(
    workspace: str,
    home: str,
    *,
    product: str | Product = DEFAULT,
    budget_tokens: int = BUDGET,
    read: Read | None = None,
) -> Linted:
    """Check the rules of a session in `workspace`, the user's own among them.

    Args:
        workspace: the session's folder, absolute.
        home: the user's home folder, absolute.
        product: a profile or its name.
        budget_tokens: tokens that inline rules may cost together.
        read: the port to the file system; the disk itself when left out.

    Raises:
        ConfigError: an unknown product.
    """
    read = read or _disk()
    rendered = engine.render(
        workspace, home, product=product, budget_tokens=budget_tokens, read=read
    )
    return Linted(_sorted(examined(rendered, read)))


def lint_below(
    folder: str,
    home: str,
    *,
    product: str | Product = DEFAULT,
    budget_tokens: int = BUDGET,
    read: Read | None = None,
) -> Linted:
    """Check the rules of a session in `folder` and of each that could be opened below it.

    The parameters are those of `lint`. A finding that several sessions share is given once.
    """
    memory = Memory(read or _disk())
    loader = Loader(Library(clean(home), memory), memory)
    above = memory.real(folder)
    found: list[Finding] = []
    for each in (above, *_sessions_below(above, memory)):
        rendered = engine.assembled([each], product, budget_tokens, loader)
        found += examined(rendered, memory, focus="" if each == above else each)
    return Linted(_sorted(found))


def examined(rendered: Rendered, read: Read, *, focus: str = "") -> Iterator[Finding]:
    """Yield the findings about a block that was rendered, in no particular order.

    Args:
        rendered: what `engine.render` gave.
        read: the port that it was rendered with.
        focus: a folder; of each rule by itself only those of this folder are checked. All of
            them when empty.
    """
    subject = Subject(rendered, read, focus)
    for check in CHECKS:
        yield from check(subject)
    for path, problem in rendered.faults:
        yield finding(path, 1, "registry", problem)


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    def order(each: Finding) -> tuple[str, int, int, str, str]:
        rank = SEVERITIES.index(each.severity)
        return each.path, each.line, rank, each.code, each.message

    return tuple(sorted(set(findings), key=order))


def _sessions_below(folder: str, read: Read) -> Iterator[str]:
    """Yield the folders below `folder` that hold rules of their own; links are not followed."""
    waiting = [folder]
    while waiting:
        above = waiting.pop()
        for name in read.names(above):
            path = under(above, name)
            passed = name in SKIPPED or name in CONFIG_FOLDERS or read.linked(path)
            if passed or read.kind(path) != port.FOLDER:
                continue
            waiting.append(path)
            if not _RULES.isdisjoint(read.names(path)):
                yield path


def relative(findings: Iterable[Finding], base: str) -> list[Finding]:
    """Return the findings with paths below the real folder `base` relative to it."""
    return [
        each.replace(path=each.path[len(base.rstrip("/")) + 1 :])
        if within(each.path, base) and each.path != base
        else each
        for each in findings
    ]


def _disk() -> Read:
    from agguard.rules.disk import Disk

    return Disk()
