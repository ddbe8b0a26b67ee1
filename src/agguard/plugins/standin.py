"""What is asked in the place of the shipped guards where those are not there.

A tool call that nobody has judged is denied, so that guards which are gone by mistake, or by an
agent's hand, are not guards that allow. Where the user has blocked the shipped plugin, being
without it is a choice, and is written down as one: an implementation without objections.
"""

from __future__ import annotations

from agguard.plugins.discovery import DEFAULT, DEFAULT_TARGET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOOK = "judge_tool"

ABSENT = f"{DEFAULT_TARGET}:{HOOK}"
"""The target of a shipped plugin that is refused; there is nothing of that name."""


def judge_tool() -> None:
    """Object to nothing: the user has blocked the shipped guards."""


def row(state: str) -> dict[str, Any] | None:
    """Return the manifest's row for a shipped plugin of some state; None where it is there.

    One that is refused, for it cannot be imported or has been emptied, is asked all the same. It
    fails in every hook, and a fault of the shipped plugin counts as deny (design, section 2).
    """
    if state == "active":
        return None
    blocked = state == "blocked"
    return {
        "plugin": "agguard" if blocked else DEFAULT,
        "hook": HOOK,
        "target": f"{__name__}:{HOOK}" if blocked else ABSENT,
        "arguments": [],
        "on_error": "deny",
        "in_process": True,
    }
