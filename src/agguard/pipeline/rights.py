"""What a subagent may do, from what its parent may do. Pure.

Depth is a number that decreases, not a list of blessed type names (design, section 3).
"""

from __future__ import annotations

from agguard.model.session import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Spawn
    from agguard.model.session import Session


def depth(session: Session) -> int:
    """Return how many levels of agents may stand below this session."""
    if session.role == Role.UNKNOWN:
        return 1  # what it may start are workers; it is judged like the primary
    most = session.section("delegation").get("max_depth", session.remaining_depth)
    return min(session.remaining_depth, most) if session.role != Role.WORKER else 0


def granted(spawn: Spawn, session: Session) -> Spawn:
    """Return the subagent with the rights that this session can give it.

    It becomes a coordinator if its TypeName or Role matches `[delegation] coordinators` and a level
    is left below it; otherwise it is a worker. Children of a read-only parent, and those on a tier
    that only reads, are read-only.
    """
    below = depth(session) - 1
    read_only = session.read_only or _is_reading_tier(spawn, session)
    patterns = session.section("delegation").get("coordinators", ())
    if below > 0 and any(_matches(spawn, pattern) for pattern in patterns):
        return spawn.replace(role=Role.COORDINATOR, remaining_depth=below, read_only=read_only)
    return spawn.replace(role=Role.WORKER, remaining_depth=0, read_only=read_only)


def with_default_model(spawn: Spawn, session: Session) -> Spawn:
    """Return the subagent on the model that the user wants for those that name none, if any."""
    default = session.section("tiers").get("default", "none")
    return spawn if spawn.model or default == "none" else spawn.replace(model=default)


def _is_reading_tier(spawn: Spawn, session: Session) -> bool:
    """Whether the model tier that is asked for may only read, as `[tiers]` says."""
    tier = session.section("tiers").get(spawn.model)
    return isinstance(tier, dict) and tier.get("access") == "read-only"


def _matches(spawn: Spawn, pattern: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(spawn.type_name, pattern) or fnmatchcase(spawn.agent_role, pattern)
