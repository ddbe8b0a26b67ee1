"""Frontmatter that does not say what its author meant (4)."""

from __future__ import annotations

import re

from agguard.rules import fields
from agguard.rules import node as yaml_node
from agguard.rules.frontmatter import FENCE, split
from agguard.rules.lint.subject import Subject, about, line_at
from agguard.rules.rule import CONDITIONAL, INLINE, RULE, Rule
from agguard.rules.text import BOM, raw, trim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.lint.finding import Finding

TRIGGERS = ("always_on", "model_decision", "glob", "manual")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield the findings about frontmatter."""
    for rule in subject.loaded:
        if rule.source.kind == RULE:
            yield from _absent(rule) if rule.parts.head is None else _present(rule)
        else:
            yield from _plain(rule)


# -- a file of a rules folder ------------------------------------------------------------


def _absent(rule: Rule) -> Iterator[Finding]:
    if rule.reason == "bom_before_frontmatter":
        yield about(rule, "bom", "remove the byte order mark: with it the rule is dropped")
    elif rule.reason == "unclosed_frontmatter":
        yield about(rule, "unclosed-frontmatter", "close it with a line that is --- alone")
    else:
        yield about(rule, "no-frontmatter", _missing(rule.parts.body))


def _missing(body: str) -> str:
    first = trim(body).partition("\n")[0]
    if first.startswith(FENCE):
        return f"{first!r} opens no frontmatter: the fence must be --- alone on its line"
    at = body.find(FENCE)
    if at > 0 and split(body[at:]).head is not None:
        return "text before the fence makes it no frontmatter; the rule is dropped"
    return "the rule is dropped: begin it with ---, trigger: always_on, description: …, ---"


def _present(rule: Rule) -> Iterator[Finding]:
    if rule.reason == "frontmatter_refused":
        yield _refused(rule)
        return
    yield from _keys(rule)
    yield from _trigger(rule)
    yield from _description(rule)
    yield from _fences(rule)
    yield from _glob_comment(rule)


def _refused(rule: Rule) -> Finding:
    problem = rule.detail
    if fields.CRASH in problem:
        return about(rule, "crashes-host", problem, line=rule.line)
    if "where text is needed" in problem:
        hint = "write a text, with commas between globs"
        return about(rule, "list-value", f"{problem}: {hint}", line=rule.line)
    if "already set" in problem:
        return about(rule, "duplicate-key", problem, line=rule.line)
    return about(rule, "frontmatter-refused", f"{problem}{_hint(rule)}", line=rule.line)


def _hint(rule: Rule) -> str:
    """Name the usual cause: a plain value that YAML does not take."""
    lines = (rule.parts.head or "").split("\n")
    at = rule.line - rule.parts.head_line
    text = trim(lines[at]) if 0 <= at < len(lines) else ""
    key, colon, value = text.partition(":")
    value = trim(value)
    if colon and (": " in value or value.endswith(":") or value[:1] in "@`%*&!|>"):
        return f"; put the value of {key!r} in quotes"
    if "\t" in text[:1] or "\t" in (lines[at][:1] if 0 <= at < len(lines) else ""):
        return "; indent with spaces"
    return ""


def _keys(rule: Rule) -> Iterator[Finding]:
    try:
        root = yaml_node.document(raw(trim(rule.parts.head or "")))
    except yaml_node.YamlRefusedError:
        return
    for key in root.items[::2] if root is not None else ():
        name = key.value.lower()
        if name in fields.NAMES and key.value != name:
            line = rule.parts.head_line + key.line - 1
            yield about(rule, "key-case", f"{key.value!r} is not {name!r}", line=line)


def _trigger(rule: Rule) -> Iterator[Finding]:
    known = ", ".join(TRIGGERS)
    if rule.reason == "trigger_missing":
        yield about(rule, "trigger-missing", f"set trigger to one of {known}")
    elif rule.reason == "trigger_unknown":
        near = [name for name in TRIGGERS if name == rule.trigger.lower().replace("-", "_")]
        hint = f"write {near[0]!r}" if near else f"choose one of {known}"
        yield about(
            rule, "trigger-unknown", f"{rule.trigger!r}: {hint}", line=_line(rule, "trigger")
        )
    elif rule.trigger == "manual":
        yield about(rule, "trigger-manual", "the agent is never told of it")
    elif rule.trigger == "glob":
        yield from _globs(rule)
    elif rule.globs:
        message = f"with trigger {rule.trigger!r} nothing reads {rule.globs!r}"
        yield about(rule, "unused-globs", message, line=_line(rule, "globs?"))


def _globs(rule: Rule) -> Iterator[Finding]:
    yield about(rule, "trigger-glob", "told after view_file and write_to_file on a matching file")
    line = _line(rule, "globs?")
    patterns = [trim(pattern) for pattern in rule.globs.split(",")]
    for pattern in patterns:
        problem = _never(pattern)
        if problem:
            yield about(rule, "glob-never-matches", f"{pattern!r}: {problem}", line=line)


def _never(pattern: str) -> str:
    if not pattern:
        return "an empty pattern matches nothing"
    if set(pattern) & set("{}[]") or pattern.startswith("!"):
        return "braces, brackets and ! mean nothing here; list the patterns with commas"
    if "/" in pattern and not pattern.startswith(("/", "**/")):
        return f"with a slash it is matched against the absolute path; write '**/{pattern}'"
    return ""


def _description(rule: Rule) -> Iterator[Finding]:
    if rule.state not in (INLINE, CONDITIONAL, "demoted"):
        return
    if "\n" in rule.description:
        line = _line(rule, "description")
        yield about(rule, "multi-line-description", "write it on one line", line=line)
    if rule.description or rule.state == "demoted":
        return
    if rule.state == CONDITIONAL:
        message = "the agent sees nothing but the path: say when the rule applies"
        yield about(rule, "missing-description", message).replace(severity="error")
    else:
        message = "once the budget demotes the rule, nothing says when to read it"
        yield about(rule, "missing-description", message)


def _fences(rule: Rule) -> Iterator[Finding]:
    """Find a second fence behind what looks like keys: the first one closed too early."""
    body = rule.parts.body
    found = re.search(r"^[ \t]*---[ \t\r]*$", body, re.MULTILINE)
    if found and re.search(
        r"^(trigger|description|globs?)[ \t]*:", body[: found.start()], re.MULTILINE
    ):
        message = "the frontmatter ends here, also inside a block scalar; what follows is text"
        yield about(rule, "early-fence", message, line=rule.parts.body_line - 1)


def _glob_comment(rule: Rule) -> Iterator[Finding]:
    pattern = r"^[ \t]*globs?[ \t]*:[ \t]*\*.*[ \t]#"
    found = re.search(pattern, rule.parts.head or "", re.MULTILINE)
    if found:
        message = "quote the glob: the comment becomes a part of it"
        yield about(rule, "glob-comment", message, line=_line(rule, "globs?"))


def _line(rule: Rule, key: str) -> int:
    """Return the line of the file on which a key of the frontmatter stands."""
    head = rule.parts.head or ""
    found = re.search(rf"^[ \t]*[\"']?{key}[\"']?[ \t]*:", head, re.MULTILINE)
    return rule.parts.head_line + head.count("\n", 0, found.start()) if found else 1


# -- directory and global files ----------------------------------------------------------


def _plain(rule: Rule) -> Iterator[Finding]:
    body = rule.parts.body
    if body.startswith(BOM):
        yield about(rule, "bom-in-text", "remove the byte order mark")
    parts = split(body.removeprefix(BOM))
    if parts.head is not None and re.search(
        r"^(trigger|description|globs?)\s*:", parts.head, re.MULTILINE
    ):
        message = "the whole file is always told, whatever its trigger says"
        line = line_at(rule, 0) + parts.head_line - 2
        yield about(rule, "frontmatter-in-directory-file", message, line=line)
