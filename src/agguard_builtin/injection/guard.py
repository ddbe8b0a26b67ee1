"""The injection guard: a subagent's token first, then its task, then the rules of its role."""

from __future__ import annotations

import os

from agguard.model import token
from agguard.model.contribution import Addition
from agguard.model.session import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Spawn
    from agguard.model.session import Session

RULES = {Role.COORDINATOR: "coordinator.md", Role.WORKER: "executor.md"}


def augment(spawn: Spawn, session: Session) -> Addition | None:
    """Add the token line and the role's rules, neither of them twice."""
    if session.section("injection").get("mode", "on") == "off":
        return None
    line = token.line(spawn.token)
    rules = _shipped(RULES[spawn.role]).strip()
    return Addition(
        before="" if spawn.prompt.startswith(line) else line,
        after="" if rules in spawn.prompt else rules,
    )


def _shipped(name: str) -> str:
    folder = os.path.join(os.path.dirname(__file__), "rules")
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()
