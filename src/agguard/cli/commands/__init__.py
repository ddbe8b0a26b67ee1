"""One module for each command or group of commands."""

from __future__ import annotations
