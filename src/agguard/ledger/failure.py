"""What went wrong with the database, in words that name the file and the next step."""

from __future__ import annotations

from agguard.errors import LedgerError

CAUSES = {
    "SQLITE_BUSY": "is locked: another process kept writing for {wait:g} s; try again",
    "SQLITE_LOCKED": "is locked by this process; close the other connection",
    "SQLITE_READONLY": "cannot be written; check the rights of the file and of its folder",
    "SQLITE_PERM": "cannot be opened; check the rights of the file and of its folder",
    "SQLITE_CANTOPEN": "cannot be opened; check that its folder exists and may be written",
    "SQLITE_AUTH": "cannot be opened; check the rights of the file and of its folder",
    "SQLITE_FULL": "cannot grow: the disk or a quota is full; free some space",
    "SQLITE_IOERR": "cannot be read or written: the disk reports an error",
    "SQLITE_CORRUPT": "is damaged; move it away, agguard then starts a new one",
    "SQLITE_NOTADB": "is not a database; move it away, agguard then starts a new one",
    "SQLITE_CONSTRAINT": "refuses the change",
    "SQLITE_SCHEMA": "was changed by another version while it was open; try again",
}
"""By primary result code; SQLite's extended codes append to these names."""


def primary(name: str) -> str:
    """Return the primary code of an extended one: SQLITE_IOERR_READ is SQLITE_IOERR."""
    return "_".join(name.split("_")[:2])


def explain(path: str, error: BaseException, wait: float = 0.0) -> LedgerError:
    """Return the LedgerError for an error of sqlite3 or of the operating system."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if isinstance(error, (UnicodeError, OverflowError)):
        return LedgerError(f"ledger {path!r} cannot store a value that it was given ({error})")
    cause = CAUSES.get(primary(name), "cannot be used").format(wait=wait)
    return LedgerError(f"ledger {path!r} {cause} ({error})")
