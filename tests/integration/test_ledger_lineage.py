"""Who may claim what, through the library and past it."""

from __future__ import annotations

import sqlite3

import pytest

from agguard.errors import LedgerError
from agguard.ledger.records import Conversation
from agguard.model.session import Role
from unit.ledger.ledger_scene import call, opened, primary, spawn, stop, task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agguard.ledger.records import WorkItem
    from agguard.ledger.store import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with a primary agent that has issued work for one worker."""
    ledger = opened(tmp_path)
    ledger.bind(primary())
    ledger.issue([task("job")], spawn())
    yield ledger
    ledger.close()


class TestAClaim:
    def test_binds_the_conversation_to_the_rights_of_the_item(self, ledger: Ledger) -> None:
        """Role, parent, depth and tier come from the item, in the same transaction."""
        item = ledger.claim("token-job", "child", "boss", 2.0)
        assert item is not None
        assert (item.child, item.status, item.accepted) == ("child", "ACTIVE", True)
        bound = ledger.conversation("child")
        assert bound == Conversation(
            "child", Role.WORKER, "boss", bound_by="token", first_seen=2.0, last_seen=2.0
        )
        assert ledger.held("child") == item
        assert ledger.unclaimed("boss") == []

    def test_by_the_same_conversation_again_is_the_same_claim(self, ledger: Ledger) -> None:
        """A hook that was killed after its claim claims again and gets the same."""
        assert ledger.claim("token-job", "child", None, 2.0) == ledger.claim(
            "token-job", "child", None, 3.0
        )

    @pytest.mark.parametrize(
        ("token", "who", "sender"),
        [
            ("token-job", "boss", None),  # the issuer itself
            ("token-job", "boss", "boss"),
            ("token-job", "child", "stranger"),  # a sender that did not issue it
            ("token-none", "child", None),  # a guessed token
            ("", "child", None),
            ("token-job ", "child", None),
            ("TOKEN-JOB", "child", None),
            ("token-job", "", None),
        ],
    )
    def test_without_right_changes_nothing(
        self, ledger: Ledger, token: str, who: str, sender: str | None
    ) -> None:
        """A pasted, guessed or foreign token gives no right."""
        assert ledger.claim(token, who, sender, 2.0) is None
        assert [item.id for item in ledger.unclaimed("boss")] == ["job"]
        assert ledger.conversation("child") is None

    def test_by_an_issuer_that_was_never_seen_fails(self, ledger: Ledger) -> None:
        """Not even one that no hook has named before."""
        ledger.issue([task("own", issuer="ghost", step=2)], spawn(step=2))
        assert ledger.claim("token-own", "ghost", None, 2.0) is None
        assert ledger.adopt("own", "ghost", 2.0) is None

    def test_without_worth_takes_no_lock(self, ledger: Ledger, tmp_path: Path) -> None:
        """Pasting tokens into prompts does not hold up anybody's hooks."""
        ledger.issue([task("lost", step=2)], spawn(step=2))
        ledger.refuse("boss", 2, "error", 2.0)
        other = opened(tmp_path, wait=0.0)
        with ledger:
            for token in ("", "token-none", "token-lost"):
                assert other.claim(token, "child", None, 2.0) is None
            assert other.claim("token-job", "child", "stranger", 2.0) is None
        other.close()

    def test_by_a_second_conversation_fails(self, ledger: Ledger) -> None:
        """A replayed token gives no right."""
        ledger.claim("token-job", "child", None, 2.0)
        assert ledger.claim("token-job", "other", None, 3.0) is None
        assert ledger.conversation("other") is None

    def test_by_a_conversation_that_was_there_before_fails(self, ledger: Ledger) -> None:
        """An item is for a conversation that starts later, whatever the clock says."""
        ledger.touch("old", 500.0)
        ledger.issue([task("next", step=2)], spawn(step=2, at=1.0))
        assert ledger.claim("token-next", "old", None, 600.0) is None
        assert ledger.claim("token-next", "new", None, 0.5) is not None

    @pytest.mark.parametrize("first", ["record", "touch"])
    def test_staying_unknown_does_not_help(self, ledger: Ledger, first: str) -> None:
        """A conversation is remembered from its first hook on, bound or not."""
        if first == "touch":
            ledger.touch("lurker", 1.5)
        else:
            ledger.record(call(conversation="lurker"))
        ledger.issue([task("next", step=2)], spawn(step=2))
        assert ledger.claim("token-next", "lurker", None, 2.0) is None
        assert ledger.conversation("lurker") is None

    def test_of_a_forged_call_leaves_no_trace_of_its_conversation(self, ledger: Ledger) -> None:
        """An inert entry cannot spoil the claim of a conversation that it names."""
        ledger.issue([task("next", step=2)], spawn(step=2))
        ledger.record(call(conversation="child", inert=True))
        assert ledger.claim("token-next", "child", None, 2.0) is not None

    def test_by_a_primary_fails(self, ledger: Ledger) -> None:
        """A user message with another conversation's token makes no child of a primary."""
        ledger.bind(primary("user"))
        assert ledger.claim("token-job", "user", None, 2.0) is None
        assert ledger.conversation("user") == primary("user")

    def test_of_a_second_item_fails(self, ledger: Ledger) -> None:
        """A reused child cannot trade its rights for those of a second token."""
        ledger.issue([task("big", step=2, role=Role.COORDINATOR, remaining_depth=1)], spawn(step=2))
        ledger.claim("token-job", "child", None, 2.0)
        assert ledger.claim("token-big", "child", None, 3.0) is None
        ledger.finish("child", 4.0)
        assert ledger.claim("token-big", "child", None, 5.0) is None
        bound = ledger.conversation("child")
        assert bound is not None
        assert (bound.role, bound.remaining_depth) == (Role.WORKER, 0)

    @pytest.mark.parametrize("end", ["refused", "timed out", "finished"])
    def test_of_an_ended_item_fails(self, ledger: Ledger, end: str) -> None:
        """A failed spawn's token is worth nothing, nor is one that came too late."""
        if end == "refused":
            ledger.refuse("boss", 1, "the host said no", 2.0)
        elif end == "timed out":
            ledger.sweep(100.0, 50.0)
        else:
            ledger.claim("token-job", "child", None, 2.0)
            ledger.finish("child", 3.0)
        assert ledger.claim("token-job", "late", None, 4.0) is None
        assert ledger.claim("token-job", "child", None, 4.0) is None


