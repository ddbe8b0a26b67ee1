"""Sessions of every role, as the guards see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agguard.model.session import Role, Session
from agguard.testing.calls import WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

DEPTH = {Role.PRIMARY: 2, Role.COORDINATOR: 1}

CONVERSATION = "a-conversation-of-the-kit"


def session(
    role: Role | str = Role.WORKER,
    settings: Mapping[str, Any] | None = None,
    **fields: Any,  # noqa: ANN401 - the fields' own types apply
) -> Session:
    """Make a session.

    Args:
        role: Who calls: `primary`, `coordinator`, `worker` or `unknown`.
        settings: The compiled configuration, section by section.
        fields: Any other field of `Session`.
    """
    who = Role(role)
    usual: dict[str, Any] = {
        "conversation": CONVERSATION,
        "remaining_depth": DEPTH.get(who, 0),
        "parent": "its-parent" if who.is_child else "",
        "workspaces": (WORKSPACE,),
        "artifact_dir": f"/home/user/.gemini/antigravity/brain/{CONVERSATION}",
        "home": "/home/user",
        "model": "auto",
    }
    return Session(**{**usual, **fields, "role": who, "settings": settings or {}})
