"""The hook path: bytes in, one answer out. The only place where its parts meet."""

from __future__ import annotations