class TestAMatch:
    def test_takes_the_token_with_it(self, ledger: Ledger) -> None:
        """Who is matched by order holds the item; its token gives nothing to another."""
        item = ledger.adopt("job", "child", 2.0)
        assert item is not None
        assert ledger.claim("token-job", "other", None, 3.0) is None
        bound = ledger.conversation("child")
        assert bound is not None
        assert (bound.bound_by, bound.read_only) == ("match", False)

    def test_without_a_token_is_read_only(self, ledger: Ledger) -> None:
        """A child whose prompt could not be given a token may look and report."""
        ledger.issue(
            [task("bare", step=2, token="", role=Role.COORDINATOR, remaining_depth=1)],
            spawn(step=2),
        )
        item = ledger.adopt("bare", "child", 2.0)
        bound = ledger.conversation("child")
        assert item is not None
        assert bound is not None
        assert (bound.role, bound.remaining_depth, bound.read_only) == (Role.WORKER, 0, True)

    @pytest.mark.parametrize("who", ["boss", "", "old"])
    def test_without_right_changes_nothing(self, ledger: Ledger, who: str) -> None:
        """A match obeys the rules of a claim."""
        ledger.touch("old", 1.0)
        ledger.issue([task("next", step=2)], spawn(step=2))
        assert ledger.adopt("next", who, 2.0) is None
        assert ledger.adopt("no such item", "child", 2.0) is None


