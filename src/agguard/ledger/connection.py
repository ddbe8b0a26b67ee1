"""One connection to the ledger's file: opening, transactions, closing.

Measured on a small ledger: open, one transaction and a closing checkpoint 1.4 ms (6.6 ms where
fsync is slow), the same without the checkpoint 0.5 ms. But a log that no connection ever
checkpoints is read anew by every process and grows without end, so the last one out does it as
soon as the log holds LOG_LIMIT bytes.
"""

from __future__ import annotations

import os
import time

from agguard.errors import LedgerError
from agguard.ledger import driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    Scalar = str | int | float | None
    Row = tuple[Scalar, ...]
else:
    sqlite3 = driver.load()

VERSION = 3
"""The schema that this code reads and writes; `agguard.ledger.schema` holds one step for each."""
APPLICATION = 0x61676C67
"""SQLite's application id of our files: "aglg"."""
LOG_LIMIT = 1_048_576
"""Bytes of log from which on a closing connection writes it back: 256 pages, some 60 hooks."""

FAILURES = (sqlite3.Error, UnicodeError, OverflowError)
"""What a statement can raise; the last two for half characters and numbers beyond 64 bits."""

LONGEST_PAUSE = 0.006
"""Seconds between two tries for the write lock."""


def busy(error: sqlite3.Error) -> bool:
    """Whether waiting may help."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # an error of Python's has none
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL)


class Connection:
    """A connection that explains its errors and nests its transactions."""

    def __init__(self, path: str, wait: float, *, read_only: bool = False) -> None:
        self.path = path
        self.wait = wait
        self._depth = 0
        self._broken = False
        target = uri(path) if read_only else path
        try:
            # The timeout is SQLite's busy_timeout and stands before the first statement: a switch
            # to WAL without it fails at once when hooks start together (peers, 85).
            self.db = sqlite3.connect(target, timeout=wait, isolation_level=None, uri=read_only)
        except sqlite3.Error as error:
            raise self.failure(error) from error

    def hurry(self, wait: float) -> None:
        """Wait for other writers no longer than `wait` seconds from now on."""
        self.wait = wait
        self.rows(f"PRAGMA busy_timeout = {int(wait * 1000)}")

    def failure(self, error: BaseException) -> LedgerError:
        """Return the error as one that names the file, the cause and the next step."""
        from agguard.ledger.failure import explain

        return explain(self.path, error, self.wait)

    def rows(self, sql: str, args: Sequence[Scalar] = ()) -> list[Row]:
        """Run a query and return all of its rows, so that no read stays open."""
        try:
            return self.db.execute(sql, args).fetchall()
        except FAILURES as error:
            raise self.failure(error) from error

    def stream(self, sql: str) -> Iterator[Row]:
        """Run a query and yield its rows one by one; for what may not fit into memory."""
        try:
            yield from self.db.execute(sql)
        except FAILURES as error:
            raise self.failure(error) from error

    def row(self, sql: str, args: Sequence[Scalar] = ()) -> Row | None:
        """Run a query and return its first row."""
        found = self.rows(sql, args)
        return found[0] if found else None

    def number(self, sql: str, args: Sequence[Scalar] = ()) -> int:
        """Run a query for one number."""
        found = self.row(sql, args)
        return int(found[0] or 0) if found else 0

    def run(self, sql: str, args: Sequence[Scalar] | Mapping[str, Scalar] = ()) -> int:
        """Change something and return the number of rows that it touched."""
        if self._depth and (self._broken or not self.db.in_transaction):
            # Some errors make SQLite roll back by itself: what came next would stand alone.
            msg = f"ledger {self.path!r}: an earlier failure has undone this transaction"
            raise LedgerError(msg)
        try:
            return self.db.execute(sql, args).rowcount
        except FAILURES as error:
            raise self.failure(error) from error

    def add(self, table: str, fields: Mapping[str, Scalar]) -> None:
        """Insert one row; the names are ours, never a caller's."""
        names, marks = ", ".join(fields), ", ".join("?" * len(fields))
        sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - see above
        self.run(sql, tuple(fields.values()))

    def __enter__(self) -> Self:
        """Begin a transaction that may write, or join the one that is running."""
        if self._depth == 0:
            self._begin()
        self._depth += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is not None:
                self._broken = True
            elif self._depth == 1:
                self.run("COMMIT")
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._broken = False
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")

    def _begin(self) -> None:
        """Take the write lock, waiting for it in short steps.

        IMMEDIATE, because a transaction that reads first and writes later can fail half way.
        SQLite's own waiting grows to 100 ms a step: of 64 hooks at once the last one waited
        900 ms for locks that were free most of the time.
        """
        until = time.monotonic() + self.wait
        pause = 0.001
        self.rows("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    self.db.execute("BEGIN IMMEDIATE")
                    return
                except sqlite3.Error as error:
                    if not busy(error) or time.monotonic() >= until:
                        raise self.failure(error) from error
                time.sleep(pause)
                pause = min(pause + 0.001, LONGEST_PAUSE)
        finally:
            self.rows(f"PRAGMA busy_timeout = {int(self.wait * 1000)}")

    def close(self) -> None:
        """Close; write the log back only when it has grown."""
        try:
            grown = os.stat(self.path + "-wal").st_size > LOG_LIMIT
        except OSError:
            grown = True
        anchor = None if grown else self._anchor()
        self.db.close()
        if anchor is not None:
            anchor.close()

    def _anchor(self) -> sqlite3.Connection | None:
        """Return a reader, beside which closing is not the last close and writes nothing back.

        Python 3.12 could say SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE instead. The reader itself has no
        right to write, so its own close cannot write back either.
        """
        try:
            reader = sqlite3.connect(uri(self.path), timeout=0, isolation_level=None, uri=True)
            reader.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error:
            return None
        return reader


def uri(path: str) -> str:
    """Return SQLite's address of `path` for reading only."""
    plain = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.name == "nt":
        plain = "/" + plain.replace("\\", "/")
    return f"file:{plain}?mode=ro"


def prepare(path: str) -> None:
    """Make the folder (0700) and the file (0600) if they are missing; close both to others."""
    try:
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path) or ".", 0o700, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            return
        if mode & 0o077 and os.name == "posix":
            os.chmod(path, 0o600)
    except OSError as error:
        msg = f"ledger {path!r} cannot be made: {error.strerror}; check the rights of its folder"
        raise LedgerError(msg) from error


