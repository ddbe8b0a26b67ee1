"""Work items: issued with a token, claimed by exactly one conversation, ended once."""

from __future__ import annotations

from agguard.errors import LedgerError
from agguard.ledger import conversations, turns
from agguard.ledger.fsm import OPEN_STATUSES
from agguard.ledger.records import Conversation, Fact, WorkItem
from agguard.model.session import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agguard.ledger.connection import Connection, Scalar
    from agguard.ledger.fsm import Status, TurnEvent

COLUMNS = (
    "id, token, issuer, step, position, digest, role, remaining_depth, read_only, status, child,"
    " type_name, agent_role, model, created_at, updated_at, turn, origin, accepted, cause, words"
)
SELECT = f"SELECT {COLUMNS} FROM work_items"  # noqa: S608 - constants

TAKE = """
UPDATE work_items SET child = :child, status = 'ACTIVE', accepted = 1, updated_at = :now
WHERE id = :id AND status = 'ISSUED' AND child = '' AND origin = 'spawn' AND issuer <> :child
    AND NOT EXISTS (
        SELECT 1 FROM conversations AS c
        WHERE c.id = :child AND (c.role <> '' OR c.seen_after < work_items.issued_seq))
    AND NOT EXISTS (
        SELECT 1 FROM work_items AS o WHERE o.child = :child AND o.child <> '')
"""
"""The whole right to an item, in one statement: open, unclaimed, by somebody who is not the
issuer, is nobody yet, came after the item and has no other."""


def value(row: Any) -> WorkItem:  # noqa: ANN401 - a row as SQLite gives it
    """Return the value of a row of `SELECT`."""
    fields = [*row]
    fields[1] = fields[1] or ""
    fields[6] = Role(fields[6])
    for flag in (8, 18):
        fields[flag] = bool(fields[flag])
    return WorkItem(*fields)


def select(link: Connection, where: str, args: Sequence[Scalar]) -> list[WorkItem]:
    """Return the items that a condition names."""
    return [value(row) for row in link.rows(f"{SELECT} WHERE {where}", args)]


def issue(link: Connection, items: Sequence[WorkItem], turn: int, now: float) -> list[WorkItem]:
    """Store items with their tokens, and return them as stored; inside a transaction.

    When the host fires twice for one call, the first items stay and are returned again.
    """
    return [fired(link, item) or insert(link, item, turn, now) for item in items]


def fired(link: Connection, item: WorkItem) -> WorkItem | None:
    """Return the item that an earlier fire of the same call has stored."""
    same = "issuer = ? AND step = ? AND position = ? AND digest = ?"
    found = select(link, same, (item.issuer, item.step, item.position, item.digest))
    return found[0] if found else None


def insert(link: Connection, item: WorkItem, turn: int, now: float) -> WorkItem:
    """Store one item and its token, with no more rights than the issuer leaves it."""
    item = limited(link, item).replace(
        status="ISSUED", turn=turn, created_at=now, updated_at=now, cause=""
    )
    if item.token:
        link.run("INSERT INTO tokens (token, item) VALUES (?, ?)", (item.token, item.id))
    fields = item.asdict()
    fields.update(
        token=item.token or None,
        role=item.role.value,
        read_only=int(item.read_only),
        accepted=int(item.accepted),
        issued_seq=turns.newest(link) + 1,
        ended_seq=0,
    )
    link.add("work_items", fields)
    turns.advance(link, happened("WORK_ISSUED", item, now, "ISSUED").replace(from_status=""))
    return item


def limited(link: Connection, item: WorkItem) -> WorkItem:
    """Return `item` with less depth than its issuer, its tier, and nothing without a token."""
    depth, read_only = item.remaining_depth, item.read_only
    if not item.token and item.origin == "spawn":
        depth, read_only = 0, True
    issuer = conversations.find(link, item.issuer)
    if issuer is not None:
        depth, read_only = conversations.lowered(issuer, depth, read_only=read_only)
    role = item.role if depth and item.role is Role.COORDINATOR else Role.WORKER
    depth = depth if role is Role.COORDINATOR else 0
    return item.replace(role=role, remaining_depth=depth, read_only=read_only)


