"""`agguard ledger` shows what there is, in 80 columns or as data, and changes and locks nothing."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import pytest

import agguard
from fakes.family import COORDINATOR, REPORT, coordinator, spawn, token, unclaimed, worker
from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from agguard.doctor.stage import Conversation
    from fakes.guarded import Guarded

SOURCE = os.path.dirname(os.path.dirname(agguard.__file__))
COMMANDS = ["show", "events", "verify"]


class Cast(NamedTuple):
    """A primary with a coordinator, its worker, and a worker that is done."""

    primary: Conversation
    leader: Conversation
    worker: Conversation
    done: Conversation


@pytest.fixture
def cast(guarded: Guarded) -> Cast:
    parent = guarded.primary()
    leader = coordinator(guarded, parent)
    found = Cast(parent, leader, worker(guarded, leader), worker(guarded, parent))
    guarded.stop(found.done, REPORT)
    spawn(guarded, parent, {"Prompt": "Later.", "Role": "\x1b[31mred\x07"})
    return found


def ledger(guarded: Guarded, *arguments: str, status: int = 0) -> str:
    """Run `agguard ledger` in a terminal of 80 columns, and return what it prints."""
    done = start(guarded, *arguments)
    out, err = done.communicate(timeout=60)
    assert done.returncode == status, err
    return out + err


def start(guarded: Guarded, *arguments: str) -> subprocess.Popen[str]:
    environ = {**guarded.host.environ, "COLUMNS": "80", "PYTHONPATH": SOURCE}
    return subprocess.Popen(
        [sys.executable, "-m", "agguard", "ledger", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    )


def change(guarded: Guarded, *statements: str) -> None:
    with closing(sqlite3.connect(guarded.ledger)) as link:
        for statement in statements:
            link.execute(statement)
        link.commit()


class TestShow:
    def test_prints_who_started_whom(self, guarded: Guarded, cast: Cast) -> None:
        """A tree with role, depth, state and last sign of life, inside 80 columns."""
        lines = ledger(guarded, "show").splitlines()
        told = [" ".join(line.split()) for line in lines]

        assert max(map(len, lines)) <= 80
        assert told[0].startswith(f"{cast.primary.name[:8]} primary depth 2 HANDOFF_PENDING")
        assert f"{cast.leader.name[:8]} coordinator DeepCoder depth 1 ACTIVE" in told[1]
        assert f"{cast.worker.name[:8]} worker executor depth 0 ACTIVE" in told[2]
        assert f"{cast.done.name[:8]} worker executor depth 0 TERMINATED" in told[3]
        assert "not started ?[31mred? ISSUED for" in told[4]
        assert all("ago" in line for line in told[:4])
        assert lines[2].index(cast.worker.name[:8]) > lines[1].index(cast.leader.name[:8])
        assert len(lines) == 5

    @pytest.mark.parametrize("length", [6, 32])
    def test_prints_one_conversation_by_its_id_or_how_it_begins(
        self, guarded: Guarded, cast: Cast, length: int
    ) -> None:
        """With everything below it."""
        found = ledger(guarded, "show", cast.leader.name[:length])
        assert cast.worker.name[:8] in found
        assert cast.primary.name[:8] not in found

    def test_prints_data(self, guarded: Guarded, cast: Cast) -> None:
        """The same as a document, with whole ids and times in seconds."""
        (root,) = json.loads(ledger(guarded, "show", "--json"))
        leader, done = root["children"]
        assert (root["id"], root["role"], root["remaining_depth"]) == (
            cast.primary.name,
            "primary",
            2,
        )
        assert (leader["id"], leader["state"]) == (cast.leader.name, "ACTIVE")
        assert leader["children"][0]["parent"] == cast.leader.name
        assert done["work"][0]["status"] == "TERMINATED"
        assert done["heartbeat"] >= done["first_seen"]
        assert [item["status"] for item in root["unclaimed"]] == ["ISSUED"]

    @pytest.mark.parametrize("command", ["show", "events"])
    def test_prints_no_token(self, guarded: Guarded, cast: Cast, command: str) -> None:
        """They are secrets while nobody has claimed them, and of no use afterwards."""
        (prompt,) = spawn(guarded, cast.primary, {"Prompt": "p", **COORDINATOR})
        secrets = [token(prompt), *(x.token for x in unclaimed(guarded, cast.primary))]
        printed = ledger(guarded, command) + ledger(guarded, command, "--json")
        assert len(secrets) == 3
        assert [secret for secret in secrets if secret[:8] in printed] == []

    @pytest.mark.usefixtures("cast")
    def test_knows_no_stranger(self, guarded: Guarded) -> None:
        """An id that nobody has, and one that several have, are explained."""
        assert "knows no conversation 'zz'" in ledger(guarded, "show", "zz", status=2)
        for _ in range(17):  # two of them begin alike
            guarded.view(guarded.primary())
        names = [root["id"] for root in json.loads(ledger(guarded, "show", "--json"))]
        first = next(x for x in "0123456789abcdef" if sum(n[0] == x for n in names) > 1)
        assert f"conversations begin with '{first}'" in ledger(guarded, "show", first, status=2)


class TestEvents:
    def test_prints_what_happened_in_order(self, guarded: Guarded, cast: Cast) -> None:
        """Oldest first, inside 80 columns."""
        text = ledger(guarded, "events")
        assert max(map(len, text.splitlines())) <= 80
        assert text.index("USER_MESSAGE") < text.index("WORK_ISSUED") < text.index("WORK_CLAIMED")
        assert "WORK_FINISHED" in text
        assert cast.done.name[:8] in text

    def test_prints_data_of_one_conversation(self, guarded: Guarded, cast: Cast) -> None:
        """Numbered without gaps; the newest so many of them."""
        every = json.loads(ledger(guarded, "events", "--json"))
        assert [event["seq"] for event in every] == list(range(1, len(every) + 1))
        own = json.loads(ledger(guarded, "events", cast.leader.name[:8], "--json"))
        told = {(event["conversation"], event["type"]) for event in own}
        assert told == {
            (cast.leader.name, "USER_MESSAGE"),
            (cast.leader.name, "WORK_ISSUED"),
            (cast.leader.name, "WORK_CLAIMED"),
            (cast.primary.name, "WORK_CLAIMED"),
        }
        newest = json.loads(ledger(guarded, "events", "--limit", "2", "--json"))
        assert newest == every[-2:]

    def test_prints_what_happened_to_a_worker(self, guarded: Guarded, cast: Cast) -> None:
        """The events of its work are its issuer's; it has none of its own."""
        own = json.loads(ledger(guarded, "events", cast.done.name[:8], "--json"))
        assert [event["type"] for event in own] == ["WORK_CLAIMED", "WORK_FINISHED"]
        lone = guarded.primary()
        guarded.fire("PostToolUse", {**lone.calls("view_file", {}), "error": ""})
        assert f"no event of {lone.name}" in " ".join(
            ledger(guarded, "events", lone.name[:8]).split()
        )


