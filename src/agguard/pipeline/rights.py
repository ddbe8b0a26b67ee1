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
    if session.role == Role.PRIMARY:
        found = session.section("delegation").get("max_depth", 2)
        return found if isinstance(found, int) else 2
    return session.remaining_depth if session.role == Role.COORDINATOR else 0


def granted(spawn: Spawn, session: Session) -> Spawn:
    """Return the subagent with the rights that this session can give it.

    It becomes a coordinator if its TypeName or Role matches `[delegation] coordinators` and a level
    is left below it; otherwise it is a worker. A read-only parent has read-only children.
    """
    below = depth(session) - 1
    patterns = session.section("delegation").get("coordinators", ())
    if below > 0 and any(_matches(spawn, pattern) for pattern in patterns):
        return spawn.replace(
            role=Role.COORDINATOR, remaining_depth=below, read_only=session.read_only
        )
    return spawn.replace(role=Role.WORKER, remaining_depth=0, read_only=session.read_only)


def _matches(spawn: Spawn, pattern: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(spawn.type_name, pattern) or fnmatchcase(spawn.agent_role, pattern)
