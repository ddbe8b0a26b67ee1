"""What rules of different folders say about the same thing.

Whether two rules contradict each other no program can decide; these checks show where to look.
"""

from __future__ import annotations

import re

from agguard.rules import port
from agguard.rules.lint.subject import Subject, about, line_at
from agguard.rules.path import join, within
from agguard.rules.rule import DIRECTORY, INLINE, WORKSPACE, Rule
from agguard.rules.tree import inversions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.lint.finding import Finding

_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.{0,200})$", re.MULTILINE)
_FOLDER = re.compile(r"`?\.{0,2}/?((?:[\w.-]+/)+|[\w.-]+/[\w./-]*)`?")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield the notices about rules that meet."""
    inline = [
        rule
        for rule in subject.rendered.rules
        if rule.state == INLINE and rule.source.scope == WORKSPACE
    ]
    headings = [(rule, _headings(rule)) for rule in inline]
    for inner, own in headings:
        for outer, known in headings:
            if outer is not inner and _above(outer, inner):
                yield from _same_headings(outer, known, inner, own)
    by_path = {rule.path: rule for rule in subject.rendered.rules}
    for each in inversions(inline):
        message = f"it stands after {each.inner!r}, whose folder is narrower, and so wins"
        yield about(by_path[each.outer], "order", message)
    for rule in inline:
        yield from _directory_specific(rule, subject)


def _above(outer: Rule, inner: Rule) -> bool:
    above, below = outer.source.folder, inner.source.folder
    return above != below and within(below, above)


def _same_headings(
    outer: Rule, known: dict[str, int], inner: Rule, own: dict[str, int]
) -> Iterator[Finding]:
    for heading, at in own.items():
        if heading in known:
            where = f"{outer.path}:{line_at(outer, known[heading])}"
            message = f"{heading!r} stands in {where} too; this one does not replace it"
            yield about(inner, "both-active", message, at=at)


def _headings(rule: Rule) -> dict[str, int]:
    """Return the headings of a rule in lower case, with where they stand."""
    found = reversed(list(_HEADING.finditer(rule.parts.body)))
    return {match[1].rstrip("# \t\r").lower(): match.start() for match in found}


def _directory_specific(rule: Rule, subject: Subject) -> Iterator[Finding]:
    """Find headings of a root's file that name one of its folders."""
    roots = {session.root for session in subject.rendered.sessions}
    if rule.source.kind != DIRECTORY or rule.source.folder not in roots:
        return
    for match in _HEADING.finditer(rule.parts.body):
        named = _FOLDER.search(match[1])
        if not named:
            continue
        folder = join(rule.source.folder, named[1])
        if folder != rule.source.folder and subject.read.kind(folder) == port.FOLDER:
            name = subject.rendered.product.filenames[0]
            message = f"move the section to {folder + '/' + name!r}, for agents that work there"
            yield about(rule, "directory-specific", message, at=match.start())
