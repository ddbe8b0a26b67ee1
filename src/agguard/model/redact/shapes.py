"""Secrets that are known by their shape: the tokens of vendors, private keys, password hashes."""

from __future__ import annotations

import re

from agguard.model.redact import extent
from agguard.model.redact.hints import PATHS, SURE, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.redact.extent import Span

_WORD = re.compile(r"[\w-]*+(?:\.[\w-]{6,}+|\.\.[\w-]{6,}+)*+={0,2}", re.ASCII)
_PATH = re.compile(r"[\w./$+=,*-]*+", re.ASCII)
_AFTER_KEY_ID = r"[\s:,\"'/\\]{1,4}([A-Za-z0-9/+]{36,44})(?![\w/+])"
_PEM = r"-----BEGIN[\\ ]+(?:[A-Z0-9]+[\\ ]+)*PRIVATE[\\ ]+KEY(?:[\\ ]+BLOCK)?-----"
_GAP = r"(?:\s|\\+[nr]|[\"'+,])*+"
_PEM_HEAD = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash): ?[\w ,.:()/-]*+"
_PEM_BODY = (
    rf"(?:{_GAP}(?:{_PEM_HEAD}|[A-Za-z0-9+/=]{{16,}}+))*+"
    rf"(?:{_GAP}[A-Za-z0-9+/=]{{1,15}}+(?={_GAP}(?:-----END|\Z)))?"
)
_PPK = rf"Private-Lines: *\d+((?:{_GAP}[A-Za-z0-9+/=]{{4,}}+)*+)"
_ESCAPE = r"\\[nrt]|%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}"
_LONGEST_LEFT = 64
_NEED_DIGIT = {"s.", "sl.", "sk-", "key-"}


def find(text: str) -> list[Span]:
    """Return the spans of tokens and of the bodies of private keys."""
    spans = _blocks(text)
    for table, body in ((SURE, _WORD), (WORDS, _WORD), (PATHS, _PATH)):
        for prefix, least in table.items():
            at = 0
            while (at := text.find(prefix, at)) >= 0:
                start = at + len(prefix)
                end = extent.run_end(body, text, start)
                if end - start >= least and _is_token(text, prefix, at, end):
                    spans.append((_left(text, at) if prefix[0] == "." else at, end))
                    spans += _aws_secret(text, prefix, end)
                at = max(start, end)
    return spans


def _blocks(text: str) -> list[Span]:
    """Return the bodies of private keys: what follows the head and looks like a key."""
    spans: list[Span] = []
    if "PRIVATE" in text:
        at = 0
        while begin := re.compile(_PEM).search(text, at):
            at = extent.run_end(re.compile(_PEM_BODY), text, begin.end())
            spans.append((begin.end(), at))
    if "Private-Lines" in text:
        spans += [match.span(1) for match in re.compile(_PPK).finditer(text)]
    return spans


def _is_token(text: str, prefix: str, at: int, end: int) -> bool:
    if prefix in WORDS and not _starts_word(text, at):
        return False
    body = text[at + len(prefix) : min(end, at + 256)]
    mixed = prefix not in _NEED_DIGIT and not (body.islower() or body.isupper())
    return mixed or any(map(str.isdigit, body))


def _starts_word(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    if not before.isalnum() and before not in {"_", "-", "."}:
        return True
    return any(re.compile(_ESCAPE).fullmatch(text, max(0, at - size), at) for size in (2, 3, 4))


def _left(text: str, at: int) -> int:
    """Return where the word starts that goes on with a prefix such as `.atlasv1.`."""
    start = at
    while start and at - start < _LONGEST_LEFT and text[start - 1].isalnum():
        start -= 1
    return start


def _aws_secret(text: str, prefix: str, end: int) -> list[Span]:
    """Return the secret key that stands beside an AWS access key id."""
    after = re.compile(_AFTER_KEY_ID).match(text, end) if prefix in {"AKIA", "ASIA"} else None
    return [after.span(1)] if after else []
