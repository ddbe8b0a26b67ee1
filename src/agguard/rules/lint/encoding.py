"""Bytes that are not the text that their author wrote (4.2, 6.4, 10.6)."""

from __future__ import annotations

import re

from agguard.rules.lint.subject import Subject, about
from agguard.rules.rule import INLINE, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.lint.finding import Finding

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_ESCAPED = re.compile(r"[\udc80-\udcff]")
_TAGS = re.compile(r"</?user_rules>|</?RULE\[")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield the findings about bytes, control characters and tags."""
    for rule in subject.met:
        if rule.reason in ("not_utf8", "not_text"):
            yield _undecodable(rule, subject)
    for rule in subject.loaded:
        yield from _bytes(rule)
        yield from _tags(rule)
    for rule in subject.told:
        if rule.state == INLINE and not rule.body:
            yield about(rule, "empty", "nothing of the rule is told")
    for rule in subject.left_out:
        if rule.reason == "blank":
            yield about(rule, "empty", "a global file that is blank is left out")


def _undecodable(rule: Rule, subject: Subject) -> Finding:
    try:
        data = subject.read.data(rule.path)
    except OSError:
        data = b""
    if rule.reason == "not_text":
        return about(rule, "not-text", "the host guesses its encoding; save it as UTF-8")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return about(rule, "invalid-utf8", "it is UTF-16, and so dropped; save it as UTF-8")
    line = data.count(b"\n", 0, _first_invalid(data)) + 1
    return about(rule, "invalid-utf8", "the file is dropped; save it as UTF-8", line=line)


def _first_invalid(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _bytes(rule: Rule) -> Iterator[Finding]:
    body = rule.parts.body
    invalid = _ESCAPED.search(body)
    if invalid:
        message = "each invalid byte becomes U+FFFD; save the file as UTF-8"
        yield about(rule, "invalid-utf8", message, at=invalid.start()).replace(severity="warning")
    control = _CONTROL.search(body)
    if control:
        message = f"U+{ord(control[0]):04X} goes to the model as it is"
        yield about(rule, "control-character", message, at=control.start())


def _tags(rule: Rule) -> Iterator[Finding]:
    own = _TAGS.search(rule.parts.body)
    if own:
        message = f"{own[0]!r} is not escaped: what follows reads as text outside the rule"
        yield about(rule, "breaks-block", message, at=own.start())
    elif _TAGS.search(rule.body):
        yield about(rule, "breaks-block", "an included file closes the block's own tags")
