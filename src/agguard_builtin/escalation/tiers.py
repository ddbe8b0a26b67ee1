"""The order of the host's model tiers. Pure."""

from __future__ import annotations

from agguard.model.call import tier

RANKS = {"flash_lite": 0, "flash": 1, "pro": 2}
"""`Model` of `invoke_subagent` (contract, section 4)."""
UNKNOWN = 1
"""`inherit`, or none: the host chooses, and nothing says that it chooses the highest."""
TOP = "pro"


def is_escalation(model: str, former: str) -> bool:
    """Whether `model` is above `former`; at the top, where nothing is above, to stay there is."""
    rank = _rank(model)
    return rank > _rank(former) or rank == RANKS[TOP]


def _rank(model: str) -> int:
    return RANKS.get(tier(model), UNKNOWN)
