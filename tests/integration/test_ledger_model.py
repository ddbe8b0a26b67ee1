"""The ledger against a model in plain Python, with crashes between any two statements."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agguard.ledger.reader import Reader
from agguard.ledger.records import Conversation
from agguard.model.session import Role
from unit.ledger.ledger_scene import call, opened, spawn, stop, task

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from typing import Any

    from agguard.ledger.records import WorkItem
    from agguard.ledger.store import Ledger

OPEN = ("ISSUED", "ACTIVE", "WAITING")
NAMES = ("boss", "king", *"abcdefgh")
TIMEOUT = 10.0


class CrashError(BaseException):
    """The process is gone."""


class Dying:
    """A database connection whose process dies before its n-th statement and stays dead."""

    def __init__(self, db: sqlite3.Connection, statements: int) -> None:
        self.db = db
        self.left = statements
        self.dead = False

    def execute(self, sql: str, args: Any = ()) -> sqlite3.Cursor:
        """Run a statement, or die."""
        self.dead = self.left <= 0
        if self.dead:
            raise CrashError
        self.left -= 1
        return self.db.execute(sql, args)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open; the dead do not roll back."""
        return not self.dead and self.db.in_transaction


class Person:
    """A conversation, in the model."""

    def __init__(self, seen: int) -> None:
        self.seen = seen
        self.role = ""
        self.parent = ""
        self.depth = 0
        self.read_only = False


class Job:
    """A work item, in the model."""

    def __init__(self, item: WorkItem, depth: int, *, read_only: bool, tick: int) -> None:
        self.id, self.token, self.issuer, self.step = item.id, item.token, item.issuer, item.step
        self.depth, self.read_only, self.tick = depth, read_only, tick
        self.status, self.child, self.accepted = "ISSUED", "", False
        self.alive = 0.0
        self.unanswered = False

    @property
    def open(self) -> bool:
        """Whether it has not ended."""
        return self.status in OPEN

    def end(self, status: str) -> None:
        """End it; badly, if so, until its issuer has dealt with it."""
        self.status = status
        self.unanswered = status != "TERMINATED"


class Model:
    """What the ledger must hold, without a database: everything in its simplest form."""

    def __init__(self) -> None:
        self.people: dict[str, Person] = {}
        self.jobs: dict[str, Job] = {}
        self.states: dict[str, str] = {}
        self.turn: dict[str, int] = {}
        self.tick = 0

    def see(self, name: str) -> Person:
        """Meet somebody."""
        self.tick += 1
        return self.people.setdefault(name, Person(self.tick))

    def bind(self, name: str, role: str, parent: str, depth: int, *, read_only: bool) -> None:
        """Give a role to somebody who has none."""
        person = self.see(name)
        if person.role:
            return
        above = self.people.get(parent)
        if above and above.role:
            depth = max(min(depth, above.depth - 1), 0)
            read_only = read_only or above.read_only
        role = role if depth or role == "primary" else "worker"
        person.role, person.parent, person.depth = role, parent, depth
        person.read_only = read_only
        self.humble(name)

    def humble(self, name: str) -> None:
        """Leave the children of somebody no more than it has itself."""
        above = self.people[name]
        for child, person in self.people.items():
            if person.parent != name or not person.role:
                continue
            person.depth = max(min(person.depth, above.depth - 1), 0)
            person.read_only = person.read_only or above.read_only
            if not person.depth:
                person.role = "worker"
            self.level(child)
            self.humble(child)

    def level(self, child: str) -> None:
        """Give the open job of a child the rights of the child."""
        job = self.held(child)
        if job:
            job.depth = self.people[child].depth
            job.read_only = self.people[child].read_only

    def of(self, issuer: str) -> list[Job]:
        """Return what somebody has issued."""
        return [job for job in self.jobs.values() if job.issuer == issuer]

    def held(self, child: str) -> Job | None:
        """Return what somebody works on."""
        found = [job for job in self.jobs.values() if job.child == child and job.open]
        assert len(found) < 2
        return found[0] if child and found else None

    def settle(self, issuer: str) -> None:
        """Let the issuer's turn follow its work, if it was waiting for work."""
        if self.states.get(issuer) in ("HANDOFF_PENDING", "EXECUTION_ACTIVE"):
            self.states[issuer] = self.follows(issuer)

    def follows(self, issuer: str) -> str:
        """Return the state that somebody's work leads to."""
        jobs = self.of(issuer)
        if any(job.status == "ISSUED" and not job.accepted for job in jobs):
            return "HANDOFF_PENDING"
        if any(job.open for job in jobs):
            return "EXECUTION_ACTIVE"
        return "RECOVERY_REQUIRED" if any(job.unanswered for job in jobs) else "REVIEWING"

    def answer(self, issuer: str) -> None:
        """Count somebody's failures as dealt with."""
        for job in self.of(issuer):
            job.unanswered = False

    def hook(self, name: str, turn: int) -> None:
        """Somebody's hook runs; perhaps after a new message of the user."""
        person = self.see(name)
        if person.role == "worker" or turn <= self.turn.get(name, 0):
            return
        self.turn[name] = turn
        if self.states.get(name, "CLOSED") in ("CLOSED", "REVIEWING"):
            self.states[name] = "OPEN"

    def may_take(self, job: Job | None, name: str) -> bool:
        """Whether somebody has a right to a job that nobody holds."""
        if job is None or job.status != "ISSUED" or job.child or not name or name == job.issuer:
            return False
        person = self.people.get(name)
        return person is None or (not person.role and person.seen > job.tick)

    def take(self, job: Job, name: str) -> None:
        """Give somebody a job."""
        job.child, job.status, job.accepted = name, "ACTIVE", True
        role = "coordinator" if job.depth else "worker"
        self.bind(name, role, job.issuer, job.depth, read_only=job.read_only)
        self.level(name)
        self.settle(job.issuer)

    def wake(self, job: Job, now: float) -> None:
        """A sign of life."""
        was, job.status, job.alive = job.status, "ACTIVE", now
        if was == "ISSUED":
            job.accepted = True
            self.settle(job.issuer)


