"""What a scripted session has to come to under some settings. Pure."""

from __future__ import annotations

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Expectation(Value):
    """What the guards have to say; by default that of a new installation."""

    edit: str = "deny"
    """When the primary edits code itself."""
    bare_stop: str = "continue"
    """When it stops without an account of its work."""
    token: bool = True
    """Whether a subagent's prompt is given its token and rules."""
    rtk: bool = True
    """Whether a command is put through rtk, where that is there."""


def expected(settings: Mapping[str, Any]) -> Expectation:
    """Return what settings lead to; plugins of third parties may be stricter."""
    enforced = not settings["hooks"]["observe"]
    denies = settings["delegation"]["mode"] in ("strict", "read-only")
    attention = settings["attention"]
    asks = attention["mode"] == "on" and attention["markers"] and attention["max_rejections"]
    return Expectation(
        edit="deny" if enforced and denies else "allow",
        bare_stop="continue" if enforced and asks else "allow",
        token=settings["injection"]["mode"] == "on",
        rtk=settings["rtk"]["mode"] == "on" and not settings["rtk"]["path"],
    )