class TestIssuing:
    def test_twice_for_one_call_keeps_the_first_tokens(self, ledger: Ledger) -> None:
        """The host fires twice: the prompts carry the tokens that are stored."""
        first = ledger.issued("boss", 1)
        again = ledger.issue([task("twin", digest="digest-job")], spawn())
        assert again == first == ledger.issued("boss", 1)
        assert ledger.claim("token-twin", "child", None, 2.0) is None

    def test_of_another_call_at_the_same_step_stands_beside_it(self, ledger: Ledger) -> None:
        """A host that leaves the step out must not give a second agent the first one's token."""
        ledger.issue([task("other")], spawn())
        assert [item.token for item in ledger.issued("boss", 1)] == ["token-job", "token-other"]

    def test_cuts_the_depth_below_the_issuers(self, ledger: Ledger) -> None:
        """Depth strictly decreases, down to workers that may not delegate."""
        deep = {"role": Role.COORDINATOR, "remaining_depth": 9}
        (lead,) = ledger.issue([task("lead", step=2, **deep)], spawn(step=2))
        assert (lead.role, lead.remaining_depth) == (Role.COORDINATOR, 1)
        ledger.claim("token-lead", "lead", None, 2.0)
        (hand,) = ledger.issue([task("hand", "lead", **deep)], spawn("lead"))
        assert (hand.role, hand.remaining_depth) == (Role.WORKER, 0)

    def test_by_a_reader_makes_readers(self, ledger: Ledger) -> None:
        """A read-only coordinator has no child that writes."""
        reader = {"role": Role.COORDINATOR, "remaining_depth": 1, "read_only": True}
        ledger.issue([task("lead", step=2, **reader)], spawn(step=2))
        ledger.claim("token-lead", "lead", None, 2.0)
        (hand,) = ledger.issue([task("hand", "lead")], spawn("lead"))
        assert hand.read_only

    def test_is_all_or_nothing(self, ledger: Ledger) -> None:
        """A token that is taken keeps out the whole call: items, other tokens, the decision."""
        pair = [task("a", step=2), task("b", step=2, position=1, token="token-job")]
        with pytest.raises(LedgerError, match="refuses the change"):
            ledger.issue(pair, spawn(step=2))
        assert ledger.issued("boss", 2) == []
        assert [entry.step for entry in ledger.entries()] == [1]

    def test_keeps_the_order_of_the_call(self, ledger: Ledger) -> None:
        """Unclaimed items come by step, then by place."""
        call_of = [task(name, step=5, position=place) for place, name in enumerate("cab")]
        ledger.issue(call_of, spawn(step=5))
        assert [item.id for item in ledger.unclaimed("boss")] == ["job", "c", "a", "b"]


class TestBinding:
    def test_keeps_what_is_stored(self, ledger: Ledger) -> None:
        """The first evidence counts; later ones change neither role nor rights."""
        again = Conversation("boss", Role.WORKER, "else", 7, read_only=True, bound_by="later")
        assert ledger.bind(again) == ledger.conversation("boss") == primary()

    def test_cuts_to_what_the_parent_leaves(self, ledger: Ledger) -> None:
        """A child that is bound without an item has no more than an issued one could."""
        lead = ledger.bind(Conversation("lead", Role.COORDINATOR, "boss", 5))
        hand = ledger.bind(Conversation("hand", Role.COORDINATOR, "lead", 5))
        assert (lead.remaining_depth, hand.remaining_depth) == (1, 0)
        assert hand.role is Role.WORKER

    def test_keeps_the_first_sight(self, ledger: Ledger) -> None:
        """Binding later does not make a conversation younger."""
        ledger.touch("seen", 3.0)
        assert ledger.bind(primary("seen", first_seen=8.0, last_seen=8.0)).first_seen == 3.0

    def test_of_a_late_child_cuts_what_it_has_started(self, ledger: Ledger) -> None:
        """Agents that a child started while it was unknown get no more than it has."""
        deep = {"role": Role.COORDINATOR, "remaining_depth": 1}
        ledger.issue([task("early", "child", step=1, **deep)], spawn("child"))
        ledger.issue([task("later", "child", step=2, **deep)], spawn("child", step=2))
        ledger.claim("token-early", "grandchild", "child", 2.0)
        ledger.issue([task("bare", step=9, token="")], spawn(step=9))
        ledger.bind(Conversation("child", Role.WORKER, "boss", read_only=True))
        ledger.claim("token-later", "other", "child", 3.0)
        for name in ("grandchild", "other"):
            bound, held = ledger.conversation(name), ledger.held(name)
            assert bound is not None
            assert held is not None
            for one in (bound, held):
                assert (one.role, one.remaining_depth, one.read_only) == (Role.WORKER, 0, True)

    def test_refuses_a_circle(self, ledger: Ledger) -> None:
        """An ancestor cannot become the child of its own child."""
        ledger.bind(Conversation("child", Role.WORKER, "ghost"))
        with pytest.raises(LedgerError, match="child of 'ghost'"):
            ledger.bind(Conversation("ghost", Role.WORKER, "child"))

    def test_refuses_the_unknown(self, ledger: Ledger) -> None:
        """`unknown` is worked out anew each time and never stored."""
        with pytest.raises(LedgerError, match="refuses the change"):
            ledger.bind(Conversation("who", Role.UNKNOWN))
        assert ledger.conversation("who") is None


