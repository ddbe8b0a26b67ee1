"""`@[label](path)` that does not bring in what its author meant (6)."""

from __future__ import annotations

import re

from agguard.rules import port
from agguard.rules.frontmatter import split
from agguard.rules.include import body_start, matches
from agguard.rules.lint.finding import Finding, finding
from agguard.rules.lint.subject import Subject, about, line_at
from agguard.rules.path import clean, crashes, join, parent, unquoted, within
from agguard.rules.rule import (
    CONDITIONAL,
    DEMOTED,
    GLOBAL,
    INLINE,
    PUT_IN,
    UNREADABLE,
    WORKSPACE,
    Inclusion,
    Rule,
)
from agguard.rules.text import guessed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield the findings about includes."""
    for rule in subject.told:
        if rule.state in (INLINE, DEMOTED):
            for each in rule.inclusions:
                yield from _inclusion(rule, each, subject)
        found = next(matches(rule.parts.body), None)
        if found and rule.state in (CONDITIONAL, DEMOTED):
            message = "the agent that opens the file sees the include, not its text"
            yield about(rule, "include-unexpanded", message, at=found.start)


def _inclusion(rule: Rule, each: Inclusion, subject: Subject) -> Iterator[Finding]:
    yield from _spelling(rule, each, subject)
    if each.state == PUT_IN:
        yield from _put_in(rule, each, subject)
        return
    if each.state == UNREADABLE:
        message = f"{each.target!r} is not Unicode text; save it as UTF-8"
        yield about(rule, "include-unreadable", message, at=each.at)
    elif each.state in (port.MISSING, port.DANGLING):
        hint = _hint(rule, each, subject)
        yield about(rule, "include-missing", f"{each.target!r} is not there{hint}", at=each.at)
    else:
        what = "may not be read" if each.state == port.CLOSED else "is no regular file"
        yield about(rule, "include-not-a-file", f"{each.target!r} {what}", at=each.at)


def _spelling(rule: Rule, each: Inclusion, subject: Subject) -> Iterator[Finding]:
    """Judge the path as it is written, whether anything is there or not."""
    if crashes(each.target):
        message = f"{each.target!r} ends the host's engine: remove it"
        yield about(rule, "crashes-host", message, at=each.at)
    elif each.target.startswith("/"):
        message = f"write {each.target!r} relative to the rule's folder"
        yield about(rule, "include-absolute", message, at=each.at)
    elif rule.source.scope != WORKSPACE:
        return
    elif each.target.startswith("~/"):
        yield about(rule, "include-home", f"others have no {each.target!r}", at=each.at)
    elif each.path and not within(_real(each, subject), _real_root(rule, subject)):
        message = f"{each.target!r} leads to {each.path!r}, outside the root"
        yield about(rule, "include-outside", message, at=each.at)


def _real(each: Inclusion, subject: Subject) -> str:
    return subject.read.real(each.path)


def _real_root(rule: Rule, subject: Subject) -> str:
    return subject.read.real(rule.source.root or rule.source.folder)


def _hint(rule: Rule, each: Inclusion, subject: Subject) -> str:
    """Guess what was meant, and say it only when that exists."""
    target = each.target
    if _SCHEME.match(target):
        return ": it is taken as a path, not as a URL"
    if "(" in target:
        return ": the path ends at the first closing parenthesis"
    for meant, problem in _meant(rule, target):
        if subject.read.kind(meant) == port.FILE:
            return f": {problem}"
    return ""


def _meant(rule: Rule, target: str) -> Iterator[tuple[str, str]]:
    folder = parent(rule.path)
    if target.startswith("/") and rule.source.root:
        yield join(rule.source.root, target), "a leading slash means the machine's root"
    if rule.source.kind == GLOBAL:
        yield join(folder, target), "includes of global files start at ~/.gemini"
    plain = target.strip()
    yield join(folder, plain), "the spaces around it belong to the path"
    yield join(folder, plain.strip("<>")), "the angle brackets belong to the path"
    yield join(folder, re.split(r"[\s#?]", plain)[0]), "what follows the path belongs to it"
    yield join(folder, unquoted(plain) or plain), "%XX is not decoded"
    if rule.source.root:
        yield join(rule.source.root, plain), "the path starts at the rule's folder, not the root"


def _put_in(rule: Rule, each: Inclusion, subject: Subject) -> Iterator[Finding]:
    if each.path == clean(rule.path):
        yield about(rule, "include-self", "its own text is put in once more", at=each.at)
    if not each.size:
        yield about(rule, "include-empty", f"{each.target!r} leaves nothing", at=each.at)
    if _in_code(rule.parts.body, each.at):
        message = "the engine knows no code: the text of the file is put in here"
        yield about(rule, "include-in-code", message, at=each.at)
    yield from _nested(rule, each, subject)


def _in_code(body: str, at: int) -> bool:
    """Whether a place is inside a fenced block or a code span, as a Markdown reader sees it."""
    fences = re.findall(r"^[ \t]*(?:```|~~~)", body[:at], re.MULTILINE)
    line = body[body.rfind("\n", 0, at) + 1 : at]
    return len(fences) % 2 == 1 or line.count("`") % 2 == 1


def _nested(rule: Rule, each: Inclusion, subject: Subject) -> Iterator[Finding]:
    try:
        text = guessed(subject.read.data(each.path)) or ""
    except OSError:
        return
    start = body_start(text)
    if start:
        yield _headless(rule, each, text)
    inner = next(matches(text[start:]), None)
    if inner and each.path != rule.path:
        line = text.count("\n", 0, start + inner.start) + 1
        where = f"{rule.path}:{line_at(rule, each.at)}"
        message = f"the include of {inner.target!r} stays as it is: {where} includes this file"
        yield finding(each.path, line, "include-nested", message)


def _headless(rule: Rule, each: Inclusion, text: str) -> Finding:
    if split(text).head is not None:
        message = f"the frontmatter of {each.target!r} is left out"
        return about(rule, "include-frontmatter", message, at=each.at)
    message = f"{each.target!r} begins with --- and loses everything up to the next ---"
    return about(rule, "include-frontmatter", message, at=each.at).replace(severity="warning")
