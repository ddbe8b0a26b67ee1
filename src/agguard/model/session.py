"""Who is calling, and where."""

from __future__ import annotations

from agguard.model.members import StrEnum
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Role(StrEnum):
    """What an agent is in its tree (design, section 3)."""

    PRIMARY = "primary"
    """Plans and delegates; the user talks to it."""
    COORDINATOR = "coordinator"
    """A subagent that may delegate `remaining_depth` more levels."""
    WORKER = "worker"
    """A subagent that executes and may not delegate."""
    UNKNOWN = "unknown"
    """Not established; judged as `[delegation] unknown_role` says."""

    @property
    def is_child(self) -> bool:
        """Whether another agent started this one."""
        return self in (Role.COORDINATOR, Role.WORKER)


class Session(Value):
    """The conversation that a hook was fired for. Paths are as the host sent them."""

    conversation: str
    role: Role = Role.UNKNOWN
    remaining_depth: int = 0
    read_only: bool = False
    """A child without the right to change anything: its token is missing, or its tier says so."""
    is_idle: bool = False
    """A child that holds no open task: it ended, fell silent, or never had one."""
    parent: str = ""
    bound_by: str = ""
    """Which evidence established the role; of an unknown caller, what is missing."""
    workspaces: tuple[str, ...] = ()
    artifact_dir: str = ""
    transcript: str = ""
    model: str = ""
    host: str = "antigravity"
    home: str = ""
    """The user's home folder."""
    protected: tuple[str, ...] = ()
    """Files and folders of the guard and the host that no agent may change."""
    inside_agent: bool = False
    """The hook itself runs inside an agent's shell."""
    cache_dir: str = ""
    """A folder in which guards may keep what can be made again."""
    settings: Mapping[str, Any] = {}
    """The compiled configuration, section by section."""

    def section(self, name: str) -> Mapping[str, Any]:
        """Return one section of the configuration; empty when there is none."""
        found = self.settings.get(name)
        return found if isinstance(found, dict) else {}
