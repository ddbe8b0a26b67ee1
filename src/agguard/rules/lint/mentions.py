"""`@path` that is not made absolute (8)."""

from __future__ import annotations

import re

from agguard.rules import port
from agguard.rules.include import matches
from agguard.rules.lint.subject import Subject, about
from agguard.rules.mention import PATTERN, resolved
from agguard.rules.path import crashes, from_uri, join, parent
from agguard.rules.rule import INLINE, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.lint.finding import Finding

_TRAILING = ".,;:!?)]}>\"'`*_"
_PATH = re.compile(r"\.{0,2}/?[\w-][\w.-]*(/[\w.-]+)*/?")
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield the findings about mentions; those in an include's brackets are its own."""
    for rule in subject.told:
        if rule.state != INLINE:
            continue
        body = _without_includes(rule.parts.body)
        for match in PATTERN.finditer(body):
            yield from _mention(rule, match[1], match.start(), body, subject)


def _without_includes(body: str) -> str:
    """Return the body with blanks for its includes, so that places stay."""
    pieces = []
    at = 0
    for match in matches(body):
        pieces += [body[at : match.start], " " * (match.end - match.start)]
        at = match.end
    return "".join([*pieces, body[at:]])


def _mention(rule: Rule, name: str, at: int, body: str, subject: Subject) -> Iterator[Finding]:
    folder, root = parent(rule.path), rule.source.root
    whole = from_uri(name) if name.startswith("file://") else name
    if root and whole and crashes(whole):
        yield about(rule, "crashes-host", f"'@{name}' ends the host's engine: remove it", at=at)
        return
    if name.startswith("~/"):
        if subject.read.kind(join(subject.rendered.home, name[2:])) != port.MISSING:
            yield about(rule, "mention-home", f"'@{name}' stays as it is", at=at)
        return
    meant = name.rstrip(_TRAILING)
    if not root:
        if meant and _looks_like_path(meant) and resolved(meant, folder, "", subject.read):
            yield about(rule, "mention-kept", f"'@{meant}' stays relative", at=at)
        return
    if resolved(name, folder, root, subject.read):
        return
    if meant and meant != name and resolved(meant, folder, root, subject.read):
        message = f"'@{name}' stays as it is: put a space behind '@{meant}'"
        yield about(rule, "mention-punctuation", message, at=at)
    elif _looks_like_path(meant) and not (at and body[at - 1].isalnum()):
        yield _missing(rule, meant, at, subject)


def _missing(rule: Rule, meant: str, at: int, subject: Subject) -> Finding:
    message = f"nothing is at {meant!r}"
    if resolved(f"/{meant}", "/", rule.source.root, subject.read):
        message += f" from the rule's folder; write '@/{meant}' to start at the root"
        return about(rule, "mention-missing", message, at=at).replace(severity="warning")
    return about(rule, "mention-missing", message, at=at)


def _looks_like_path(name: str) -> bool:
    """Whether a mention is meant as a path: `@alice` and `@decorator` are not."""
    plain = bool(_PATH.fullmatch(name))
    scoped = name.count("/") == 1 and not _SUFFIX.search(name)  # an npm package: @scope/name
    return plain and not scoped and bool("/" in name or _SUFFIX.search(name))
