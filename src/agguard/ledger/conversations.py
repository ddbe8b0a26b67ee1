"""Who is who: the conversations, and what binds them to a role."""

from __future__ import annotations

from agguard.errors import LedgerError
from agguard.ledger.records import Conversation
from agguard.model.session import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.ledger.connection import Connection

SELECT = (
    "SELECT id, role, parent, remaining_depth, read_only, bound_by, first_seen, last_seen"
    " FROM conversations"
)


def value(row: Any) -> Conversation:  # noqa: ANN401 - a row as SQLite gives it
    """Return the value of a row of `SELECT`."""
    name, role, parent, depth, read_only, *rest = row
    return Conversation(name, Role(role), parent, depth, bool(read_only), *rest)


def find(link: Connection, name: str) -> Conversation | None:
    """Return a conversation whose role is established."""
    row = link.row(f"{SELECT} WHERE id = ? AND role <> ''", (name,))
    return None if row is None else value(row)


def see(link: Connection, name: str, now: float) -> None:
    """Remember that a conversation exists, and which event was the newest by then.

    A conversation that was there before a work item was issued can never be its child, and for
    that comparison a clock is not to be trusted.
    """
    link.run(
        "INSERT OR IGNORE INTO conversations"
        " SELECT ?, '', '', 0, 0, '', ?, ?, coalesce(max(seq), 0) FROM events",
        (name, now, now),
    )


def bind(link: Connection, wanted: Conversation) -> Conversation:
    """Store a conversation's role, or return the one that is stored; inside a transaction.

    A child gets less depth than its parent, and only a parent that may write has children that
    may: what is wanted beyond that is cut off here, and refused by a trigger.
    """
    see(link, wanted.id, wanted.first_seen)
    found = find(link, wanted.id)
    if found is not None:
        return found
    if wanted.id in ancestors(link, wanted.parent):
        msg = f"ledger {link.path!r}: {wanted.parent!r} is a child of {wanted.id!r}, not its parent"
        raise LedgerError(msg)
    wanted = below(link, wanted)
    link.run(
        "UPDATE conversations SET role = ?, parent = ?, remaining_depth = ?, read_only = ?,"
        " bound_by = ?, last_seen = max(last_seen, ?) WHERE id = ? AND role = ''",
        (
            wanted.role.value,
            wanted.parent,
            wanted.remaining_depth,
            int(wanted.read_only),
            wanted.bound_by,
            wanted.last_seen,
            wanted.id,
        ),
    )
    humble(link, wanted)
    return find(link, wanted.id) or wanted


def humble(link: Connection, parent: Conversation) -> None:
    """Cut the children of `parent` to what it leaves them, and theirs.

    While a conversation was unknown it may have started agents; once it turns out to be a child
    itself, they have no more rights than the children of a child.
    """
    rows = link.rows(f"{SELECT} WHERE parent = ? AND parent <> '' AND role <> ''", (parent.id,))
    for child in map(value, rows):
        humbled = below(link, child)
        if humbled != child:
            rights = (humbled.role.value, humbled.remaining_depth, int(humbled.read_only), child.id)
            setting = "SET role = ?, remaining_depth = ?, read_only = ?"
            link.run(f"UPDATE conversations {setting} WHERE id = ?", rights)
            link.run(f"UPDATE work_items {setting} WHERE child = ? AND ended_seq = 0", rights)
            humble(link, humbled)


def ancestors(link: Connection, name: str) -> set[str]:
    """Return a conversation's id, its parent's, and so on up."""
    found: set[str] = set()
    while name and name not in found:
        found.add(name)
        row = link.row("SELECT parent FROM conversations WHERE id = ?", (name,))
        name = str(row[0]) if row else ""
    return found


def below(link: Connection, wanted: Conversation) -> Conversation:
    """Return `wanted` with no more rights than its parent leaves it."""
    parent = find(link, wanted.parent) if wanted.parent else None
    if parent is None:
        return wanted
    depth, read_only = lowered(parent, wanted.remaining_depth, read_only=wanted.read_only)
    role = wanted.role if depth or not wanted.role.is_child else Role.WORKER
    return wanted.replace(role=role, remaining_depth=depth, read_only=read_only)


def lowered(parent: Conversation, depth: int, *, read_only: bool) -> tuple[int, bool]:
    """Return the depth and the tier that a child of `parent` can have at the most."""
    return min(depth, max(parent.remaining_depth - 1, 0)), read_only or parent.read_only
