"""Finds, refuses and registers plugins, and compiles what the hook path needs into a manifest."""

from __future__ import annotations
