"""How things stand: guarded or not, who is at work, what was decided today."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from agguard import checksum
from agguard.cli import moments, settings
from agguard.errors import AgguardError, LedgerError
from agguard.model.value import Value
from agguard.plugins.discovery import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agguard.install.examination import Examination
    from agguard.install.store import Store
    from agguard.ledger.reader import Node, Reader
    from agguard.ledger.records import WorkItem
    from agguard.paths import Paths
    from agguard.pipeline.pause import Pause

ALIVE = 1800.0
"""Seconds of silence after which a session without open work is left out."""

OPEN = ("ISSUED", "ACTIVE", "WAITING")


class Standing(Value):
    """How things stand at one moment."""

    now: float
    state: str
    """`guarded`, `paused`, `observing`, or `not guarded`."""
    why: str
    """Why sessions are not guarded; '' when they are."""
    only: str
    """The hooks file of the project, where nothing but its sessions is guarded; else ''."""
    profile: str
    pause: Pause | None
    changed: tuple[str, ...]
    """Files of the guard that somebody else has changed."""
    seen: dict[str, float]
    """When the host last fired each event."""
    alive: tuple[Node, ...]
    silent: int
    """Sessions that are known and no longer at work."""
    dead: tuple[WorkItem, ...]
    """Work of the last day that was given up for its silence."""
    counts: dict[str, int]
    """Decisions since midnight, by what came of them."""
    trouble: str
    """Why the ledger cannot be read; '' when it can."""


def standing(now: float) -> Standing:
    """Look at everything once; nothing is written or locked."""
    from agguard.pipeline.pause import current
    from agguard.pipeline.seen import last

    place = settings.paths()
    loaded = settings.in_force(quiet=True).settings
    why, only = _missing(place)
    why = why or _unguarded(loaded)
    pause = current(place.state, now)
    observing = bool(loaded["hooks"]["observe"])
    state = "paused" if pause else "observing" if observing else "guarded"
    found = Standing(
        now=now,
        state="not guarded" if why else state,
        why=why,
        only="" if why else only,
        profile=str(loaded["profile"]),
        pause=pause,
        changed=(),
        seen=last(place.state),
        alive=(),
        silent=0,
        dead=(),
        counts={},
        trouble="",
    )
    try:
        return _with_ledger(found, place)
    except LedgerError as error:
        return found.replace(trouble=str(error))


def data(found: Standing) -> dict[str, Any]:
    """Return the same as data. Tokens stay in the ledger: they are secrets."""
    return {
        **found.asdict(),
        "pause": found.pause.asdict() if found.pause else None,
        "alive": [_node(one) for one in found.alive],
        "dead": [_item(one) for one in found.dead],
    }


def heartbeat(node: Node) -> float:
    """Return the last sign of life, in seconds since the epoch."""
    held = [item.updated_at for item in node.work if item.status in OPEN]
    return max([node.conversation.last_seen, *held])


def every(nodes: tuple[Node, ...] | list[Node]) -> Iterator[Node]:
    """Yield all nodes of some trees."""
    for node in nodes:
        yield node
        yield from every(node.children)


def _missing(place: Paths) -> tuple[str, str]:
    """Say why the host does not run our hooks, '' when it should; else where, if only here."""
    from agguard.install.examination import examine
    from agguard.install.place import of_user
    from agguard.install.store import Store

    hooks = place.host.hooks
    try:
        found = examine(of_user(place), Store(place.state))
        here = "" if found.registered else _of_this_project(Store(place.state))
    except AgguardError as error:
        return str(error), ""
    if here:
        return "", here
    if not found.registered:
        if any(wrong.fatal for wrong in found.findings):
            return f"the host cannot read {hooks}: see `agguard doctor`", ""
        return f"not registered in {hooks}: run `agguard install`", ""
    return _broken(found), ""


def _broken(found: Examination) -> str:
    """Say what is wrong with the launchers; '' when nothing is."""
    for one in found.launchers:
        if one.condition in ("missing", "foreign", "blocked"):
            return f"{one.path} is {one.condition}: run `agguard install`"
        if one.lacks:
            return f"the launcher needs {one.lacks}, which is gone: run `agguard install`"
    return ""


def _of_this_project(store: Store) -> str:
    """Return the hooks file by which sessions in this folder are guarded, if they are."""
    from agguard.install.examination import examine
    from agguard.install.place import of_project
    from agguard.install.surroundings import above

    for hooks in above(os.getcwd()):
        folder = os.path.dirname(os.path.dirname(hooks))
        if of_project(folder).hooks == hooks:
            found = examine(of_project(folder), store)
            if found.registered and not _broken(found):
                return hooks
    return ""


def _unguarded(loaded: Mapping[str, Any]) -> str:
    """Say why no shipped guard is asked; '' when they are."""
    if DEFAULT not in loaded["plugins"]["block"]:
        return ""
    return f"the shipped guards are blocked: run `agguard plugins unblock {DEFAULT}`"


def _with_ledger(found: Standing, place: Paths) -> Standing:
    from agguard.ledger.reader import Reader
    from agguard.pipeline.books import NAME
    from agguard.pipeline.seen import DOCTOR

    path = os.path.join(place.state, NAME)
    if not os.path.exists(path):
        return found
    with Reader.open(path) as reader:
        trees = [one for one in reader.tree() if one.conversation.id != DOCTOR]
        alive = tuple(one for one in trees if _is_alive(one, found.now))
        return found.replace(
            alive=alive,
            silent=len(trees) - len(alive),
            dead=_dead(trees, found.now),
            counts=_counts(reader, found.now),
            changed=tuple(_changed(reader)),
        )


def _changed(reader: Reader) -> Iterator[str]:
    for path, kept in reader.hashes().items():
        if checksum.of_file(path) != kept:
            yield path


def _is_alive(node: Node, now: float) -> bool:
    """Whether something of a session is at work, or was a moment ago."""
    return any(
        now - heartbeat(one) < ALIVE or any(item.status in OPEN for item in one.work)
        for one in every((node,))
    )


def _dead(trees: list[Node], now: float) -> tuple[WorkItem, ...]:
    return tuple(
        item
        for node in every(trees)
        for item in node.work
        if item.status == "TIMED_OUT" and now - item.updated_at < moments.UNITS["d"]
    )


def _counts(reader: Reader, now: float) -> dict[str, int]:
    from agguard.pipeline.seen import DOCTOR

    midnight = moments.moment("today", now)
    found: dict[str, int] = {}
    for (event, decision), count in reader.counts(midnight, DOCTOR).items():
        if event == "PreToolUse":
            found[decision] = found.get(decision, 0) + count
        elif event == "Stop":
            word = "sent back" if decision == "deny" else "stopped"
            found[word] = found.get(word, 0) + count
    return found


def _node(node: Node) -> dict[str, Any]:
    return {
        **node.conversation.asdict(),
        "turn": node.turn.asdict() if node.turn else None,
        "heartbeat": heartbeat(node),
        "work": [_item(item) for item in node.work],
        "children": [_node(child) for child in node.children],
    }


def _item(item: WorkItem) -> dict[str, Any]:
    return {key: value for key, value in item.asdict().items() if key != "token"}
