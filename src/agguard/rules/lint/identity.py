"""One file under two paths, and two files with one content (3)."""

from __future__ import annotations

from agguard.rules.lint.subject import Subject, about
from agguard.rules.rule import DIRECTORY, GLOBAL, INLINE, RULE, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.lint.finding import Finding


def check(subject: Subject) -> Iterator[Finding]:
    """Yield the findings about files that are met twice."""
    by_path = {rule.path: rule for rule in subject.met if rule.reason != "same_file"}
    for rule in subject.rendered.left_out:
        if rule.reason == "same_file":
            yield _shadowed(rule, by_path.get(rule.detail))
    yield from _twice(subject)
    yield from _identical(subject)


def _shadowed(rule: Rule, first: Rule | None) -> Finding:
    if first is not None and not first.spoken:
        message = f"it is {first.path!r}, which is seen first and dropped: neither is told"
        return about(rule, "vanished", message)
    loaded_otherwise = first is not None and {first.source.kind, rule.source.kind} == {
        DIRECTORY,
        RULE,
    }
    how = " as a rule with frontmatter" if loaded_otherwise else ""
    return about(rule, "shadowed", f"it is {rule.detail!r}, under which it counts{how}")


def _twice(subject: Subject) -> Iterator[Finding]:
    real = subject.read.real
    spoken = subject.rendered.rules
    own = {real(rule.path): rule for rule in spoken if rule.source.kind == GLOBAL}
    for rule in spoken if own else ():
        if rule.source.kind != GLOBAL and real(rule.path) in own:
            message = f"it is also told as {own[real(rule.path)].path!r}"
            yield about(rule, "told-twice", message)


def _identical(subject: Subject) -> Iterator[Finding]:
    first: dict[str, Rule] = {}
    for rule in subject.rendered.rules:
        if rule.state != INLINE or not rule.body.strip():
            continue
        other = first.setdefault(rule.body, rule)
        if other is not rule and subject.read.real(other.path) != subject.read.real(rule.path):
            message = f"the same text is told for {other.path!r}; keep one, or make one a link"
            yield about(rule, "identical", message)
