"""Rules that are too large, alone or together (7, 9)."""

from __future__ import annotations

from agguard.quantity import counted
from agguard.rules.budget import BYTES_PER_TOKEN
from agguard.rules.cap import CAP
from agguard.rules.lint.subject import Subject, about, line_at
from agguard.rules.rule import DEMOTED, DIRECTORY, INLINE, PUT_IN, RULE, Rule
from agguard.rules.text import lossless, raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.lint.finding import Finding

NEAR = 20_000
"""Bytes that a rule should stay under (seed, section 7)."""


def check(subject: Subject) -> Iterator[Finding]:
    """Yield the findings about sizes."""
    for rule in subject.rendered.rules:
        if rule.state in (INLINE, DEMOTED):
            yield from _capped(rule, subject)
        if rule.state == DEMOTED:
            yield from _demoted(rule)
    yield from _budget(subject)


def _capped(rule: Rule, subject: Subject) -> Iterator[Finding]:
    if rule.lost:
        yield from _truncated(rule, subject)
    elif rule.expanded > NEAR:
        message = (
            f"{counted(rule.expanded, 'byte')} of {CAP}; keep rules under {NEAR}{_largest(rule)}"
        )
        yield about(rule, "near-cap", message)
    if not rule.lost and len(raw(rule.body)) > CAP:
        size = counted(len(raw(rule.body)), "byte")
        yield about(rule, "mention-grows", f"{size} with absolute mentions")


def _truncated(rule: Rule, subject: Subject) -> Iterator[Finding]:
    kept = rule.expanded - rule.lost
    if not kept:
        lost = counted(rule.lost, "byte is", "bytes are")
        message = f"all {lost} cut: end a line within the first {CAP} bytes"
        yield about(rule, "all-lost", message)
    else:
        line = line_at(rule, _first_lost(rule, kept))
        of = f"of {counted(rule.expanded, 'byte')}"
        message = (
            f"{counted(rule.lost, f'{of} is', f'{of} are')} cut, from this line on"
            f"{_largest(rule)}: move a part to its own rule file"
        )
        yield about(rule, "truncated", message, line=line)
    folders = {session.root for session in subject.rendered.sessions}
    own = rule.source.kind == DIRECTORY and rule.source.folder in folders
    if own and len(raw(rule.parts.body)) > CAP:
        message = (
            f"{counted(rule.size, 'byte')} in one file; split it into files of .agents/rules"
            " and of the folders that it is about (includes count against the same cap)"
        )
        yield about(rule, "monolithic-root", message)


def _first_lost(rule: Rule, kept: int) -> int:
    """Return where the first lost line begins in the body; an include counts as one place."""
    at = 0
    body = rule.parts.body
    for each in rule.inclusions:
        if each.state != PUT_IN:
            continue
        before = len(raw(body[at : each.at]))
        if kept < before:
            break
        kept -= before
        if kept < each.size:
            return each.at
        kept -= each.size
        at = each.at + len(f"@[{each.label}]({each.target})")
    newline = body.find("\n", at + len(lossless(raw(body[at : at + kept])[:kept])))
    return newline + 1 if newline >= 0 else len(body)


def _largest(rule: Rule) -> str:
    """Name the include that brings in the most, if any brings in much."""
    put_in = [each for each in rule.inclusions if each.state == PUT_IN]
    largest = max(put_in, key=lambda each: each.size, default=None)
    if largest is None or largest.size < rule.expanded // 4:
        return ""
    return f" ({largest.size} of them from {largest.target!r})"


def _demoted(rule: Rule) -> Iterator[Finding]:
    message = f"{counted(rule.tokens, 'token')}; only its path is told: the largest rules go first"
    yield about(rule, "demoted", message)
    if rule.description:
        return
    remedy = (
        "add a description to its frontmatter"
        if rule.source.kind == RULE
        else "a directory file has none: move its text to a file of .agents/rules"
    )
    yield about(rule, "demoted-without-description", f"nothing says when to read it; {remedy}")


def _budget(subject: Subject) -> Iterator[Finding]:
    rendered = subject.rendered
    told = [rule for rule in rendered.rules if rule.state in (INLINE, DEMOTED) and not rule.exempt]
    total = sum(rule.tokens for rule in told)
    if total <= rendered.budget or not told:
        return
    over = total - rendered.budget
    largest = max(told, key=lambda rule: rule.tokens)
    cost = f"{counted(len(told), 'rule costs', 'rules cost')} {counted(total, 'token')}"
    step = (
        f"shrink this one, the largest, by {counted(over * BYTES_PER_TOKEN, 'byte')}"
        if largest.tokens > over
        else f"begin with this one, the largest ({counted(largest.tokens, 'token')})"
    )
    message = f"{cost} of {rendered.budget}: {over} too many; {step}"
    yield about(largest, "over-budget", message)
