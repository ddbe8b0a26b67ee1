"""The injection guard: gathers what a subagent has to know, then composes it."""

from __future__ import annotations

import os

from agguard.model import token
from agguard.model.session import Role
from agguard_builtin.injection.text import composed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.model.call import Spawn
    from agguard.model.contribution import Addition
    from agguard.model.session import Session

RULES = {Role.COORDINATOR: "coordinator.md", Role.WORKER: "executor.md"}

TOLD_ANYWAY = ("self", "research")
"""Types that the host gives the project's rules itself (contract, the table)."""


def augment(spawn: Spawn, session: Session) -> Addition | None:
    """Add the token line, the role's rules and the project's rules, none of them twice."""
    settings = session.section("injection")
    if settings.get("mode", "on") == "off":
        return None
    return composed(
        spawn.prompt,
        line=token.line(spawn.token) if spawn.token else "",
        rules=_role_rules(spawn.role, settings),
        project=_project_rules(spawn, session, settings),
        template=settings.get("template", ""),
    )


def _role_rules(role: Role, settings: Mapping[str, Any]) -> str:
    """Read the rules of a role: the user's own, or the shipped ones.

    Bytes that are no UTF-8 are replaced: a fault here would leave the subagent without its token.
    """
    name = RULES[role]
    shipped = os.path.join(os.path.dirname(__file__), "rules")
    own = os.path.expanduser(settings.get("rules", ""))
    folder = own if own and os.path.isfile(os.path.join(own, name)) else shipped
    with open(os.path.join(folder, name), encoding="utf-8-sig", errors="replace") as file:
        return file.read().strip()


def _project_rules(spawn: Spawn, session: Session, settings: Mapping[str, Any]) -> str:
    """Render the project's rules for a type that the host leaves without them."""
    wanted = settings.get("project_rules", "auto")
    is_told = spawn.type_name in TOLD_ANYWAY and not spawn.is_definition
    if wanted == "never" or (wanted == "auto" and is_told) or not session.workspaces:
        return ""
    from agguard.rules.block import block, told
    from agguard.rules.disk import Disk
    from agguard.rules.engine import render
    from agguard.rules.product import product_shown
    from agguard.rules.text import shown

    disk = Disk()
    rendered = render(
        session.workspaces,
        session.home,
        product=product_shown(session.home, disk, artifact=session.transcript),
        budget_tokens=settings.get("budget_tokens", 4000),
        read=disk,
    )
    own = os.path.join("plugins", "agguard", "rules")
    return block(
        [
            rule
            for rule in rendered.rules
            # Ours are for the primary; and what the prompt holds already is not said again.
            if own not in rule.path
            and not (rule.body and rule.body in spawn.prompt)
            and shown(told(rule)) not in spawn.prompt
        ]
    )
