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
    r"(?<![\w-])(?:(?:set|setx|setenv|config|(?-i:ENV)|put)\s++(?:-{1,2}[\w-]++\s++){0,4}+){1,3}+"
    r"(?P<name>[\w.:/-]++)[ \t]++(?![-=:<>])",
    re.IGNORECASE,
)
_PGPASS = r"(?<![\w.*-])[\w.*-]++:(?:\d{2,5}|\*):[\w.*-]++:[\w.*-]++:"


def find(text: str) -> list[Span]:
    """Return the spans of secrets that follow one of the known phrases."""
    found = [extent.secret(text, match.end()) for match in _LITERAL.finditer(text)]
    schemes = [match for match in _SCHEME.finditer(text) if names.looks_random(match[1])]
    found += [match.span(1) for match in schemes]
    found += [_set(text, match) for match in _SETS.finditer(text)]
    if "pgpass" in text:
        found += [extent.secret(text, match.end()) for match in re.compile(_PGPASS).finditer(text)]
    return [span for span in found if span]


def _set(text: str, match: re.Match[str]) -> Span | None:
    span = extent.secret(text, match.end())
    if span and names.grade(match["name"]) and _is_value(match["name"], text[span[0] : span[1]]):
        return span
    return None


def _is_value(name: str, value: str) -> bool:
    return names.is_secret(name, value) and not value.startswith(("--", "="))
