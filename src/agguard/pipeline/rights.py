"""What a subagent may do, from what its parent may do. Pure.

Depth is a number that decreases, not a list of blessed type names (design, section 3).
"""

from __future__ import annotations

from agguard.model.call import tier
from agguard.model.session import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Spawn
    from agguard.model.session import Session

DEPTH = 2
"""Levels of agents below a primary, where the configuration does not say."""


def depth(session: Session) -> int:
    """Return how many levels of agents may stand below this session.

    What is stored never rises; a configuration that says less holds at once. A caller of unknown
    role that is judged like a primary may start workers, and nothing above them.
    """
    settings = session.section("delegation")
    found = settings.get("max_depth", DEPTH)
    most = found if isinstance(found, int) else DEPTH
    if session.role == Role.UNKNOWN:
        return min(1, most) if settings.get("unknown_role", "primary") == "primary" else 0
    return min(session.remaining_depth, most) if session.role != Role.WORKER else 0


def granted(spawn: Spawn, session: Session) -> Spawn:
    """Return the subagent with the rights that this session can give it.

    It becomes a coordinator if its TypeName or Role matches `[delegation] coordinators` and a
    level is left below it; otherwise it is a worker. Children of a read-only parent, and those on
    a tier that only reads, are read-only.
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
    tiers = session.section("tiers")
    wanted = spawn.model or tiers.get("default", "")
    found = tiers.get(tier(wanted)) if isinstance(wanted, str) else None
    return isinstance(found, dict) and found.get("access") == "read-only"


def _matches(spawn: Spawn, pattern: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(spawn.type_name, pattern) or fnmatchcase(spawn.agent_role, pattern)
