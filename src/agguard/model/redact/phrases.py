"""Secrets that a sentence introduces: SQL, .netrc, `config set name value`, `Bearer x`."""

from __future__ import annotations

import re

from agguard.model.redact import extent, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.redact.extent import Span

_LITERAL = re.compile(
    r"\b(?:identified\s++(?:with\s++\S++\s++)?(?:by|as)\s++(?:password\s++)?(?=\\*[\"'])"
    r"|user\s++\S++\s++identified\s++by\s++"
    r"|(?:with|encrypted|set|to)\s++password\s++(?=\\*')"
    r"|(?:login|user)\s++\S++\s++(?:account\s++\S++\s++)?password\s++"
    r"|machine\s++\S++\s++password\s++"
    r"|connect\s++\S++\s++password\s++"
    r"|http-basic\.\S++\s++\S++\s++"
    r"|convertto-securestring\s++(?:-(?:string|asplaintext|force)\s++)*+"
    r"|(?:requirepass|masterauth)\s++)(?![-(|])",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"\b(?:bearer|basic)[ \t]++([\w.~+/=-]{8,})", re.IGNORECASE)
_SETS = re.compile(
    r"(?<![\w-])(?:(?:set|setx|setenv|config|(?-i:ENV)|--arg)\s++(?:-{1,2}[\w-]++\s++){0,4}+){1,3}+"
    r"[\"']?(?P<name>[\w.:/-]++)[\"']?[ \t]++(?![-=:<>])",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:password|passphrase|(?:api|access|secret) key|token|secret) (?:is|was)[: ] *+(?![-(])",
    re.IGNORECASE,
)
_SUBSTITUTES = re.compile(r"(?<![\w.-])s([/|#,@])(?P<name>(?:(?!\1)[^\s\"']){1,100}+)\1")
_LEAST = 8
_WORD = re.compile(r"[^\s/;&|]+")
_LONGEST = 512
_PGPASS = r"(?<![\w.*-])[\w.*-]++:(?:\d{2,5}|\*):[\w.*-]++:[\w.*-]++:"


def find(text: str) -> list[Span]:
    """Return the spans of secrets that follow one of the known phrases."""
    found = [extent.secret(text, match.end()) for match in _LITERAL.finditer(text)]
    schemes = [match for match in _SCHEME.finditer(text) if names.looks_random(match[1])]
    found += [match.span(1) for match in schemes]
    found += [_set(text, match) for match in _SETS.finditer(text)]
    found += [_told(text, match) for match in _TELLS.finditer(text)]
    if "sed " in text or "perl " in text:
        found += [_substituted(text, match) for match in _SUBSTITUTES.finditer(text)]
    if "pgpass" in text:
        found += [extent.secret(text, match.end()) for match in re.compile(_PGPASS).finditer(text)]
    return [span for span in found if span]


def _set(text: str, match: re.Match[str]) -> Span | None:
    span = extent.secret(text, match.end())
    name = re.split(r"[/:]", match["name"])[-1]
    return span if span and names.is_secret(name, text[slice(*span)]) else None


def _told(text: str, match: re.Match[str]) -> Span | None:
    """Return the secret of "the password is x", if x is no plain word."""
    span = extent.secret(text, match.end())
    return None if span is None or _is_plain(text[slice(*span)]) else span


def _substituted(text: str, match: re.Match[str]) -> Span | None:
    """Return the secret of `s/PASSWORD_PLACEHOLDER/x/`."""
    end = text.find(match[1], match.end(), match.end() + _LONGEST)
    secret = any(names.grade(name) >= names.FILE for name in re.findall(r"[\w-]+", match["name"]))
    return (
        None if end < 0 or not secret or _is_plain(text[match.end() : end]) else (match.end(), end)
    )


def _is_plain(value: str) -> bool:
    return (
        value.isalpha() or not value.isascii() or len(value) < _LEAST or not _WORD.fullmatch(value)
    )
