"""The files of the artifact folder that the configuration asks for, as they stand on disk."""

from __future__ import annotations

import os
import stat

from agguard.model.call import Artifact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.session import Session


def wanted(session: Session, since: float | None) -> tuple[Artifact, ...]:
    """Look at the artifacts that `[attention] artifacts` names.

    Args:
        session: Whose.
        since: When the turn began, in seconds since 1970; unknown counts as long ago.
    """
    names = session.section("attention").get("artifacts", ())
    return tuple(_look(session.artifact_dir, name, since or 0.0) for name in names)


def _look(folder: str, name: str, since: float) -> Artifact:
    if not os.path.isabs(folder):  # an empty one would be the hook's own folder
        return Artifact(name)
    try:
        found = os.stat(os.path.join(folder, name))
    except (OSError, ValueError):
        return Artifact(name)
    if not stat.S_ISREG(found.st_mode):
        return Artifact(name)
    return Artifact(name, found.st_size, found.st_mtime >= since)
