"""What every hook does for the ledger: the same thing twice does nothing, and only to its own."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agguard.doctor.stage import Conversation, Stage
from agguard.ledger.reader import Reader
from agguard.ledger.store import Ledger
from agguard.model.event import Event
from agguard.model.session import Role, Session
from agguard.pipeline import upkeep
from agguard.pipeline.books import Books
from fakes.family import idle
from unit.ledger.ledger_scene import DAY, primary, spawn, state, task

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def session(who: Conversation, role: Role = Role.PRIMARY) -> Session:
    """Make the session of a conversation as a hook does."""
    return Session(who.name, role, transcript=who.transcript, artifact_dir=who.folder)


class World:
    """A ledger, a brain, and two primaries that have each issued work for three children."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "ledger.db")
        self.ledger = Ledger.open(self.path, wait=5.0, now=0.0)
        self.stage = Stage(str(folder))
        self.boss, self.other = self.parent(), self.parent()
        self.children = self.start(self.boss)
        self.strangers = self.start(self.other)

    def parent(self) -> Conversation:
        found = self.stage.conversation()
        found.user("Do it.")
        self.ledger.bind(primary(found.name))
        return found

    def start(self, parent: Conversation) -> list[Conversation]:
        """Issue work for three children; the last of them has not fired a hook yet."""
        parent.calls("invoke_subagent", {"Subagents": [{"Prompt": "p"}] * 3})
        step = parent.step + 1
        items = [
            task(f"{parent.name}-{n}", parent.name, step, position=n, agent_role=f"agent {n}")
            for n in range(3)
        ]
        self.ledger.issue(items, spawn(parent.name, step))
        children = [self.stage.conversation() for _ in items]
        parent.spawned(*children)
        for item, child in zip(items[:2], children, strict=False):
            assert self.ledger.claim(item.token, child.name, parent.name, 2.0)
        return children

    def settle(self, who: Conversation, now: float = 3.0) -> None:
        event = Event("PreToolUse", who.name, transcript=who.transcript)
        upkeep.settle(self.ledger, event, session(who), now)

    def statuses(self, children: list[Conversation]) -> list[str]:
        latest = [self.ledger.latest(child.name) for child in children]
        return [item.status if item else "" for item in latest]

    def rows(self) -> list[tuple[Any, ...]]:
        link = sqlite3.connect(self.path)
        tables = ("work_items", "tokens", "turns", "events", "conversations")
        found = [row for name in tables for row in link.execute(f"SELECT * FROM {name}")]  # noqa: S608
        link.close()
        return found

    def verified(self) -> list[str]:
        with Reader.open(self.path) as reader:
            return reader.verify()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.ledger.close()


def kill(parent: Conversation, **args: Any) -> None:
    parent.calls("manage_subagents", args)
    parent.result("GENERIC", "Successfully killed")


def chat(parent: Conversation, child: Conversation) -> None:
    parent.calls("send_message", {"Recipient": child.name, "Message": "x"})
    parent.result("GENERIC", "sent")


ROWS = {
    "idle": idle,
    "kill": lambda parent, child: kill(parent, Action="kill", ConversationIds=[child.name]),
    "kill all": lambda parent, _: kill(parent, Action="kill_all"),
    "list": lambda parent, _: kill(parent, Action="list"),
    "nonsense": lambda parent, child: kill(parent, Action=[child.name], ConversationIds=7),
    "message": chat,
    "words": lambda parent, child: parent.message(child.name, "has gone idle"),
    "text": lambda parent, _: parent.says("Subagent x has gone idle."),
}
"""Rows that a parent's transcript may hold about a child."""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(ROWS)), st.integers(0, 5)), max_size=8))
def test_settling_is_sound_complete_and_done_once(rows: list[tuple[str, int]]) -> None:
    """Whatever rows come in whatever order, also about another's children.

    Own children end if and only if a row says so; nobody else's do; a second time changes nothing.
    """
    with TemporaryDirectory() as folder:
        world = World(Path(folder))
        everybody = [*world.children, *world.strangers]
        ended = set()
        for kind, number in rows:
            ROWS[kind](world.boss, everybody[number])
            if kind == "kill all":
                ended |= {0, 1, 2}
            elif kind in ("idle", "kill"):
                ended.add(number)
        world.settle(world.boss)
        before = world.rows()
        world.settle(world.boss)

        assert world.rows() == before
        found = [status in ("TERMINATED", "FAILED") for status in world.statuses(world.children)]
        assert found == [number in ended for number in range(3)]
        assert world.statuses(world.strangers) == ["ACTIVE", "ACTIVE", ""]
        assert world.verified() == []
        world.ledger.close()


def test_the_first_row_that_ends_a_child_counts(world: World) -> None:
    """A child that reported and was killed then has ended well."""
    idle(world.boss, world.children[0])
    kill(world.boss, Action="kill_all")
    world.settle(world.boss)
    assert world.statuses(world.children) == ["TERMINATED", "FAILED", "FAILED"]
    assert state(world.ledger, world.boss.name) == "RECOVERY_REQUIRED"


