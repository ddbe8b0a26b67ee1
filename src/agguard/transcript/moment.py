"""Points in time, as the host writes them."""

from __future__ import annotations


def epoch(stamp: str) -> float | None:
    """Return the seconds since 1970 of an RFC 3339 time, or None when it is none.

    Without a zone the time is taken for UTC, which is what the engine writes.
    """
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(stamp)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
