"""The only state of agguard: one SQLite file per user (design, section 4)."""

from __future__ import annotations
