"""The reader: it sees everything, changes nothing and is in nobody's way."""

from __future__ import annotations

import hashlib
import sqlite3

import pytest

from agguard.errors import LedgerError
from agguard.ledger.reader import Node, Reader
from agguard.model.session import Role
from unit.ledger.ledger_scene import call, opened, primary, spawn, stop, task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agguard.ledger.store import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A primary with a coordinator, which has a worker; and somebody nobody knows."""
    ledger = opened(tmp_path)
    ledger.bind(primary())
    ledger.issue([task("lead", role=Role.COORDINATOR, remaining_depth=1)], spawn())
    ledger.claim("token-lead", "lead", "boss", 2.0)
    ledger.issue([task("hand", "lead", step=3)], spawn("lead", step=3, at=3.0))
    ledger.claim("token-hand", "hand", "lead", 4.0)
    ledger.record(call("deny", "stranger", at=5.0))
    yield ledger
    ledger.close()


@pytest.fixture
def reader(ledger: Ledger, tmp_path: Path) -> Iterator[Reader]:
    """A reader of that ledger."""
    with Reader.open(str(tmp_path / "ledger.db")) as reader:
        yield reader


def sums(folder: Path) -> dict[str, str]:
    """Return the sha256 of the database and of its log."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if not path.name.endswith("-shm")
    }


def look(reader: Reader) -> None:
    """Use everything that a reader can do."""
    assert reader.tree()
    assert reader.events()
    assert reader.entries()
    assert reader.hashes() == {}
    assert reader.unclaimed() == []
    assert reader.verify() == []


class TestLooking:
    def test_changes_no_byte(self, reader: Reader, tmp_path: Path) -> None:
        """Neither the database nor its log is written."""
        before = sums(tmp_path)
        assert set(before) == {"ledger.db", "ledger.db-wal"}
        look(reader)
        reader.close()
        assert sums(tmp_path) == before

    @pytest.mark.usefixtures("ledger")
    def test_changes_no_byte_after_a_kill(self, tmp_path: Path) -> None:
        """A log that nobody has written back is read as it is."""
        for path in list(tmp_path.iterdir()):  # the state that a killed process leaves
            (tmp_path / path.name.replace("ledger", "copy")).write_bytes(path.read_bytes())
        (tmp_path / "copy.db-shm").unlink()
        before = sums(tmp_path)
        with Reader.open(str(tmp_path / "copy.db")) as reader:
            look(reader)
        assert sums(tmp_path) == before

    def test_makes_no_log_of_its_own_content(self, tmp_path: Path) -> None:
        """After the log was written back, looking leaves the database as it is."""
        ledger = opened(tmp_path)
        ledger.record(call())
        ledger._link.db.close()
        before = sums(tmp_path)["ledger.db"]
        with Reader.open(str(tmp_path / "ledger.db")) as reader:
            assert reader.verify() == []
        assert sums(tmp_path)["ledger.db"] == before

    def test_never_blocks_a_writer(self, reader: Reader, tmp_path: Path) -> None:
        """A writer that does not wait at all writes, beside and between looks."""
        eager = opened(tmp_path, wait=0.0)
        for number in range(20):
            look(reader)
            eager.record(call(step=number))
        eager.close()

    def test_holds_no_state_between_looks(self, ledger: Ledger, reader: Reader) -> None:
        """The log can be written back and emptied while a reader is open."""
        look(reader)
        assert ledger._link.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0] == 0
        ledger.record(call("deny", at=6.0))
        assert reader.entries()[0].at == 6.0

    def test_is_not_blocked_by_a_writer(self, ledger: Ledger, reader: Reader) -> None:
        """A look in the middle of a transaction sees the state before it."""
        with ledger:
            ledger.record(call(at=7.0))
            assert reader.entries()[0].at == 5.0
        assert reader.entries()[0].at == 7.0

    def test_cannot_write(self, reader: Reader) -> None:
        """The connection itself has no right to."""
        with pytest.raises(LedgerError, match="cannot be written"):
            reader._link.run("DELETE FROM decisions")


def names(nodes: tuple[Node, ...] | list[Node]) -> list[object]:
    """Return a tree as nested lists of ids."""
    return [[node.conversation.id, *names(node.children)] for node in nodes]


