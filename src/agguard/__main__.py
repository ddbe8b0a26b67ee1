"""`python -m agguard`."""

from __future__ import annotations

from agguard._entry import main

main()
