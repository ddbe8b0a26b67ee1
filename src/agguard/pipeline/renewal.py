"""Rebuilds a manifest that is stale, unreadable or foreign, from within a hook.

This is the slow way (pluggy, entry points, TOML), taken once after something was installed,
upgraded or reconfigured.
"""

from __future__ import annotations

import sys

from agguard.plugins.places import recalled, search_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.plugins.manifest import Manifest


def renewed(state: str) -> Manifest:
    """Build the manifest in the folder `state` anew and write it."""
    path = search_path()
    sys.path += [entry for entry in path if entry not in sys.path]
    from agguard.plugins.build import build  # needs pluggy, which is on that path

    return build(recalled(state), path)
