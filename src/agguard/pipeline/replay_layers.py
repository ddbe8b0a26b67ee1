"""The settings that hold for a past session: the user's, tightened by its projects' files of today.

As `agguard.pipeline.project` does it for a hook, and without a trace: nothing that is compiled is
kept. The environment is left out, for it is not the session's.
"""

from __future__ import annotations

import os

from agguard.location import project_files
from agguard.pipeline.project import protecting, roots_of
from agguard.pipeline.tightening import combined, layered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.paths import Paths
    from agguard.plugins.manifest import Manifest


class Layers:
    """Compiles the settings of past sessions.

    Args:
        paths: Where the user's configuration and pins are.
        compiled: What holds everywhere.
        profile: A profile to assume in the place of the user's.
    """

    def __init__(self, paths: Paths, compiled: Manifest, profile: str = "") -> None:
        self._paths = paths
        self._compiled = compiled
        self._profile = profile
        self._known: dict[tuple[str, ...], Manifest] = {}
        self.files: dict[str, None] = {}
        """The projects' files that were met, in order."""
        self.problems: dict[str, None] = {}
        """What is wrong with them."""

    def of(self, workspaces: Iterable[str]) -> Manifest:
        """Return the manifest with the settings that hold in these folders."""
        roots = tuple(roots_of(workspaces))
        if roots not in self._known:
            self._known[roots] = self._made(list(roots))
        return self._known[roots]

    def _made(self, roots: list[str]) -> Manifest:
        compiled = protecting(self._compiled, roots)
        files = [path for root in roots for path in project_files(root) if os.path.isfile(path)]
        if not files:
            return compiled
        place = self._paths
        loaded = layered(place.config_file, place.state, compiled, files, profile=self._profile)
        self.files |= dict.fromkeys(
            origin.name for origin in loaded.origin.values() if origin.name in files
        )
        said = (problem for problem in loaded.problems if problem.file in files)
        self.problems |= dict.fromkeys(problem.text for problem in said)
        return compiled.replace(settings=combined(compiled, loaded))