def ready(path: str, *, wait: float, now: float) -> Connection:
    """Open the ledger for writing, bring it up to date, and return the connection.

    Args:
        path: The database file.
        wait: How long to wait for other writers, in seconds.
        now: The time, for the record of the migrations.

    Raises:
        LedgerError: The file cannot be opened, is not a ledger, or is from a newer agguard.
    """
    prepare(path)
    link = Connection(path, wait)
    try:
        version = examine(link)
        if version < VERSION or link.rows("PRAGMA journal_mode") != [("wal",)]:
            use_log(link)
            from agguard.ledger.migration import migrate

            migrate(link, now)
        link.run("PRAGMA synchronous = NORMAL")
        link.run("PRAGMA foreign_keys = ON")
    except BaseException:
        link.db.close()
        raise
    return link


FACTS = """
SELECT count(*), (SELECT user_version FROM pragma_user_version),
    (SELECT application_id FROM pragma_application_id) FROM sqlite_master
"""
"""One statement, so that no other process makes the tables between two looks."""


def examine(link: Connection) -> int:
    """Return the schema's version; refuse a newer one and files that are not ours."""
    found = link.row(FACTS) or (0, 0, 0)
    tables, version, owner = (int(number or 0) for number in found)
    if owner != APPLICATION and (tables or version or owner):
        msg = f"ledger {link.path!r} is another program's database; name another file"
        raise LedgerError(msg)
    if version > VERSION:
        msg = (
            f"ledger {link.path!r} has version {version}, this agguard knows up to {VERSION}; "
            "upgrade agguard, nothing was changed"
        )
        raise LedgerError(msg)
    return version


def use_log(link: Connection) -> None:
    """Switch to the write-ahead log and check that SQLite did so.

    The switch needs the file for itself and does not always wait for it, so it is tried again
    until `wait` is over. On file systems without shared memory it silently keeps the old mode.
    """
    until = time.monotonic() + link.wait
    while True:
        try:
            found = link.db.execute("PRAGMA journal_mode = WAL").fetchone()
            break
        except sqlite3.Error as error:
            if not busy(error) or time.monotonic() >= until:
                raise link.failure(error) from error
        time.sleep(0.005)
    if found != ("wal",):
        msg = f"ledger {link.path!r} cannot use a write-ahead log; put it on a local disk"
        raise LedgerError(msg)
