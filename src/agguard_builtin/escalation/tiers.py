"""The order of the host's model tiers. Pure."""

from __future__ import annotations

RANKS = {"flash_lite": 0, "flash": 1, "pro": 2}
"""`Model` of `invoke_subagent` (contract, section 4)."""
UNKNOWN = 1
"""`inherit`, or none: the host chooses, and nothing says that it chooses the highest."""
TOP = "pro"


def is_higher(tier: str, former: str) -> bool:
    """Whether `tier` is above `former`."""
    return RANKS.get(tier, UNKNOWN) > RANKS.get(former, UNKNOWN)


def is_top(tier: str) -> bool:
    """Whether there is nothing above `tier`."""
    return tier == TOP
