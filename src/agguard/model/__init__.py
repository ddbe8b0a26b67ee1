"""Values that the dispatcher, the guards and the hosts share. No I/O."""

from __future__ import annotations
