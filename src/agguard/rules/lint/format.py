"""Findings as text: for a person, for GitHub's annotations, and as data."""

from __future__ import annotations

from agguard.rules.text import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from agguard.rules.lint.finding import Finding


def as_text(findings: Iterable[Finding]) -> str:
    """Return one line per finding: `path:line: severity: message [code, section]`."""
    return "".join(
        shown(
            f"{_flat(each.path)}:{each.line}: {each.severity}: {_flat(each.message)}"
            f" [{each.code}, {each.section}]\n"
        )
        for each in findings
    )


def as_github(findings: Iterable[Finding]) -> str:
    """Return GitHub's workflow commands, one per finding, everything escaped."""
    lines = []
    for each in findings:
        place = f"file={_property(each.path)},line={each.line},title={_property(each.code)}"
        lines.append(f"::{each.severity} {place}::{_data(each.message)}\n")
    return shown("".join(lines))


def as_data(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return the findings as JSON types."""
    return [
        {
            "file": shown(each.path),
            "line": each.line,
            "severity": each.severity,
            "code": each.code,
            "section": each.section,
            "message": shown(each.message),
        }
        for each in findings
    ]


def _flat(text: str) -> str:
    return text.replace("\r", "\\r").replace("\n", "\\n")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
