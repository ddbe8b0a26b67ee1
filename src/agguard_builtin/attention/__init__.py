"""Whether an agent has accounted for its work when it stops."""

from __future__ import annotations
