"""The guards that agguard ships, as one plugin like any other."""

from __future__ import annotations