names = st.sampled_from(NAMES)
tokens = st.sampled_from([f"token-{number}" for number in range(12)])
crashes = st.one_of(st.none(), st.none(), st.integers(0, 30))
picks = st.integers(0, 99)


class LedgerMachine(RuleBasedStateMachine):
    """Random lives: some of them end before a statement and go on in a new process."""

    @initialize()
    def start(self) -> None:
        """Begin with an empty ledger and two users' sessions."""
        self.folder = Path(tempfile.mkdtemp())
        self.ledger: Ledger = opened(self.folder)
        self.model = Model()
        self.now = 1.0
        self.ended: dict[str, tuple[object, ...]] = {}
        self.claims: dict[str, str] = {}
        for name in ("boss", "king"):
            self.attempt(
                None,
                lambda name=name: self.ledger.bind(
                    Conversation(name, Role.PRIMARY, remaining_depth=2)
                ),
            )
            self.model.bind(name, "primary", "", 2, read_only=False)

    def teardown(self) -> None:
        """Leave nothing behind."""
        if hasattr(self, "folder"):
            self.ledger.close()
            shutil.rmtree(self.folder)

    def attempt(self, crash: int | None, act: Callable[[], Any]) -> tuple[bool, Any]:
        """Let a process do something; return whether it lived, and what it got.

        A process that dies has stored nothing: `act` is one transaction, and its last statement
        is the COMMIT.
        """
        link = self.ledger._link
        if crash is None:
            return True, act()
        real = link.db
        link.db = Dying(real, crash)
        try:
            return True, act()
        except CrashError:
            real.close()  # what the kernel does for a dead process; nothing is written back
            self.ledger = opened(self.folder)
            return False, None
        finally:
            link.db = real

    @rule(seconds=st.sampled_from([0.0, 1.0, 4.0, 11.0, -2.0]))
    def time_passes(self, seconds: float) -> None:
        """Clocks go on, stand still, and are set back."""
        self.now = max(self.now + seconds, 1.0)

    @rule(crash=crashes, who=names, turn=st.integers(0, 3), denied=st.booleans())
    def call_a_tool(self, crash: int | None, who: str, turn: int, denied: bool) -> None:
        """Somebody's tool call is decided."""
        entry = call("deny" if denied else "allow", who, at=self.now, turn=turn)
        lived, _ = self.attempt(crash, lambda: self.ledger.record(entry))
        if lived:
            self.model_hook(who, turn)

    def model_hook(self, who: str, turn: int) -> None:
        """A hook with turn 0 begins the first turn, too."""
        self.model.hook(who, turn)
        person = self.model.people[who]
        if person.role != "worker" and who not in self.model.turn:
            self.model.turn[who] = turn
            if self.model.states.get(who, "CLOSED") == "CLOSED":
                self.model.states[who] = "OPEN"

    @rule(crash=crashes, who=names)
    def live(self, crash: int | None, who: str) -> None:
        """Somebody gives a sign of life."""
        lived, _ = self.attempt(crash, lambda: self.ledger.touch(who, self.now))
        if lived:
            self.model.see(who)
            job = self.model.held(who)
            if job:
                self.model.wake(job, self.now)

    @precondition(lambda self: len(self.model.jobs) < 12)
    @rule(
        crash=crashes,
        who=st.sampled_from(("boss", "king", "a", "b")),
        shape=st.tuples(st.integers(1, 2), st.integers(0, 3), st.booleans(), st.booleans()),
        turn=st.integers(0, 3),
    )
    def issue(
        self, crash: int | None, who: str, shape: tuple[int, int, bool, bool], turn: int
    ) -> None:
        """Somebody starts agents; the host may drop the tokens, or fire twice."""
        count, depth, bare, twice = shape
        first = len(self.model.jobs)
        items = [
            task(
                str(first + place),
                issuer=who,
                step=first,
                position=place,
                token="" if bare else f"token-{first + place}",
                role=Role.COORDINATOR if depth else Role.WORKER,
                remaining_depth=depth,
            )
            for place in range(count)
        ]
        entry = spawn(who, step=first, at=self.now, turn=turn)
        lived, _ = self.attempt(crash, lambda: self.ledger.issue(items, entry))
        if not lived:
            return
        self.model_hook(who, turn)
        person = self.model.people[who]
        for item in items:
            self.model.tick += 1
            limit = 0 if bare else item.remaining_depth
            if person.role:
                limit = min(limit, max(person.depth - 1, 0))
            job = Job(item, limit, read_only=bare or person.read_only, tick=self.model.tick)
            job.alive = self.now
            self.model.answer(who)
            self.model.jobs[item.id] = job
            self.model.states[who] = self.model.follows(who)
        if twice:
            twins = [item.replace(id=f"twin-{item.id}", token="") for item in items]
            again = self.ledger.issue(twins, entry)
            assert [item.id for item in again] == [item.id for item in items]

    @rule(crash=crashes, token=tokens, who=names, sender=st.one_of(st.none(), names))
    def claim(self, crash: int | None, token: str, who: str, sender: str | None) -> None:
        """Somebody presents a token: its own, a pasted one, a guessed one."""
        lived, got = self.attempt(crash, lambda: self.ledger.claim(token, who, sender, self.now))
        if not lived:
            return
        found = [job for job in self.model.jobs.values() if token and job.token == token]
        job = found[0] if found and sender in (None, found[0].issuer) else None
        self.taken(job, who, got)

    def taken(self, job: Job | None, who: str, got: WorkItem | None) -> None:
        """Compare what somebody got with what the model gives."""
        if job and job.child == who and job.open:
            assert got is not None
        elif self.model.may_take(job, who):
            assert job is not None
            assert got is not None
            self.model.take(job, who)
            job.alive = self.now
        else:
            assert got is None

    def rightful(self) -> list[tuple[Job, str]]:
        """Return who may take what."""
        jobs = [job for job in self.model.jobs.values() if job.status == "ISSUED"]
        return [(job, who) for job in jobs for who in NAMES if self.model.may_take(job, who)]

    @precondition(lambda self: self.rightful())
    @rule(crash=crashes, pick=picks, matched=st.booleans())
    def take_what_is_due(self, crash: int | None, pick: int, matched: bool) -> None:
        """A child comes for its work."""
        pairs = self.rightful()
        job, who = pairs[pick % len(pairs)]
        if matched or not job.token:
            lived, got = self.attempt(crash, lambda: self.ledger.adopt(job.id, who, self.now))
        else:
            lived, got = self.attempt(
                crash, lambda: self.ledger.claim(job.token, who, job.issuer, self.now)
            )
        if lived:
            self.taken(job, who, got)

    @precondition(lambda self: any(map(self.model.held, NAMES)))
    @rule(crash=crashes, pick=picks, failed=st.booleans(), idle=st.booleans())
    def worker_stops(self, crash: int | None, pick: int, failed: bool, idle: bool) -> None:
        """A child that has work stops."""
        holders = [name for name in NAMES if self.model.held(name)]
        self.child_stops(crash, holders[pick % len(holders)], failed, idle)

    @rule(crash=crashes, number=st.integers(0, 11), who=names)
    def adopt(self, crash: int | None, number: int, who: str) -> None:
        """Somebody is matched to an item."""
        lived, got = self.attempt(crash, lambda: self.ledger.adopt(str(number), who, self.now))
        if lived:
            self.taken(self.model.jobs.get(str(number)), who, got)

    @precondition(lambda self: len(self.model.jobs) < 12)
    @rule(crash=crashes, depth=st.integers(0, 2), pick=picks)
    def delegate(self, crash: int | None, depth: int, pick: int) -> None:
        """A user's session starts one agent, which comes for its work at once."""
        before = len(self.model.jobs)
        self.issue(None, ("boss", "king")[pick % 2], (1, depth, False, False), 0)
        pairs = [(job, who) for job, who in self.rightful() if job.id == str(before)]
        if pairs:
            job, who = pairs[pick % len(pairs)]
            lived, got = self.attempt(
                crash, lambda: self.ledger.claim(job.token, who, job.issuer, self.now)
            )
            if lived:
                self.taken(job, who, got)

    def children(self) -> list[str]:
        """Return whoever has a parent."""
        return [name for name, person in self.model.people.items() if person.parent]

    @precondition(lambda self: self.children() and len(self.model.jobs) < 20)
    @rule(crash=crashes, pick=picks, turn=st.integers(0, 3))
    def a_parent_sends_a_message(self, crash: int | None, pick: int, turn: int) -> None:
        """A child gets a further task from its parent."""
        child = self.children()[pick % len(self.children())]
        self.send(crash, self.model.people[child].parent, child, turn)

    @precondition(lambda self: len(self.model.jobs) < 20)
    @rule(crash=crashes, sender=names, child=names, turn=st.integers(0, 3))
    def anybody_sends_a_message(
        self, crash: int | None, sender: str, child: str, turn: int
    ) -> None:
        """Somebody writes to somebody."""
        self.send(crash, sender, child, turn)

    def send(self, crash: int | None, sender: str, child: str, turn: int) -> None:
        """Send a message, and open a further task if it is the parent's."""
        number = len(self.model.jobs)
        wanted = task(f"m-{number}", issuer=sender, step=100 + number, child=child)
        entry = call("allow", sender, at=self.now, turn=turn)
        lived, got = self.attempt(crash, lambda: self.ledger.resume(wanted, entry))
        if not lived:
            return
        self.model_hook(sender, turn)
        person = self.model.people.get(child)
        if person is None or person.parent != sender:
            assert got is None
            return
        job = self.model.held(child)
        if job is None:
            self.model.tick += 1
            job = Job(wanted, person.depth, read_only=person.read_only, tick=self.model.tick)
            job.child, job.accepted, job.alive = child, True, self.now
            self.model.answer(sender)
            self.model.jobs[job.id] = job
            self.model.states[sender] = self.model.follows(sender)
        assert got is not None
        assert got.id == job.id

    @rule(crash=crashes, who=names, step=st.integers(0, 11), started=st.booleans())
    def hear_of_a_spawn(self, crash: int | None, who: str, step: int, started: bool) -> None:
        """The host has started what a step issued, or has not."""
        if started:
            act: Callable[[], Any] = lambda: self.ledger.accept(who, step, self.now)  # noqa: E731
        else:
            act = lambda: self.ledger.refuse(who, step, "error", self.now)  # noqa: E731
        lived, _ = self.attempt(crash, act)
        if not lived:
            return
        for job in self.model.of(who):
            if job.step != step or job.status != "ISSUED" or job.child:
                continue
            if not started:
                job.end("FAILED")
            elif not job.accepted:
                job.accepted, job.alive = True, self.now
            self.model.settle(who)

    @rule(crash=crashes, who=names, failed=st.booleans(), idle=st.booleans())
    def anybody_stops(self, crash: int | None, who: str, failed: bool, idle: bool) -> None:
        """The stop of whoever it may be arrives."""
        self.child_stops(crash, who, failed, idle)

    def child_stops(self, crash: int | None, who: str, failed: bool, idle: bool) -> None:
        """A child stops: waiting, well, badly, or too late."""
        if not idle:
            lived, got = self.attempt(crash, lambda: self.ledger.rest(who, self.now))
        else:
            why = "ERROR" if failed else ""
            lived, got = self.attempt(crash, lambda: self.ledger.finish(who, self.now, failure=why))
        if not lived:
            return
        job = self.model.held(who)
        assert (got is None) == (job is None)
        if job is None:
            return
        if not idle:
            self.model.wake(job, self.now)
            job.status = "WAITING"
            return
        if not failed:
            self.model.wake(job, self.now)
        job.end("FAILED" if failed else "TERMINATED")
        self.model.settle(job.issuer)

    @rule(crash=crashes, who=names, rejected=st.booleans(), turn=st.integers(0, 3))
    def stop(self, crash: int | None, who: str, rejected: bool, turn: int) -> None:
        """Somebody's stop is decided."""
        entry = stop("deny" if rejected else "allow", who, self.now, turn)
        lived, _ = self.attempt(crash, lambda: self.ledger.record(entry))
        if not lived:
            return
        self.model_hook(who, turn)
        state = self.model.states.get(who)
        if rejected and state == "CLOSED":
            self.model.states[who] = "OPEN"
        elif not rejected and state in ("OPEN", "REVIEWING", "RECOVERY_REQUIRED", "CLOSED"):
            self.model.states[who] = "CLOSED"
            self.model.answer(who)

    @rule(crash=crashes, who=names)
    def sweep(self, crash: int | None, who: str) -> None:
        """Any hook sweeps; then its own conversation hears of the dead."""
        lived, _ = self.attempt(crash, lambda: self.ledger.sweep(self.now, TIMEOUT))
        if not lived:
            return
        for job in self.model.jobs.values():
            if job.open and job.alive < self.now - TIMEOUT:
                job.end("TIMED_OUT")
        lived, _ = self.attempt(crash, lambda: self.ledger.reconcile(who, self.now))
        if lived and not any(job.open for job in self.model.of(who)):
            self.model.settle(who)

    @invariant()
    def the_ledger_is_the_model(self) -> None:
        """Every conversation, item and turn stands as the model says."""
        if not hasattr(self, "folder"):
            return
        with Reader.open(str(self.folder / "ledger.db")) as reader:
            assert reader.verify() == []
        rows = self.ledger._link.rows
        people = {
            name: (role, parent, depth, bool(read_only))
            for name, role, parent, depth, read_only in rows(
                "SELECT id, role, parent, remaining_depth, read_only FROM conversations"
            )
        }
        assert people == {
            name: (person.role, person.parent, person.depth, person.read_only)
            for name, person in self.model.people.items()
        }
        jobs = {
            name: (status, child, depth, bool(read_only))
            for name, status, child, depth, read_only in rows(
                "SELECT id, status, child, remaining_depth, read_only FROM work_items"
            )
        }
        assert jobs == {
            name: (job.status, job.child, job.depth, job.read_only)
            for name, job in self.model.jobs.items()
        }
        for name in NAMES:
            turn = self.ledger.turn(name)
            assert (turn.state if turn else None) == self.model.states.get(name)
            dead = {item.id for item in self.ledger.dead(name)}
            assert dead == {job.id for job in self.model.of(name) if job.unanswered}

    @invariant()
    def the_rules_hold(self) -> None:
        """Design, section 4, looked up in the tables without the model."""
        if not hasattr(self, "folder"):
            return
        rows = self.ledger._link.rows
        for token, who in rows("SELECT token, claimed_by FROM tokens WHERE claimed_by > ''"):
            assert self.claims.setdefault(str(token), str(who)) == who, "claimed twice"
        assert len(set(self.claims.values())) == len(self.claims), "one conversation claims once"
        for name, *row in rows(
            "SELECT id, status, updated_at, child, ended_seq, cause FROM work_items"
            " WHERE status IN ('TERMINATED', 'FAILED', 'TIMED_OUT')"
        ):
            assert self.ended.setdefault(str(name), tuple(row)) == tuple(row), "ended has moved"
        assert not rows(
            "SELECT 1 FROM events AS e WHERE type = 'WORK_FINISHED' AND NOT EXISTS ("
            "SELECT 1 FROM work_items WHERE id = e.item AND ended_seq = e.seq)"
        ), "a late child has brought a success"
        assert not rows(
            "SELECT 1 FROM conversations AS c JOIN conversations AS p ON p.id = c.parent"
            " WHERE c.remaining_depth > 0 AND c.remaining_depth >= p.remaining_depth"
            " AND p.role <> ''"
        ), "depth has not decreased"


TestTheLedger = LedgerMachine.TestCase
TestTheLedger.settings = settings(
    max_examples=int(os.environ.get("AGGUARD_LEDGER_LIVES", "60")),
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestTheLedger = pytest.mark.timeout(600)(TestTheLedger)