def test_a_transcript_of_somebody_else_settles_nothing(world: World) -> None:
    """What a payload names must be the conversation's own record."""
    idle(world.other, world.children[0])
    event = Event("PreToolUse", world.boss.name, transcript=world.other.transcript)
    foreign = session(world.boss).replace(transcript=world.other.transcript)
    upkeep.settle(world.ledger, event, foreign, 3.0)
    assert world.statuses(world.children) == ["ACTIVE", "ACTIVE", ""]


@pytest.mark.parametrize("role", [Role.WORKER, Role.UNKNOWN])
def test_who_has_no_children_settles_nothing(world: World, role: Role) -> None:
    """A worker issues nothing; who is unknown is asked again when it is known."""
    idle(world.boss, world.children[0])
    event = Event("PreToolUse", world.boss.name, transcript=world.boss.transcript)
    assert upkeep.settle(world.ledger, event, session(world.boss, role), 3.0) is None
    assert world.statuses(world.children) == ["ACTIVE", "ACTIVE", ""]


def test_the_end_has_the_time_of_the_report(world: World) -> None:
    """Not that of the hook which read it: what was sent in between is a new task."""
    idle(world.boss, world.children[0])
    world.settle(world.boss, now=4e9)
    item = world.ledger.latest(world.children[0].name)
    assert item is not None
    assert item.updated_at < 3e9


@pytest.mark.parametrize(("sent", "status"), [(990.0, "ISSUED"), (1010.0, "TERMINATED")])
def test_a_report_that_was_sent_before_a_task_does_not_end_it(
    world: World, sent: float, status: str
) -> None:
    """Its row may be written after the message that gave the task: the times tell."""
    child = world.children[0]
    world.ledger.finish(child.name, 900.0)
    chat(world.boss, child)
    step = world.boss.step
    wanted = task("more", world.boss.name, step, child=child.name, origin="message")
    assert world.ledger.resume(wanted, spawn(world.boss.name, step, at=1000.0))
    idle(world.boss, child)
    stamp = datetime.fromtimestamp(sent, UTC).strftime("timestamp=%Y-%m-%dT%H:%M:%SZ")
    text = Path(world.boss.transcript).read_text(encoding="utf-8")
    Path(world.boss.transcript).write_text(re.sub(r"timestamp=\S+", stamp, text), encoding="utf-8")

    world.settle(world.boss, now=1020.0)

    assert world.statuses([child]) == [status]


@pytest.mark.parametrize(
    ("configured", "silence", "status"),
    [
        ({}, DAY - 1, "ACTIVE"),
        ({}, DAY + 1, "TIMED_OUT"),
        ({"work_timeout": 5}, 4, "ACTIVE"),
        ({"work_timeout": 5}, 6, "TIMED_OUT"),
    ],
)
def test_silence_is_a_day_or_what_is_configured(
    world: World, configured: dict[str, int], silence: float, status: str
) -> None:
    """`[ledger] work_timeout`."""
    upkeep.sweep(world.ledger, 2.0 + silence, configured)
    assert world.statuses(world.children[:2]) == [status] * 2


def test_an_agent_is_told_who_works_and_who_is_dead(tmp_path: Path) -> None:
    """By the role that it gave them and the step at which it started them."""
    world = World(tmp_path)
    first, second, _ = world.children
    world.ledger.finish(first.name, 3.0, failure="model overloaded")
    world.ledger.touch(second.name, 2 * DAY)
    upkeep.sweep(world.ledger, 2 * DAY + 1, {})
    books = Books(str(tmp_path), 5.0, 2 * DAY)
    step = world.boss.step

    found = upkeep.described(books, Session(world.boss.name, Role.PRIMARY))

    assert found == (
        (f"agent 1 (step {step})",),
        (
            f"agent 0 (step {step}) failed (model overloaded)",
            f"agent 2 (step {step}) fell silent and was given up",
        ),
    )
    assert upkeep.described(books, Session(first.name, Role.WORKER)) == ((), ())
    world.ledger.close()


def test_a_kill_takes_what_was_started_below(world: World) -> None:
    """Down to the last, claimed or not; others below other agents stay."""
    leader = world.stage.conversation()
    lead = task("lead", world.boss.name, 40, role=Role.COORDINATOR, remaining_depth=1)
    world.ledger.issue([lead], spawn(world.boss.name, 40))
    world.ledger.claim("token-lead", leader.name, world.boss.name, 2.0)
    below = [task("a", leader.name, 2), task("b", leader.name, 2, position=1)]
    world.ledger.issue(below, spawn(leader.name, 2))
    world.ledger.claim("token-a", "deep", leader.name, 2.0)

    upkeep.kill(world.ledger, [leader.name], world.boss.name, 3.0)

    assert world.ledger.running(leader.name) == []
    assert [item.cause for item in world.ledger.dead(leader.name)] == ["killed", "killed"]
    assert world.statuses(world.children[:2]) == ["ACTIVE", "ACTIVE"]
    assert world.verified() == []
