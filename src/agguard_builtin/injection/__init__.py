"""What a subagent is told before its task begins."""

from __future__ import annotations