COPY = (
    "INSERT INTO work_items (id, token, issuer, step, position, digest, role, remaining_depth,"
    " read_only, status, child, type_name, agent_role, model, created_at, updated_at, turn, origin,"
    " accepted, cause, issued_seq, ended_seq)"
    " SELECT {}, 9, 9, 'd', 'worker', 0, {}, '', '', '', 1, 1, 1, 'spawn', 0, '', 9, 0"
)
"""A new row: id, token and issuer, then tier, status and child."""

PAST_THE_LIBRARY = {
    "a second claim": "UPDATE tokens SET claimed_by = 'boss' WHERE token = 'token-done'",
    "a claim taken back": "UPDATE tokens SET claimed_by = NULL, claimed_at = NULL"
    " WHERE token = 'token-done'",
    "the issuer's claim": "UPDATE tokens SET claimed_by = 'boss', claimed_at = 1"
    " WHERE token = 'token-job'",
    "a second token": "UPDATE tokens SET claimed_by = 'child', claimed_at = 1"
    " WHERE token = 'token-job'",
    "a token for another item": "UPDATE tokens SET item = 'job' WHERE token = 'token-done'",
    "success for ended work": "UPDATE work_items SET status = 'ACTIVE' WHERE id = 'done'",
    "a heartbeat of ended work": "UPDATE work_items SET updated_at = 99 WHERE id = 'done'",
    "success from nowhere": "UPDATE work_items SET status = 'TERMINATED', ended_seq = 9,"
    " child = 'x' WHERE id = 'job'",
    "another child": "UPDATE work_items SET child = 'other' WHERE id = 'held'",
    "more depth": "UPDATE work_items SET role = 'coordinator', remaining_depth = 1"
    " WHERE id = 'held'",
    "more tier": "UPDATE work_items SET read_only = 0 WHERE id = 'reader'",
    "open work forgotten": "DELETE FROM work_items WHERE id = 'held'",
    "an unknown status": "UPDATE work_items SET status = 'DONE' WHERE id = 'held'",
    "a role for the bound": "UPDATE conversations SET role = 'primary' WHERE id = 'child'",
    "depth for the bound": "UPDATE conversations SET remaining_depth = 9 WHERE id = 'boss'",
    "another parent": "UPDATE conversations SET parent = 'x' WHERE id = 'child'",
    "an earlier sight": "UPDATE conversations SET seen_after = 99 WHERE id = 'child'",
    "work that starts half way": COPY.format("'copy', NULL, 'boss'", "1, 'ACTIVE', 'x'"),
    "work beyond the issuer's depth": COPY.format("'copy', NULL, 'child'", "1, 'ISSUED', ''")
    .replace("'worker', 0", "'coordinator', 1")
    .replace("'spawn'", "'message'"),
    "work beyond the issuer's tier": COPY.format(
        "'copy', NULL, 'third'", "0, 'ISSUED', ''"
    ).replace("'spawn'", "'message'"),
    "rights without a token": COPY.format("'copy', NULL, 'boss'", "0, 'ISSUED', ''"),
    "history rewritten": "UPDATE events SET type = 'WORK_FINISHED'",
}


class TestTheDatabaseItself:
    @pytest.mark.parametrize("sql", PAST_THE_LIBRARY.values(), ids=PAST_THE_LIBRARY)
    def test_refuses(self, ledger: Ledger, tmp_path: Path, sql: str) -> None:
        """The rules of design section 4 hold for any program that writes to the file."""
        ledger.issue([task("done", step=2)], spawn(step=2))
        ledger.claim("token-done", "child", None, 2.0)
        ledger.finish("child", 3.0)
        ledger.issue([task("held", step=3), task("reader", step=3, token="")], spawn(step=3))
        ledger.claim("token-held", "second", None, 4.0)
        ledger.adopt("reader", "third", 4.0)
        raw = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
        before = list(raw.iterdump())
        with pytest.raises(sqlite3.IntegrityError):
            raw.execute(sql)
        assert list(raw.iterdump()) == before
        raw.close()

    def test_lets_the_ordinary_through(self, ledger: Ledger, tmp_path: Path) -> None:
        """The same tables take what the rules allow, so the refusals above mean something."""
        ledger.claim("token-job", "child", None, 2.0)
        raw = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
        for sql in (
            "UPDATE conversations SET remaining_depth = 1 WHERE id = 'boss'",
            "UPDATE work_items SET updated_at = 9 WHERE id = 'job'",
            "UPDATE work_items SET status = 'TERMINATED', ended_seq = 9 WHERE id = 'job'",
            COPY.format("'copy', NULL, 'boss'", "1, 'ISSUED', ''"),
        ):
            assert raw.execute(sql).rowcount == 1
        raw.close()

    @pytest.mark.parametrize("table", ["tokens", "conversations"])
    def test_keeps_what_refers_to_each_other(self, ledger: Ledger, table: str) -> None:
        """Items and their tokens, claims and their claimants go together or not at all."""
        ledger.claim("token-job", "child", None, 2.0)
        before = ledger.held("child")
        with pytest.raises(LedgerError, match="refuses the change"):
            ledger._link.run(f"DELETE FROM {table}")  # noqa: S608
        assert ledger.held("child") == before


