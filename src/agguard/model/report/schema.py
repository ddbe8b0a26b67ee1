"""The schema of a report for each role: JSON Schema, Draft 2020-12, as data.

The hook path checks against these very objects (`agguard.model.report.check`), and
`agguard handoff schema` prints them.
"""

from __future__ import annotations

from agguard.model.session import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.model.value import Value

EXECUTOR = "executor"
COORDINATOR = "coordinator"
RESEARCHER = "researcher"
ROLES = (EXECUTOR, COORDINATOR, RESEARCHER)

STATUSES = ("completed", "failed", "blocked")
SUMMARY_LENGTH = 5000
"""Characters; the prior plugin came to it from 1,200, which was too tight (its reference, 7.2)."""

MEANINGS = {
    EXECUTOR: "a subagent that changes files and runs commands",
    COORDINATOR: "a subagent that hands its task on to executors",
    RESEARCHER: "a subagent that only reads",
}

SAYS_SOMETHING = {"type": "string", "pattern": r"\S"}

PROPERTIES: dict[str, dict[str, Any]] = {
    "status": {"enum": list(STATUSES)},
    "summary": {**SAYS_SOMETHING, "maxLength": SUMMARY_LENGTH},
    "files_modified": {"type": "array", "items": SAYS_SOMETHING},
    "verify_cmd": {"type": "string"},
    "failure_kind": SAYS_SOMETHING,
    "failing_command": {"type": "string"},
    "exit_code": {"type": ["integer", "null"]},
    "diagnostic": SAYS_SOMETHING,
    "question": SAYS_SOMETHING,
}

DESCRIPTIONS = {
    "status": "How the task ended.",
    "summary": "What was done and found, for the parent.",
    "files_modified": "Every file that was changed; [] for none.",
    "verify_cmd": "The command that was run after the last change and proves the result.",
    "failure_kind": "What kind of failure it is, in a word or two.",
    "failing_command": "The command that failed, as it was run; empty when none was.",
    "exit_code": "Its exit status; null when it has none.",
    "diagnostic": "What it said that matters, and what was learned.",
    "question": "What has to be answered before the work can go on.",
}

NEEDED = ("status", "summary")
NEEDED_BY_EXECUTORS = ("files_modified", "verify_cmd")
NEEDED_WHEN = {
    "failed": ("failure_kind", "failing_command", "exit_code", "diagnostic"),
    "blocked": ("question",),
}


def role_of(who: Value) -> str:
    """Return the schema that the report of a child must fit.

    Args:
        who: A session or a work item: anything with a role and a tier.
    """
    role, read_only = (getattr(who, field, None) for field in ("role", "read_only"))
    if role == Role.COORDINATOR:
        return COORDINATOR
    return RESEARCHER if read_only else EXECUTOR


def schema(role: str) -> dict[str, Any]:
    """Return the schema of a role's report, ready for any JSON Schema library.

    Raises:
        KeyError: There is no such role; `ROLES` names them.
    """
    executes = role == EXECUTOR
    proof = {"then": {"properties": {"verify_cmd": SAYS_SOMETHING}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:agguard:handoff:{role}",
        "title": f"Report of {'an' if role[0] in 'aeiou' else 'a'} {role}",
        "description": f"What {MEANINGS[role]} sends to its parent: this object and no other text.",
        "type": "object",
        "required": [*NEEDED, *(NEEDED_BY_EXECUTORS if executes else ())],
        "properties": {
            name: {"description": DESCRIPTIONS[name], **rule} for name, rule in PROPERTIES.items()
        },
        "allOf": [
            *([{**_when("completed"), **proof}] if executes else []),
            *({**_when(status), "then": {"required": [*n]}} for status, n in NEEDED_WHEN.items()),
        ],
    }


def _when(status: str) -> dict[str, Any]:
    return {"if": {"properties": {"status": {"const": status}}, "required": ["status"]}}