def named(link: Connection, token: str, issuer: str | None) -> WorkItem | None:
    """Return the open item of a token, provided that `issuer`, where it is known, issued it."""
    found = select(link, "token = ?", (token,)) if token else []
    if not found or found[0].status not in OPEN_STATUSES:
        return None
    return None if issuer is not None and found[0].issuer != issuer else found[0]


def take(
    link: Connection, item: WorkItem, child: str, now: float, evidence: str
) -> WorkItem | None:
    """Make `child` the child of `item`, bound to its rights; None when it has no right to it."""
    if item.child == child and child and item.status in OPEN_STATUSES:
        return item
    if not child or not link.run(TAKE, {"child": child, "now": now, "id": item.id}):
        return None
    rights = (item.role, item.issuer, item.remaining_depth, item.read_only)
    bound = conversations.bind(link, Conversation(child, *rights, evidence, now, now))
    left = (bound.role, bound.parent, bound.remaining_depth, bound.read_only)
    if left != rights:
        # The issuer has turned out to have less than it seemed to have when it issued this.
        link.run(
            "UPDATE work_items SET role = ?, remaining_depth = ?, read_only = ? WHERE id = ?",
            (bound.role.value, bound.remaining_depth, int(bound.read_only), item.id),
        )
    if item.token and not link.run(
        "UPDATE tokens SET claimed_by = ?, claimed_at = ? WHERE item = ? AND claimed_by IS NULL",
        (child, now, item.id),
    ):
        msg = f"ledger {link.path!r}: the token of work item {item.id!r} is claimed without it"
        raise LedgerError(msg)
    taken = item.replace(
        child=child,
        accepted=True,
        updated_at=now,
        role=bound.role,
        remaining_depth=bound.remaining_depth,
        read_only=bound.read_only,
    )
    turns.advance(link, happened("WORK_CLAIMED", taken, now, "ACTIVE", evidence))
    return taken.replace(status="ACTIVE")


def at_most(item: WorkItem, other: WorkItem) -> WorkItem:
    """Return `item` with no more rights than `other`, which it could be mistaken for, has."""
    depth = min(item.remaining_depth, other.remaining_depth)
    return item.replace(
        role=item.role if depth else Role.WORKER,
        remaining_depth=depth,
        read_only=item.read_only or other.read_only,
    )


def get(link: Connection, name: str) -> WorkItem | None:
    """Return one item."""
    found = select(link, "id = ?", (name,))
    return found[0] if found else None


def held(link: Connection, child: str) -> WorkItem | None:
    """Return the open item of a child."""
    found = select(link, f"child = ? AND child <> '' AND status IN ({turns.OPEN})", (child,))
    return found[0] if found else None


def happened(event: TurnEvent, item: WorkItem, at: float, to: Status, detail: str = "") -> Fact:
    """Return the fact that `item`, as it was until now, has come to the status `to`."""
    return Fact(event, item.issuer, at, None, item.id, item.child, item.status, to, detail)


def move(link: Connection, fact: Fact) -> bool:
    """Move an item along its path; False when it is not where the fact says it was."""
    ended = 0 if fact.to_status in OPEN_STATUSES else turns.newest(link) + 1
    if not link.run(
        "UPDATE work_items SET status = ?, updated_at = ?, ended_seq = ?, cause = ?"
        " WHERE id = ? AND status = ?",
        (fact.to_status, fact.at, ended, fact.detail, fact.item, fact.from_status),
    ):
        return False
    turns.advance(link, fact)
    return True


def awaken(link: Connection, item: WorkItem, now: float) -> WorkItem:
    """Return the open `item` as an active one: whatever was waiting has given a sign of life."""
    if item.status == "ACTIVE":
        link.run("UPDATE work_items SET updated_at = ? WHERE id = ?", (now, item.id))
        return item
    event: TurnEvent = "WORK_CLAIMED" if item.status == "ISSUED" else "WORK_RESUMED"
    move(link, happened(event, item, now, "ACTIVE"))
    return item.replace(status="ACTIVE")
