"""Which commands run through rtk, and how their lines are changed: `rtk ` and nothing else."""

from __future__ import annotations
