"""Secrets piped into a program that reads one: `echo x | docker login --password-stdin`."""

from __future__ import annotations

import re

from agguard.model.redact import extent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.model.redact.extent import Span

_READER = re.compile(
    r"--(?:password|token|pass|secret)-stdin|--with-token|--passphrase-fd|\bchpasswd\b"
    r"|\bpasswd\s++--stdin|\bsmbpasswd\b|\bsudo\s++(?:-[A-RT-Za-z]++\s++)*+-[A-RT-Za-z]*+S"
    r"|\bsudo\s++--stdin|\bsu\s|\bcryptsetup\b|\bkinit\b|-pass(?:in)?\s++(?:stdin|fd:0)|\benv\s++add\b"
    r"|\b(?:terraform|vault|wrangler|cargo|fly|flyctl|snyk|pulumi)\s++login\b|\bvault\s++(?:kv\s++)?put\b"
    r"|\bsecrets?\s++(?:set|put|create|add|versions)\b|\bpass\s++insert\b|\bpasswd\b"
)
_PRODUCER = r"(?<![\w.-])(?:echo|printf)(?=\s)"
_HERE = r"<<<\s*+|<<-?\s*+\\?[\"']?(?P<tag>\w++)[\"']?[^\n]*+\n"
_FORMAT = r"['\"]?(?:%s|\\n|[\s:])+['\"]?"
_STOP = "\n;&("
_END = re.compile(r"[\n;&|]")
_LINE = re.compile(r"[^\s][^\n]*+")
_BLANK = re.compile(r"\s")
_RUNS = re.compile(
    r"\b(?:(?:ba|z|da|k|c|tc|fi)?sh|python[\d.]*|node|deno|bun|perl|ruby|php|lua|xargs|ssh|eval|source"
    r"|parallel|psql|mysql|sqlite3|tee|at|batch|crontab)\b"
)
_FAR = 1024
"""How long the command on either side of the pipe may be."""


def find(text: str) -> list[Span]:
    """Return the spans of what is piped or redirected into a reader of secrets."""
    spans: list[Span] = []
    until = 0
    for reader in _READER.finditer(text):
        if reader.start() >= until:
            spans += [*_piped(text, reader.start()), *_redirected(text, reader.end())]
            until = spans[-1][1] if spans else 0
    return spans


def _piped(text: str, at: int) -> Iterator[Span]:
    """Yield the words that echo or printf, before the pipe, write."""
    low = max(0, at - _FAR)
    pipe = text.rfind("|", low, at)
    if pipe <= low or any(text.rfind(stop, pipe, at) >= 0 for stop in _STOP):
        return
    group = {")": "(", "}": "{"}.get(text[low:pipe].rstrip()[-1:], "")
    stops = group or (*_STOP, "|")
    start = max(text.rfind(stop, low, pipe) for stop in stops)
    for producer in re.compile(_PRODUCER).finditer(text, max(start, low), pipe):
        yield from _written(text, producer.end(), pipe)


def _written(text: str, at: int, pipe: int) -> Iterator[Span]:
    for word, end in extent.words(text, at):
        option = text[word] == "-" and end - word <= 3  # noqa: PLR2004 - echo's -n, -e, -E
        span = extent.secret(text, word, end)
        if span is None or end > pipe or option or re.compile(_FORMAT).fullmatch(text, word, end):
            continue
        if not (_BLANK.search(text, *span) and _runs_input(text, pipe)):
            yield span


def _runs_input(text: str, at: int) -> bool:
    """Tell whether a shell or the like stands in the command at `at`: it runs what it reads."""
    eol = text.find("\n", at, at + _FAR)
    return _RUNS.search(text, at, eol if eol >= 0 else at + _FAR) is not None


def _redirected(text: str, at: int) -> Iterator[Span]:
    """Yield the here string, or the lines of the here document, of the same command."""
    operator = text.find("<<", at, at + _FAR)
    if operator < 0 or _END.search(text, at, operator):
        return
    here = re.compile(_HERE).match(text, operator, operator + _FAR)
    if here is None:
        return
    low = max(0, at - _FAR)
    start = max(low - 1, *(text.rfind(stop, low, at) for stop in "\n;|&"))
    runs = _RUNS.search(text, start + 1, operator) is not None
    if here["tag"] is None:
        span = extent.secret(text, here.end())
        if span and not (runs and _BLANK.search(text, *span)):
            yield span
        return
    close = re.compile(rf"^[ \t]*{here['tag']}\b", re.MULTILINE).search(text, here.end())
    end = close.start() if close else len(text)
    for line in _LINE.finditer(text, here.end(), end):
        if not extent.is_reference(line[0]) and not (runs and _BLANK.search(line[0])):
            yield line.span()
