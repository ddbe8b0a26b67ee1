"""Rules that are too large, alone or together (7, 9)."""

from __future__ import annotations

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
        message = f"{rule.expanded} bytes of {CAP}; keep rules under {NEAR}{_largest(rule)}"
        yield about(rule, "near-cap", message)
    if not rule.lost and len(raw(rule.body)) > CAP:
        yield about(rule, "mention-grows", f"{len(raw(rule.body))} bytes with absolute mentions")


def _truncated(rule: Rule, subject: Subject) -> Iterator[Finding]:
    kept = rule.expanded - rule.lost
    if not kept:
        message = f"all {rule.lost} bytes are cut: end a line within the first {CAP} bytes"
        yield about(rule, "all-lost", message)
    else:
        line = line_at(rule, _first_lost(rule, kept))
        message = (
            f"{rule.lost} of {rule.expanded} bytes are cut, from this line on"
            f"{_largest(rule)}: move a part to its own rule file"
        )
        yield about(rule, "truncated", message, line=line)
    folders = {session.root for session in subject.rendered.sessions}
    own = rule.source.kind == DIRECTORY and rule.source.folder in folders
    if own and len(raw(rule.parts.body)) > CAP:
        message = (
            f"{rule.size} bytes in one file; split it into files of .agents/rules and of the"
            " folders that it is about (includes count against the same cap)"
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
    message = f"{rule.tokens} tokens; only its path is told: the largest rules go first"
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
    counted = [
        rule for rule in rendered.rules if rule.state in (INLINE, DEMOTED) and not rule.exempt
    ]
    total = sum(rule.tokens for rule in counted)
    if total <= rendered.budget or not counted:
        return
    over = total - rendered.budget
    largest = max(counted, key=lambda rule: rule.tokens)
    message = (
        f"{len(counted)} rules cost {total} tokens of {rendered.budget}: {over} too many;"
        f" shrink this one, the largest, by {over * BYTES_PER_TOKEN} bytes"
        if largest.tokens > over
        else f"{len(counted)} rules cost {total} tokens of {rendered.budget}: {over} too many;"
        f" begin with this one, the largest ({largest.tokens} tokens)"
    )
    yield about(largest, "over-budget", message)
