"""Registration with the host: one entry in hooks.json, a launcher beside it, a plugin folder.

`registration` is the entrance: `install`, `uninstall` and `examine`. `launcher` and `renewal` are
light, for the hook renews its own launcher after an upgrade.
"""

from __future__ import annotations
