"""What stands in a secret's place."""

from __future__ import annotations

MARK = "[redacted]"
