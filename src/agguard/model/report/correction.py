"""The shortest change that makes a report pass. Pure."""

from __future__ import annotations

from agguard import jsontext
from agguard.model.report.check import problems
from agguard.model.report.schema import STATUSES, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

BLANKS: Mapping[str, Any] = {
    "summary": "what was done and found",
    "files_modified": [],
    "verify_cmd": "the command that proves it",
    "failure_kind": "what kind of failure it is",
    "failing_command": "the command that failed",
    "exit_code": None,
    "diagnostic": "what it said, and what was learned",
    "question": "what has to be answered",
}
"""Texts to be replaced; left as they are they pass as form, and are looked up like any claim."""

SYNONYMS = {
    "completed": ("complete", "done", "success", "succeeded", "ok", "finished"),
    "failed": ("fail", "failure", "error"),
    "blocked": ("block", "waiting", "stuck", "needs input"),
}
LONGEST = 700
"""Characters of a corrected report that is shown whole."""


def corrected(document: object, role: str, prose: str = "") -> dict[str, Any]:
    """Return a valid report that keeps what is right in `document`.

    Args:
        document: What was sent; anything but an object counts as an empty one.
        role: Whose schema to fit.
        prose: The words around the object; they become the summary where there is none.
    """
    found: dict[str, Any] = dict(document) if isinstance(document, dict) else {}
    if found.get("status") not in STATUSES:
        found["status"] = _status(found)
    wanted = schema(role)
    while left := problems(found, wanted):
        for problem in left:
            if problem.member:
                found[problem.member] = _blank(problem.member, prose)
            else:
                found[str(problem.path[0])] = _mended(found, str(problem.path[0]), prose)
    return found


def instruction(document: object, role: str, prose: str = "") -> str:
    """Say in one sentence what to send instead."""
    found = corrected(document, role, prose)
    whole = jsontext.dumps(found)
    if len(whole) <= LONGEST:
        return f"Send this and no other text: {whole}"
    before = document if isinstance(document, dict) else {}
    changed = {name: value for name, value in found.items() if before.get(name, ...) != value}
    if not changed:
        return "Send the JSON object alone: no fence, no words before or behind it."
    members = jsontext.dumps(changed)[1:-1]
    return f"Send the JSON object and no other text, with these members: {members}"


def skeleton(role: str, status: str, **known: Any) -> str:  # noqa: ANN401 - any JSON
    """Return a report to be filled in, with the members that are known already."""
    return jsontext.dumps(corrected({"status": status, **known}, role))


def _status(found: Mapping[str, Any]) -> str:
    said = found.get("status")
    for status, words in SYNONYMS.items():
        if isinstance(said, str) and said.strip().lower() in (status, *words):
            return status
    if "question" in found:
        return "blocked"
    return "failed" if {"failure_kind", "exit_code", "diagnostic"} & found.keys() else "completed"


def _blank(name: str, prose: str) -> Any:  # noqa: ANN401 - a value of any JSON type
    words = " ".join(prose.split())
    return words[:200] if name == "summary" and words else BLANKS[name]


def _mended(found: Mapping[str, Any], name: str, prose: str) -> Any:  # noqa: ANN401 - see _blank
    value = found[name]
    if name == "summary" and isinstance(value, str) and value.strip():
        return value[:200]
    if name == "files_modified" and isinstance(value, list):
        return [item for item in value if isinstance(item, str) and item.strip()]
    return _blank(name, prose)
