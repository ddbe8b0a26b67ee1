"""From a text to a `Script`, or to the reason why not."""

from __future__ import annotations

from functools import lru_cache

from agguard.shell.scanner import Refusal, pattern
from agguard.shell.simple import Simple, plain_line
from agguard.shell.syntax import Command, Script, Unparsed

RECENT = 8
"""How many results are kept: every guard of a hook asks for the same few texts."""

LENGTH_LIMIT = 256 * 1024
"""Longer command lines are refused; what takes the time is bounded by `Scanner.spend`."""

CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"


@lru_cache(maxsize=RECENT)
def parse(text: str) -> Script | Unparsed:
    """Parse a command line as bash would read it from `bash -c`.

    Args:
        text: The command line; newlines and CRLF separate commands.

    Returns:
        The script, or an `Unparsed` for everything that is broken, ambiguous between shells,
        too long or nested too deeply. It never raises.
    """
    if len(text) > LENGTH_LIMIT:
        return Unparsed(f"longer than {LENGTH_LIMIT} characters", LENGTH_LIMIT)
    control = None if text.isprintable() else pattern(CONTROL).search(text)
    if control is not None:
        return Unparsed("a control character", control.start())
    try:
        return plain_line(text) or _read(Simple(text))
    except NotImplementedError:
        from agguard.shell.grammar import Grammar

        return _read(Grammar(text))


def _read(parser: Simple) -> Script | Unparsed:
    try:
        script = parser.script()
        if parser.pos != parser.end:
            parser.refuse(f"unexpected {parser.peek()!r}")
        if parser.pending:
            parser.refuse("here-document without a body")
    except Refusal as refusal:
        return Unparsed(refusal.reason, refusal.offset)
    except RecursionError:
        return Unparsed("nested too deeply", parser.pos)
    if parser.nested:
        from agguard.shell.context import settle

        settle(script)
    return script


def words(text: str) -> tuple[str, ...] | None:
    """Return the words of a line that is one plain simple command, else None.

    Plain means: no assignment, no redirection, no operator, and every word known without
    running anything.
    """
    script = parse(text)
    if isinstance(script, Unparsed) or len(script.nodes) != 1:
        return None
    node = script.nodes[0]
    if not isinstance(node, Command) or node.assignments or node.redirects or node.prefix:
        return None
    if node.trail not in ("", "\n", ";"):
        return None
    texts = tuple(word.text for word in node.words if word.text is not None)
    return texts if len(texts) == len(node.words) else None
