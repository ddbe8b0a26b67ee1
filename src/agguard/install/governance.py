"""The rules for the primary agent, with the model tiers as they are configured. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PLACE = "{tiers}"
"""Where the table of tiers goes in the shipped text."""
TIERS = ("pro", "flash", "flash_lite")
ACCESS = {"full": "anything a subagent may", "read-only": "read only"}
HEAD = "| `Model` | for | use it for | it may do |\n|---|---|---|---|"


def governance(template: str, settings: Mapping[str, Any]) -> str:
    """Return the rules.

    Args:
        template: The shipped text.
        settings: The compiled configuration, section by section.
    """
    return template.replace(PLACE, table(settings.get("tiers", {})))


def table(tiers: Mapping[str, Any]) -> str:
    """Return the tiers as a Markdown table; what the user wrote stays inside its cell."""
    rows = [HEAD]
    for name in TIERS:
        tier = tiers.get(name, {})
        access = ACCESS.get(str(tier.get("access")), ACCESS["full"])
        cells = (f"`{name}`", _cell(tier.get("role")), _cell(tier.get("actions")), access)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(text: object) -> str:
    return " ".join(str(text or "-").replace("|", "\\|").split())
