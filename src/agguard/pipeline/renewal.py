"""Rebuilds a manifest that is stale, unreadable or foreign, from within a hook.

This is the slow way (pluggy, entry points, TOML), taken once after something was installed,
upgraded or reconfigured.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.plugins.manifest import Manifest


def renewed(state: str, stale: Manifest | None) -> Manifest:
    """Build the manifest anew and write it.

    Args:
        state: The folder of the manifest.
        stale: What is there; only its home is believed, and only if it names this folder.
    """
    from agguard.paths import resolve
    from agguard.plugins.build import build

    home = _home(state, stale)
    path = _search_path()
    sys.path += [entry for entry in path if entry not in sys.path]
    return build(resolve(home).replace(state=state), path)


def _home(state: str, stale: Manifest | None) -> str | None:
    """Return the home that was installed for, where it is not the user's own."""
    marker = os.path.join(state, "home")
    try:
        with open(marker, encoding="utf-8") as file:
            return file.read().strip() or None
    except (OSError, ValueError):
        return None


def _search_path() -> list[str]:
    """Ask the interpreter for its `sys.path`: hooks run without `site`, which makes it."""
    import subprocess

    code = "import json, sys; json.dump(sys.path, sys.stdout)"
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", code],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=3,
            check=True,
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return list(sys.path)
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return list(dict.fromkeys([here, *(entry for entry in found if entry)]))
