"""Reports in the ledger: of open work only, written once, told once, forgotten with their work."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from agguard.ledger import schema
from agguard.ledger.connection import APPLICATION
from agguard.ledger.records import Delivery
from unit.ledger.ledger_scene import opened, primary, spawn, task

if TYPE_CHECKING:
    from pathlib import Path

    from agguard.ledger.store import Ledger


def delivery(item: str = "job", **more: Any) -> Delivery:
    fields: dict[str, Any] = {
        "item": item,
        "issuer": "boss",
        "child": "kid",
        "at": 5.0,
        "way": "stop",
        "standing": "valid",
        "status": "completed",
        "summary": "done",
        "detail": "[]",
        "body": "{}",
        "digest": "d1",
    }
    return Delivery(**{**fields, **more})


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    found = opened(tmp_path)
    found.bind(primary())
    found.issue([task("job", token="t")], spawn())
    assert found.claim("t", "kid", "boss", 2.0)
    yield found
    found.close()


def test_a_report_is_stored_once_with_its_work(ledger: Ledger) -> None:
    """The same text a second time, by another way, is known."""
    assert ledger.deliver(delivery())
    assert not ledger.deliver(delivery(way="record"))
    assert ledger.deliver(delivery(digest="d2", status="failed", summary="more"))

    found = ledger.deliveries("boss")
    assert [(one.seq, one.status, one.summary) for one in found] == [
        (1, "completed", "done"),
        (2, "failed", "more"),
    ]
    assert ledger.deliveries("boss", limit=1) == found[1:]
    assert ledger.deliveries("kid") == []


@pytest.mark.parametrize(
    "wrong", [{"item": "none"}, {"child": "other"}, {"issuer": "other"}], ids=str
)
def test_a_report_of_anybody_else_is_not_stored(ledger: Ledger, wrong: dict[str, str]) -> None:
    """The child holds the task, and its issuer is the one who gave it."""
    assert not ledger.deliver(delivery(**wrong))


@pytest.mark.parametrize("failure", ["", "killed"])
def test_what_comes_after_the_end_is_too_late(ledger: Ledger, failure: str) -> None:
    """A child that was given up writes no success any more."""
    ledger.finish("kid", 4.0, failure=failure)
    assert not ledger.deliver(delivery())
    assert ledger.deliveries("boss") == []


def halfway(ledger: Ledger) -> None:
    with ledger:
        assert ledger.deliver(delivery())
        assert ledger.finish("kid", 5.0)
        msg = "the hook dies here"
        raise RuntimeError(msg)


def test_report_and_end_are_one_transaction(ledger: Ledger) -> None:
    """Both, or neither."""
    with pytest.raises(RuntimeError):
        halfway(ledger)
    assert ledger.deliveries("boss") == []
    assert ledger.held("kid") is not None


def test_an_issuer_is_told_once(ledger: Ledger) -> None:
    """Up to the report that it was told of; a later one is new."""
    ledger.deliver(delivery())
    assert ledger.tell("boss", 1, 7.0) == 1
    ledger.deliver(delivery(digest="d2"))
    assert ledger.tell("boss", 1, 8.0) == 0
    assert [one.told for one in ledger.deliveries("boss")] == [7.0, 0.0]
    assert ledger.tell("boss", 2, 9.0) == 1
    assert [one.told for one in ledger.deliveries("boss")] == [7.0, 9.0]


RAW = {
    "another summary": "UPDATE reports SET summary = 'better'",
    "another standing": "UPDATE reports SET standing = 'valid', status = 'completed'",
    "told again": "UPDATE reports SET told = 0",
    "a report of ended work": "INSERT INTO reports SELECT 9, item, issuer, child, at, way,"
    " 'valid', 'completed', summary, detail, body, 'd9', 0 FROM reports",
    "a success that is none": "INSERT INTO reports SELECT 9, item, issuer, child, at, way,"
    " 'invalid', 'completed', summary, detail, body, 'd9', 0 FROM reports",
}


@pytest.mark.parametrize("sql", RAW.values(), ids=RAW)
def test_the_database_itself_keeps_reports_as_they_are(ledger: Ledger, sql: str) -> None:
    """Not only the Python does."""
    ledger.deliver(delivery(standing="unverified"))
    ledger.tell("boss", 1, 7.0)
    ledger.finish("kid", 8.0)
    raw = sqlite3.connect(ledger._link.path)
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute(sql)
    raw.close()


def test_a_report_is_forgotten_with_its_work(ledger: Ledger) -> None:
    """Nothing refers to what is gone."""
    ledger.deliver(delivery())
    ledger.finish("kid", 6.0)
    ledger.record(spawn(step=5, at=9.0).replace(event="Stop", decision="allow"))
    ledger.prune(1e9)
    assert ledger.given("boss") == []
    assert ledger.deliveries("boss") == []


def test_a_ledger_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """Its work is kept, and can be reported on."""
    raw = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    for statement in schema.FIRST:
        raw.execute(statement)
    raw.execute("INSERT INTO migrations VALUES (1, 0)")
    raw.execute(
        "INSERT INTO work_items VALUES ('job', NULL, 'boss', 1, 0, 'd', 'worker', 0, 1, 'ISSUED',"
        " '', 'self', 'executor', '', 0, 0, 0, 'spawn', 0, '', 1, 0)"
    )
    raw.execute(f"PRAGMA application_id = {APPLICATION}")
    raw.execute("PRAGMA user_version = 1")
    raw.close()

    now = opened(tmp_path)
    now.bind(primary())
    assert [item.words for item in now.given("boss")] == [""]
    assert now.adopt("job", "kid", 2.0)
    assert now.deliver(delivery())
    assert [row.item for row in now.deliveries("boss")] == ["job"]
    now.close()