class TestTheTree:
    def test_shows_who_started_whom(self, reader: Reader) -> None:
        """Children stand below their parents, the unknown at the top."""
        assert names(reader.tree()) == [["boss", ["lead", ["hand"]]], ["stranger"]]
        assert names(reader.tree("lead")) == [["lead", ["hand"]]]
        assert names(reader.tree("nobody")) == []

    def test_shows_rights_work_and_state(self, reader: Reader) -> None:
        """Role, depth, last sign of life, turn and tasks."""
        boss, stranger = reader.tree()
        lead = boss.children[0]
        assert (lead.conversation.role, lead.conversation.remaining_depth) == ("coordinator", 1)
        assert [item.id for item in lead.work] == ["lead"]
        assert lead.turn is not None
        assert lead.turn.state == "EXECUTION_ACTIVE"
        assert stranger.conversation.role is Role.UNKNOWN


class TestEvents:
    def test_come_in_order(self, reader: Reader) -> None:
        """Oldest first, of one conversation or of all."""
        every = reader.events()
        assert [event.seq for event in every] == list(range(1, len(every) + 1))
        assert [event.type for event in reader.events(conversation="boss")] == [
            "USER_MESSAGE",
            "WORK_ISSUED",
            "WORK_CLAIMED",
        ]
        assert [event.at for event in reader.events(since=4.0)] == [4.0, 5.0, 5.0]
        assert reader.events(limit=2) == every[-2:]


class TestVerifying:
    @pytest.mark.parametrize(
        ("sql", "words"),
        [
            ("DELETE FROM tokens WHERE item = 'lead'", "has lost its token"),
            ("UPDATE tokens SET claimed_by = 'ghost' WHERE item = 'lead'", "nobody who is known"),
            ("UPDATE tokens SET claimed_by = NULL, claimed_at = NULL", "name two children"),
            ("UPDATE work_items SET token = NULL, origin = 'message'", "has no work item"),
            ("UPDATE work_items SET status = 'TERMINATED', ended_seq = 5", "is TERMINATED, its"),
            ("UPDATE turns SET state = 'CLOSED'", "is CLOSED, its events say"),
            ("UPDATE conversations SET read_only = 1 WHERE id = 'boss'", "rights that its parent"),
            ("DELETE FROM events WHERE seq = 3", "events 3 to 3 are missing"),
            ("UPDATE events SET after = 'CLOSED' WHERE seq = 2", "leads to HANDOFF_PENDING"),
        ],
    )
    def test_finds_what_does_not_agree(
        self, reader: Reader, tmp_path: Path, sql: str, words: str
    ) -> None:
        """Somebody has taken the rules out of the database and changed it."""
        raw = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
        for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            raw.execute(f"DROP TRIGGER {name}")
        assert reader.verify() == []
        raw.execute(sql)
        raw.close()
        assert words in "\n".join(reader.verify())

    def test_is_content_with_a_busy_life(self, ledger: Ledger, reader: Reader) -> None:
        """Ends, late ends, denials, stops and new turns all replay."""
        ledger.rest("lead", 6.0)
        ledger.finish("hand", 7.0, failure="ERROR")
        ledger.record(stop("deny", "lead", at=8.0))
        ledger.record(stop("allow", "lead", at=8.0))
        ledger.finish("lead", 9.0)
        ledger.finish("lead", 9.5)
        ledger.record(stop(at=10.0))
        ledger.record(call(at=11.0, turn=5))
        ledger.issue([task("x", step=12), task("y", step=12, position=1)], spawn(step=12, turn=5))
        ledger.accept("boss", 12, 12.0)
        ledger.sweep(99_999.0, 500.0)
        ledger.reconcile("boss", 99_999.0)
        assert reader.verify() == []


class TestRefusing:
    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        """It says when there will be one, and makes none."""
        with pytest.raises(LedgerError, match=r"does not exist yet.*first hook"):
            Reader.open(str(tmp_path / "ledger.db"))
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(("version", "words"), [(0, "upgrades it"), (99, "upgrade agguard")])
    def test_another_version(
        self, ledger: Ledger, tmp_path: Path, version: int, words: str
    ) -> None:
        """It does not guess at tables that it does not know."""
        ledger._link.run(f"PRAGMA user_version = {version}")
        with pytest.raises(LedgerError, match=words):
            Reader.open(str(tmp_path / "ledger.db"))

    def test_what_is_no_ledger(self, tmp_path: Path) -> None:
        """As the writer does."""
        path = tmp_path / "ledger.db"
        path.write_bytes(b"not a database, " * 100)
        with pytest.raises(LedgerError, match="is not a database"):
            Reader.open(str(path))
