"""The command line. Each command parses its options, calls a library, and prints."""

from __future__ import annotations
