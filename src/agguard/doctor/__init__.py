"""Examines an installation by doing what the host does with it."""

from __future__ import annotations
