"""What an examination finds."""

from __future__ import annotations

from agguard.model.value import Value

GOOD, WARNING, BAD = "ok", "warning", "error"


class Finding(Value):
    """One thing that was looked at."""

    check: str
    level: str
    """One of: ok, warning, error."""
    text: str
    next_step: str = ""
    mend: str = ""
    """The name of what `agguard doctor --fix` does about it; see `agguard.doctor.mending`."""
