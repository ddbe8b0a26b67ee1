"""Who may do what: the primary plans, workers execute and do not delegate."""

from __future__ import annotations
