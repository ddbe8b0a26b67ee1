"""Where a rule file's frontmatter begins and ends (4.4)."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules.text import SPACE, trim

FENCE = "---"


class Parts(Value):
    """A text cut at its fences."""

    head: str | None
    """The YAML between the fences; None when there is no frontmatter."""
    body: str
    """What stands after them, untouched; without frontmatter the whole text."""
    opened: bool = False
    """Whether a first fence stands there that nothing closes."""
    head_line: int = 1
    """The line on which the YAML begins, from 1."""
    body_line: int = 1
    """The line on which the body begins, from 1."""


def split(text: str) -> Parts:
    """Cut a text at its fences.

    The first line that is not blank must be a fence; a closed one is needed. Fences may be
    indented, and the next fence closes even inside a YAML block scalar.
    """
    first = len(text) - len(text.lstrip(SPACE))
    start = text.rfind("\n", 0, first) + 1
    head_start = _line_end(text, start)
    if trim(text[start:head_start]) != FENCE:
        return Parts(None, text)
    close = head_start
    while (close := text.find(FENCE, close)) >= 0:
        line = text.rfind("\n", 0, close) + 1
        close = _line_end(text, close)
        if line >= head_start and trim(text[line:close]) == FENCE:
            return _parts(text, head_start, line, close)
    return Parts(None, text, opened=True)


def _line_end(text: str, at: int) -> int:
    """Return where the line after the one at `at` begins."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _parts(text: str, head: int, fence: int, body: int) -> Parts:
    head_line = text.count("\n", 0, head) + 1
    body_line = head_line + text.count("\n", head, body)
    return Parts(
        text[head:fence], text[body:], opened=True, head_line=head_line, body_line=body_line
    )
