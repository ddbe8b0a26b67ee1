"""From what an agent wrote to a `Report`. Pure, and it never raises because of the text."""

from __future__ import annotations

from agguard import jsontext
from agguard.model.report.check import kind, problems
from agguard.model.report.correction import instruction
from agguard.model.report.schema import schema
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LONGEST = 1 << 20
"""Characters of a report that are read."""
ATTEMPTS = 50
"""Braces of a text with words around it that are tried as the beginning of an object."""


class Report(Value):
    """What a child told its parent at its end."""

    text: str
    role: str
    """Whose schema it was read by: see `agguard.model.report.schema.ROLES`."""
    document: Mapping[str, Any] = {}
    """The JSON object, also where it is not a valid report."""
    problems: tuple[str, ...] = ()
    """Why it is no report, each with its `$.path`; () for a valid one."""
    correction: str = ""
    """What to send instead, where it is none."""
    unproven: tuple[str, ...] = ()
    """What it claims and the child's record does not bear out."""
    who: str = ""
    """The child, as its parent knows it."""
    is_new: bool = False
    """The parent has not been told of it."""

    @property
    def standing(self) -> str:
        """One of: invalid, unverified, valid."""
        return "invalid" if self.problems else "unverified" if self.unproven else "valid"

    @property
    def status(self) -> str:
        """How the child says that it ended; empty for what is no report."""
        return "" if self.problems else self._text("status")

    @property
    def summary(self) -> str:
        """What the child says that it did."""
        return self._text("summary")

    @property
    def question(self) -> str:
        """What it needs to know, where it is blocked."""
        return self._text("question")

    def _text(self, name: str) -> str:
        found = self.document.get(name)
        return found if isinstance(found, str) else ""


def read(text: str, role: str) -> Report:
    """Read a report of a `role`: one JSON object, and nothing around it."""
    if len(text) > LONGEST:
        from agguard.quantity import counted

        long = f"$ has {counted(len(text), 'character')}, expected {LONGEST} at the most"
        return Report(text, role, problems=(long,), correction=instruction(None, role))
    document, around = _found(text)
    if document is None:
        return _unreadable(text, role, around)
    said = [problem.shown for problem in problems(document, schema(role))]
    if around:
        said.insert(0, f"$ has text around the JSON object: {_shown(around)}")
    hint = instruction(document, role, around) if said else ""
    return Report(text, role, document, tuple(said), hint)


def _unreadable(text: str, role: str, around: str) -> Report:
    """Return the report of a text without an object; `around` is as `_found` returns it."""
    is_prose = around == text
    said = "$ is not JSON" if is_prose else f"$ is {around}"
    hint = instruction(None, role, text if is_prose else "")
    return Report(text, role, {}, (said,), hint)


def _found(text: str) -> tuple[dict[str, Any] | None, str]:
    """Return the object in a text and the words around it.

    Without an object: None, and what the text is instead, or the text itself where it is no JSON.
    """
    try:
        value = jsontext.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return _inside(text)
    return (value, "") if isinstance(value, dict) else (None, f"{kind(value)}, expected one object")


def _inside(text: str) -> tuple[dict[str, Any] | None, str]:
    """Return the longest object within a text that is no JSON as a whole."""
    best: tuple[dict[str, Any] | None, str] = (None, text)
    longest, at = 0, text.find("{")
    for _ in range(ATTEMPTS):
        if at < 0:
            break
        end = at + 1
        try:
            value, end = jsontext.first(text, at)
        except (ValueError, RecursionError):
            value = None
        if value and end - at > longest:
            longest, best = end - at, (value, f"{text[:at]} {text[end:]}".strip())
        at = text.find("{", end)
    return best


def _shown(text: str) -> str:
    words = " ".join(text.split())
    return repr(words if len(words) <= 60 else f"{words[:60]}...")  # noqa: PLR2004 - fits a line
