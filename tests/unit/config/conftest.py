"""Hypothesis for this folder: a busy machine is no failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("config", deadline=None)
settings.load_profile("config")
