"""Secrets in the userinfo of URLs: `https://user:password@host`, `https://token@host`."""

from __future__ import annotations

import re

from agguard.model.redact import extent, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.redact.extent import Span

_AUTHORITY = re.compile(r"[^\s\"'<>`/?#]*+")
_PORT = re.compile(r":\d{0,5}\Z")
_FAR = re.compile(r"[^\s\"'<>`@]*+@[^\s\"'<>`/?#@]+[/:?#]?")
_NEAR = 256
"""How far beyond an unescaped `/` the `@` of a password is looked for."""


def find(text: str) -> list[Span]:
    """Return the spans of passwords, and of users that look like tokens."""
    spans: list[Span] = []
    at = 0
    while (at := text.find("://", at)) >= 0:
        at += 3
        end = _userinfo_end(text, at)
        if end > at:
            spans += _secrets(text, at, end)
            at = end
    return spans


def _userinfo_end(text: str, at: int) -> int:
    """Return where the userinfo ends, or -1: at the last `@` of the authority.

    A password may hold a `/` that should have been escaped: then its `@` comes later.
    """
    authority = _AUTHORITY.match(text, at)
    stop = authority.end() if authority else at
    end = text.rfind("@", at, stop)
    if end < 0 and text.find(":", at, stop) >= 0 and not _PORT.search(text[at:stop][-8:]):
        far = _FAR.match(text, stop, stop + _NEAR)
        end = text.find("@", stop, far.end()) if far else -1
    return end


def _secrets(text: str, start: int, end: int) -> list[Span]:
    user, colon, password = text[start:end].partition(":")
    spans = []
    if names.looks_random(user):
        spans.append((start, start + len(user)))
    if colon and not extent.is_reference(password) and password != "x-oauth-basic":  # noqa: S105
        spans.append((start + len(user) + 1, end))
    return spans
