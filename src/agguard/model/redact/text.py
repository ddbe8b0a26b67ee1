"""Takes the secrets out of a text."""

from __future__ import annotations

from agguard.model.redact import hints, programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.model.redact.extent import Span

MARK = "[redacted]"
"""What stands in a secret's place."""

LIMIT = 1 << 16
"""How many characters of a text are kept: the log is for reading, and a hook has little time."""

CUT = " [cut]"
"""What stands for the rest of a longer text."""

_ROUNDS = 8
_LONGEST_TOKEN = 512


def redact(text: str) -> str:
    """Return the text with a mark in the place of every secret that is recognized.

    Args:
        text: Anything: a command, a path, a reason, an error.

    Returns:
        The text; the same object if it holds nothing secret and is not too long. Applying
        `redact` again changes nothing. A text of short secrets may become longer, for a mark is
        10 characters; what exceeds `LIMIT` is cut.

    The result is looked through again until nothing is found: where one secret is replaced,
    another may become visible. A text that does not settle is withheld as a whole.
    """
    text = _cut(text)
    for _ in range(_ROUNDS):
        after = _cut(replaced(text, _spans(text)))
        if after == text:
            return text
        text = after
    return MARK


def _cut(text: str) -> str:
    """Return the head of a text that is too long, without a word that may be half a token."""
    if len(text) <= LIMIT:
        return text
    head = text[: LIMIT - len(CUT)]
    whole = head[-_LONGEST_TOKEN:].split()
    partial = len(whole[-1]) if whole and not head[-1].isspace() else 0
    return head[: len(head) - partial] + CUT


def _spans(text: str) -> list[Span]:
    """Return where the secrets are; a finder whose hints do not occur is not imported."""
    spans: list[Span] = []
    low = text.lower()
    if _any(hints.TOKENS, text):
        from agguard.model.redact import shapes

        spans += shapes.find(text)
    if _any(hints.URLS, low):
        from agguard.model.redact import urls

        spans += urls.find(text)
    named = _any(hints.STEMS, low)
    if named:
        from agguard.model.redact import assignments

        spans += assignments.find(text)
    if _any(hints.PHRASES, low) or (named and _any(hints.SETTERS, low)):
        from agguard.model.redact import phrases

        spans += phrases.find(text)
    if _any(hints.STREAMS, low):
        from agguard.model.redact import streams

        spans += streams.find(text)
    if programs.are_named(low):
        from agguard.model.redact import commands

        spans += commands.find(text)
    return _kept(text, spans)


def _kept(text: str, spans: list[Span]) -> list[Span]:
    """Return the spans without the commands that a shell would run inside of them."""
    if spans and ("$(" in text or "`" in text):
        from agguard.model.redact import extent

        spans = [part for span in spans for part in extent.without_commands(text, span)]
    return [span for span in spans if span[0] < span[1]]


def _any(wanted: Iterable[str], text: str) -> bool:
    return any(hint in text for hint in wanted)


def replaced(text: str, spans: list[Span]) -> str:
    """Return the text with a mark for every span; what overlaps a span or a mark joins it."""
    if not spans:
        return text
    at = -1
    while (at := text.find(MARK, at + 1)) >= 0:
        spans.append((at, at + len(MARK)))
    parts, done, until = [], 0, 0
    for start, end in sorted(spans):
        if start >= until:
            parts += [text[done:start], MARK]
            done = until = end
        else:
            done = until = max(until, end)
    return "".join(parts) + text[done:]