def ids(items: list[WorkItem]) -> list[str]:
    """Return the names of items."""
    return [item.id for item in items]


class TestAFurtherTask:
    def test_opens_an_item_with_the_same_rights(self, ledger: Ledger) -> None:
        """A message to a finished child gives it work again, and nothing more."""
        ledger.claim("token-job", "child", "boss", 2.0)
        ledger.finish("child", 3.0)
        assert ledger.held("child") is None
        wanted = task("more", step=4, child="child", role=Role.COORDINATOR, remaining_depth=5)
        item = ledger.resume(wanted, spawn(step=4, at=4.0))
        assert item is not None
        assert (item.role, item.remaining_depth, item.token) == (Role.WORKER, 0, "")
        assert ledger.held("child") == item
        ledger.touch("child", 5.0)
        held = ledger.held("child")
        assert held is not None
        assert held.status == "ACTIVE"

    def test_of_a_child_at_work_is_the_task_it_has(self, ledger: Ledger) -> None:
        """A message to a running child opens nothing."""
        item = ledger.claim("token-job", "child", "boss", 2.0)
        assert ledger.resume(task("more", step=4, child="child"), spawn(step=4)) == item
        assert ids(ledger.running("boss")) == ["job"]

    @pytest.mark.parametrize("sender", ["stranger", "sibling", "child"])
    def test_comes_from_the_parent_only(self, ledger: Ledger, sender: str) -> None:
        """Nobody else's message lets a finished child write again."""
        ledger.issue([task("side", step=2)], spawn(step=2))
        ledger.claim("token-job", "child", "boss", 2.0)
        ledger.claim("token-side", "sibling", "boss", 2.0)
        ledger.finish("child", 3.0)
        wanted = task("more", issuer=sender, step=4, child="child")
        assert ledger.resume(wanted, spawn(sender, step=4)) is None
        assert ledger.held("child") is None

    def test_is_not_ended_by_an_old_row(self, ledger: Ledger) -> None:
        """The row that ended the first task stands before the message, and ends nothing more."""
        ledger.claim("token-job", "child", "boss", 2.0)
        assert ledger.finish("child", 3.0, issuer="boss", before_step=3) is not None
        ledger.resume(task("more", step=4, child="child"), spawn(step=4, at=4.0))
        assert ledger.finish("child", 5.0, issuer="boss", before_step=3) is None
        assert ledger.finish("child", 5.0, issuer="other") is None
        ended = ledger.finish("child", 6.0, issuer="boss", before_step=7)
        assert ended is not None
        assert (ended.id, ended.status) == ("more", "TERMINATED")

    def test_fired_twice_is_one_task(self, ledger: Ledger) -> None:
        """The host fires twice for one message."""
        ledger.claim("token-job", "child", "boss", 2.0)
        ledger.finish("child", 3.0)
        first = ledger.resume(task("more", step=4, child="child"), spawn(step=4))
        twin = task("twin", step=4, child="child", digest="digest-more")
        assert ledger.resume(twin, spawn(step=4)) == first
        ledger.finish("child", 5.0)
        again = ledger.resume(twin, spawn(step=4))
        assert again is not None
        assert (again.id, again.status) == ("more", "TERMINATED")
        assert ledger.held("child") is None


def test_a_stop_counts_for_the_conversation_that_stopped(ledger: Ledger) -> None:
    """Conversations whose names could be taken for patterns stay apart."""
    ledger.record(stop("deny", "bos_"))
    ledger.record(stop("deny", "%"))
    assert ledger.rejections("boss", 1) == 0
