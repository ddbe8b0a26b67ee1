"""Asks every guard by itself, and combines what they say."""

from __future__ import annotations
