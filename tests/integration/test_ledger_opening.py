"""Opening: what is made, what is checked, and what a failure says."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from agguard.errors import LedgerError
from agguard.ledger.connection import APPLICATION, LOG_LIMIT, VERSION, uri
from agguard.ledger.reader import Reader
from agguard.ledger.schema import STEPS
from unit.ledger.ledger_scene import call, opened, primary, spawn, task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agguard.ledger.store import Ledger


@pytest.fixture
def plain_folder() -> Iterator[Path]:
    """A folder of somebody who is not root: root may do anything, so it steps down."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
        try:
            yield folder
        finally:
            folder.chmod(0o700)
            if os.getuid() == 0:
                os.seteuid(0)


def write(folder: Path) -> None:
    """Open a ledger and write one entry."""
    with closing(opened(folder)) as ledger:
        ledger.record(call())


def fill(ledger: Ledger) -> None:
    """Write two megabytes."""
    for number in range(500):
        ledger.record(call(step=number, subject="x" * 4000))


def digest(path: Path) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


class TestANewLedger:
    @pytest.mark.skipif(os.name != "posix", reason="POSIX modes")
    def test_is_for_its_owner_only(self, tmp_path: Path) -> None:
        """0600 for the file and its companions, 0700 for the folder, whatever the umask."""
        old = os.umask(0)
        try:
            ledger = opened(tmp_path / "state" / "agguard")
            ledger.bind(primary())
        finally:
            os.umask(old)
        folder = tmp_path / "state" / "agguard"
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        assert modes == {"ledger.db": 0o600, "ledger.db-shm": 0o600, "ledger.db-wal": 0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        ledger.close()

    @pytest.mark.skipif(os.name != "posix", reason="POSIX modes")
    def test_is_closed_to_others_if_it_was_open(self, tmp_path: Path) -> None:
        """A mode that was loosened is put right."""
        opened(tmp_path).close()
        path = tmp_path / "ledger.db"
        path.chmod(0o644)
        opened(tmp_path).close()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_records_its_migrations(self, tmp_path: Path) -> None:
        """One row a step, and the version in the file's header."""
        opened(tmp_path).close()
        raw = sqlite3.connect(tmp_path / "ledger.db")
        assert raw.execute("SELECT version FROM migrations").fetchall() == [
            (number + 1,) for number in range(VERSION)
        ]
        assert raw.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert len(STEPS) == VERSION
        raw.close()

    def test_may_have_any_name(self, tmp_path: Path) -> None:
        """Characters that mean something in a URI are characters of a name."""
        for name in ("a?mode=rwc", "50%25", "#x", "a b", "é"):
            ledger = opened(tmp_path, name)
            ledger.bind(primary())
            ledger.close()
            again = opened(tmp_path, name)
            assert again.conversation("boss") is not None
            again.close()


class TestClosing:
    def test_leaves_a_short_log_and_writes_back_a_long_one(self, tmp_path: Path) -> None:
        """Hooks pay for a checkpoint now and then, and the log stays bounded."""
        log = tmp_path / "ledger.db-wal"
        sizes = []
        for number in range(120):
            ledger = opened(tmp_path)
            ledger.record(call(step=number))
            ledger.close()
            sizes.append(log.stat().st_size if log.exists() else 0)
        assert max(sizes) < LOG_LIMIT + 200_000
        assert 0 in sizes[10:]
        assert len([size for size in sizes if size]) > 100

    def test_loses_nothing_without_being_done(self, tmp_path: Path) -> None:
        """What a transaction has stored is there for the next process, closed or not."""
        ledger = opened(tmp_path)
        ledger.record(call())
        other = opened(tmp_path)
        assert len(other.entries()) == 1
        ledger.close()
        other.close()


NOT_OURS: dict[str, Callable[[sqlite3.Connection], object]] = {
    "tables of another program": lambda raw: raw.execute("CREATE TABLE notes (x)"),
    "another application id": lambda raw: raw.execute("PRAGMA application_id = 7"),
    "another version scheme": lambda raw: raw.execute("PRAGMA user_version = 1"),
}


class TestRefusing:
    def test_a_newer_version_leaves_the_file_alone(self, tmp_path: Path) -> None:
        """The message names both versions; not a byte changes."""
        opened(tmp_path).close()
        path = tmp_path / "ledger.db"
        raw = sqlite3.connect(path)
        raw.execute(f"PRAGMA user_version = {VERSION + 1}")
        raw.close()
        before = digest(path)
        with pytest.raises(LedgerError, match=f"version {VERSION + 1}.*up to {VERSION}.*upgrade"):
            opened(tmp_path)
        assert digest(path) == before

    @pytest.mark.parametrize("make", NOT_OURS.values(), ids=NOT_OURS)
    def test_another_programs_database(
        self, tmp_path: Path, make: Callable[[sqlite3.Connection], object]
    ) -> None:
        """A file that was named by mistake is not turned into a ledger."""
        path = tmp_path / "ledger.db"
        raw = sqlite3.connect(path)
        make(raw)
        raw.commit()
        raw.close()
        before = digest(path)
        with pytest.raises(LedgerError, match="another program's database"):
            opened(tmp_path)
        assert digest(path) == before

    def test_what_is_no_database(self, tmp_path: Path) -> None:
        """A text file is not overwritten."""
        path = tmp_path / "ledger.db"
        path.write_bytes(b"dear diary, " * 200)
        before = digest(path)
        with pytest.raises(LedgerError, match=r"ledger\.db' is not a database.*move it away"):
            opened(tmp_path)
        assert digest(path) == before

    def test_a_folder(self, tmp_path: Path) -> None:
        """A path that is a folder is named, with the cause."""
        (tmp_path / "ledger.db").mkdir()
        with pytest.raises(LedgerError, match=r"ledger\.db'"):
            opened(tmp_path)

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        """A file stands where the folder should be."""
        (tmp_path / "state").write_text("")
        with pytest.raises(LedgerError, match="cannot be made"):
            opened(tmp_path / "state")


class TestAFailureSays:
    def test_that_another_writer_holds_the_lock(self, tmp_path: Path) -> None:
        """The file, the cause, how long it waited."""
        ledger, other = opened(tmp_path), opened(tmp_path, wait=0.05)
        with ledger, pytest.raises(LedgerError, match=r"ledger\.db' is locked.*0\.05 s"):
            other.record(call())
        other.record(call())
        assert len(ledger.entries()) == 1
        ledger.close()
        other.close()

    def test_that_the_disk_is_full(self, tmp_path: Path) -> None:
        """What does not fit is not stored by halves, and reading goes on."""
        ledger = opened(tmp_path)
        ledger.record(call())
        ledger._link.rows("PRAGMA max_page_count = 1")
        with pytest.raises(LedgerError, match=r"ledger\.db' cannot grow.*full"):
            fill(ledger)
        stored = len(ledger.entries(limit=1000))
        assert ledger._link.rows("PRAGMA integrity_check") == [("ok",)]
        ledger.close()
        again = opened(tmp_path)
        assert len(again.entries(limit=1000)) == stored
        again.record(call())
        again.close()

    def test_that_the_file_is_damaged(self, tmp_path: Path) -> None:
        """Garbage in the pages is not taken for data."""
        ledger = opened(tmp_path)
        for number in range(200):
            ledger.record(call(step=number))
        ledger._link.db.close()
        path = tmp_path / "ledger.db"
        data = bytearray(path.read_bytes())
        data[4096:] = b"\xa5" * (len(data) - 4096)
        path.write_bytes(data)
        with pytest.raises(LedgerError, match=r"ledger\.db' is damaged.*move it away"):
            opened(tmp_path)
        assert path.read_bytes() == bytes(data)

    @pytest.mark.parametrize(
        "broken",
        [{"subject": "\ud83d"}, {"conversation": "\udcff"}, {"step": 2**80}, {"at": float("nan")}],
    )
    def test_that_a_value_cannot_be_stored(self, tmp_path: Path, broken: dict[str, object]) -> None:
        """Half a character, a number beyond 64 bits: the payload's, so nothing may crash."""
        with closing(opened(tmp_path)) as ledger:
            with pytest.raises(LedgerError, match=r"ledger\.db' (cannot store|refuses)"):
                ledger.record(call().replace(**broken))
            assert ledger.entries() == []
            ledger.record(call())

    @pytest.mark.skipif(os.name != "posix", reason="POSIX modes")
    def test_that_the_file_cannot_be_written(self, plain_folder: Path) -> None:
        """A read-only state directory: deciding works without state; storing says why not."""
        opened(plain_folder)._link.db.close()
        (plain_folder / "ledger.db").chmod(0o400)
        plain_folder.chmod(0o500)
        with pytest.raises(LedgerError, match=r"ledger\.db' cannot be (written|opened).*rights"):
            write(plain_folder)

    @pytest.mark.skipif(os.name != "posix", reason="POSIX modes")
    def test_that_the_file_cannot_be_made(self, plain_folder: Path) -> None:
        """A new file cannot be made in a folder that is read-only."""
        plain_folder.chmod(0o500)
        with pytest.raises(LedgerError, match=r"cannot be made.*check the rights"):
            opened(plain_folder)


class TestAMigration:
    def test_that_fails_leaves_nothing(self, tmp_path: Path) -> None:
        """A step and its number are one transaction."""
        raw = sqlite3.connect(tmp_path / "ledger.db")
        raw.execute("CREATE TABLE hashes (x)")  # in the way of the first step
        raw.execute(f"PRAGMA application_id = {APPLICATION}")
        raw.commit()
        with pytest.raises(LedgerError):
            opened(tmp_path)
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("hashes",)]
        assert raw.execute("PRAGMA user_version").fetchone() == (0,)
        raw.close()

    @pytest.mark.parametrize("version", range(1, VERSION))
    def test_keeps_what_an_older_version_has_stored(self, tmp_path: Path, version: int) -> None:
        """The file of any released version becomes one of today's, with its rows."""
        raw = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
        raw.execute("PRAGMA journal_mode = WAL")
        for number, step in enumerate(STEPS[:version], 1):
            for statement in step:
                raw.execute(statement)
            raw.execute("INSERT INTO migrations VALUES (?, 0)", (number,))
        raw.execute(f"PRAGMA application_id = {APPLICATION}")
        raw.execute(f"PRAGMA user_version = {version}")
        raw.execute(
            "INSERT INTO conversations VALUES ('boss', 'primary', '', 2, 0, 'user', 1, 1, 0)"
        )
        raw.close()
        with pytest.raises(LedgerError, match="the next hook upgrades it"):
            Reader.open(str(tmp_path / "ledger.db"))
        with closing(opened(tmp_path)) as ledger:
            assert ledger.conversation("boss") is not None
            ledger.issue([task("job")], spawn())
        with Reader.open(str(tmp_path / "ledger.db")) as reader:
            assert reader.verify() == []

    def test_goes_on_where_a_killed_process_stopped(self, tmp_path: Path) -> None:
        """An empty file, with or without a log, is a ledger that was not made yet."""
        raw = sqlite3.connect(tmp_path / "ledger.db")
        raw.execute("PRAGMA journal_mode = WAL")
        raw.close()
        ledger = opened(tmp_path)
        ledger.record(call())
        ledger.close()


def test_the_address_for_reading_names_the_file_only() -> None:
    """No character of a path becomes a parameter."""
    assert uri("/a?b#c%41").removeprefix("file:") == "/a%3fb%23c%2541?mode=ro"
