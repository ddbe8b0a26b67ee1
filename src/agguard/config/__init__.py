"""Settings: what exists, what files and environment say, and what is in force.

Needed by the CLI and when the manifest is built. A hook reads the compiled settings, a plain
dict, and imports nothing of this package but, at most, `agguard.config.lookup`.
"""

from __future__ import annotations
