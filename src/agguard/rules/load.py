"""From a rule file that was found to what it contributes (4, then 6 to 8)."""

from __future__ import annotations

from agguard.rules.budget import tokens
from agguard.rules.cap import cut
from agguard.rules.frontmatter import Parts, split
from agguard.rules.mention import mentioned
from agguard.rules.path import parent
from agguard.rules.rule import (
    BUILTIN,
    CONDITIONAL,
    DIRECTORY,
    GLOBAL,
    HOME,
    INLINE,
    OUT,
    Rule,
    Source,
)
from agguard.rules.text import BOM, guessed, lossless, raw, strict, trim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.rules.include import Library
    from agguard.rules.port import Read


class Loader:
    """Loads rules; one that was loaded is not read again."""

    def __init__(self, library: Library, read: Read) -> None:
        self.library = library
        self.read = read
        self.loaded: dict[Source, Rule] = {}

    def load(self, source: Source) -> Rule:
        """Read a rule file and work out what it contributes; never raises."""
        if source not in self.loaded:
            self.loaded[source] = self._load(source)
        return self.loaded[source]

    def _load(self, source: Source) -> Rule:
        try:
            data = self.read.data(source.path)
        except OSError as error:
            detail = error.strerror or "cannot be read"
            return Rule(source, OUT, "unreadable", detail)
        rule = parsed(source, data)
        return self._finished(rule) if rule.state == INLINE else rule

    def _finished(self, rule: Rule) -> Rule:
        """Put the includes in, cut at the cap, make the mentions absolute."""
        source = rule.source
        folder = self._include_folder(source)
        expansion = self.library.expand(rule.parts.body, folder)
        head, lost = cut(expansion.head, expansion.size)
        body = lossless(head)
        if source.root:
            body = mentioned(body, parent(source.path), source.root, self.read)
        return rule.replace(
            body=body,
            expanded=expansion.size,
            lost=lost,
            tokens=tokens(len(raw(body))),
            exempt=source.scope == BUILTIN,
            inclusions=expansion.inclusions,
        )

    def _include_folder(self, source: Source) -> str:
        """Return where relative includes start; `~/.gemini` for every global file (6.2)."""
        if source.kind == GLOBAL and source.scope == HOME:
            return f"{self.library.home}/.gemini"
        return parent(source.path)


def parsed(source: Source, data: bytes) -> Rule:
    """Decide from a rule file's bytes whether and how it counts (4); the body stays untouched."""
    if source.kind == GLOBAL:
        return _global(source, data)
    if source.kind == DIRECTORY:
        return _directory(source, data)
    return _conditioned(source, data)


def _global(source: Source, data: bytes) -> Rule:
    text = guessed(data)
    if text is None:
        return Rule(source, OUT, "not_text", size=len(data))
    rule = Rule(source, INLINE, "global", size=len(data), parts=Parts(None, text))
    return rule if trim(text) else rule.replace(state=OUT, reason="blank")


def _directory(source: Source, data: bytes) -> Rule:
    text = strict(data)
    if text is None:
        return Rule(source, OUT, "not_utf8", size=len(data))
    return Rule(source, INLINE, "directory", size=len(data), parts=Parts(None, text))


def _conditioned(source: Source, data: bytes) -> Rule:
    parts = split(lossless(data))
    if parts.head is None:
        return Rule(source, OUT, _absence(parts), size=len(data), parts=parts)
    from agguard.rules.fields import read

    fields = read(parts.head)
    if fields.problem:
        line = parts.head_line + fields.line - 1
        refused = "frontmatter_refused"
        return Rule(source, OUT, refused, fields.problem, line, size=len(data), parts=parts)
    state, reason = _triggered(fields.trigger)
    return Rule(
        source,
        state,
        reason,
        fields.trigger if reason == "trigger_unknown" else "",
        trigger=fields.trigger,
        description=fields.description,
        globs=fields.globs or fields.glob,
        size=len(data),
        parts=parts,
    )


def _absence(parts: Parts) -> str:
    """Return why a file of a rules folder has no frontmatter."""
    if parts.opened:
        return "unclosed_frontmatter"
    hidden = parts.body.startswith(BOM) and split(parts.body[1:]).head is not None
    return "bom_before_frontmatter" if hidden else "no_frontmatter"


def _triggered(trigger: str) -> tuple[str, str]:
    """Return the state and the reason that a trigger gives (4.3)."""
    if trigger == "always_on":
        return INLINE, "always_on"
    if trigger == "model_decision":
        return CONDITIONAL, "model_decision"
    if trigger in ("glob", "manual"):
        return OUT, f"trigger_{trigger}"
    return OUT, "trigger_unknown" if trigger else "trigger_missing"
