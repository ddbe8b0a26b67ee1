"""Who fails does not guess on: the work goes to a higher tier, or back to the parent."""

from __future__ import annotations
