"""What no agent may change: the guard itself and the host's records."""

from __future__ import annotations