class TestVerify:
    @pytest.mark.usefixtures("cast")
    def test_finds_nothing_wrong_with_a_sound_ledger(self, guarded: Guarded) -> None:
        """The exit status is 0."""
        assert "agrees with its events" in ledger(guarded, "verify")
        assert json.loads(ledger(guarded, "verify", "--json")) == {
            "sound": True,
            "disagreements": [],
        }

    @pytest.mark.usefixtures("cast")
    @pytest.mark.parametrize(
        ("damage", "told"),
        [
            ("UPDATE turns SET state = 'CLOSED'", "is CLOSED, its events say"),
            ("DELETE FROM events WHERE seq = 3", "are missing"),
            (
                "UPDATE work_items SET status = 'WAITING' WHERE status = 'ACTIVE'",
                "is WAITING, its events say ACTIVE",
            ),
            ("DELETE FROM tokens WHERE claimed_by IS NULL", "has lost its token"),
        ],
    )
    def test_tells_every_disagreement_and_fails(
        self, guarded: Guarded, damage: str, told: str
    ) -> None:
        """The exit status is 1, for people and for scripts."""
        change(guarded, damage)
        assert told in " ".join(ledger(guarded, "verify", status=1).split())
        data = json.loads(ledger(guarded, "verify", "--json", status=1))
        assert data["sound"] is False
        assert any(told in text for text in data["disagreements"])


@pytest.mark.parametrize("command", COMMANDS)
class TestEveryCommand:
    def test_has_an_example(self, guarded: Guarded, command: str) -> None:
        """In its help."""
        assert f"Example: agguard ledger {command}" in ledger(guarded, command, "--help")

    def test_says_when_there_is_no_ledger(self, guarded: Guarded, command: str) -> None:
        """It makes none."""
        os.remove(guarded.ledger)
        assert "does not exist yet" in " ".join(ledger(guarded, command, status=2).split())
        assert not os.path.exists(guarded.ledger)

    @pytest.mark.usefixtures("cast")
    @pytest.mark.parametrize("state", ["log", "no log"])
    def test_changes_no_byte(self, guarded: Guarded, command: str, state: str) -> None:
        """Neither of the database nor of its write-ahead log."""
        if state == "no log":
            change(guarded, "PRAGMA wal_checkpoint(TRUNCATE)")
            assert not os.path.exists(guarded.ledger + "-wal")
        files = (guarded.ledger, *[guarded.ledger + "-wal"] * (state == "log"))
        before = snapshot(*files)
        assert all(before.values())
        ledger(guarded, command)
        assert snapshot(*files) == before

    @pytest.mark.usefixtures("cast")
    def test_waits_for_no_writer(self, guarded: Guarded, command: str) -> None:
        """A transaction that is open is not seen and not waited for."""
        with closing(sqlite3.connect(guarded.ledger, isolation_level=None)) as link:
            link.execute("BEGIN IMMEDIATE")
            link.execute("UPDATE turns SET state = 'CLOSED'")
            expected = {"verify": "agrees with its events"}.get(command, "HANDOFF_PENDING")
            assert expected in ledger(guarded, command)
            link.execute("ROLLBACK")

    @pytest.mark.usefixtures("cast")
    def test_makes_no_writer_wait(self, guarded: Guarded, command: str) -> None:
        """While it runs, a writer that waits for nobody never meets a lock."""
        with closing(sqlite3.connect(guarded.ledger, timeout=0, isolation_level=None)) as link:
            running = start(guarded, command)
            written = 0
            while running.poll() is None or not written:
                link.execute("BEGIN IMMEDIATE")
                link.execute(
                    "INSERT INTO marks VALUES ('test', ?) ON CONFLICT (name)"
                    " DO UPDATE SET value = excluded.value",
                    (written,),
                )
                link.execute("COMMIT")
                written += 1
            out, err = running.communicate()
        assert (running.returncode, bool(out)) == (0, True), err
        assert written > 10


def test_the_group_is_listed(guarded: Guarded) -> None:
    """With its three commands."""
    text = ledger(guarded, "--help")
    assert [name for name in COMMANDS if name in text] == COMMANDS
