"""Replays the events through the state machines and says where the tables disagree. No I/O."""

from __future__ import annotations

from agguard.ledger.fsm import DEAD_STATUSES, OPEN_STATUSES, PATHS, Work, after, answers
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from agguard.ledger.records import Event, Turn, WorkItem

LEADS_TO = {
    "WORK_ISSUED": "ISSUED",
    "HANDOFF_ACCEPTED": "ISSUED",
    "HANDOFF_FAILED": "FAILED",
    "WORK_CLAIMED": "ACTIVE",
    "WORK_WAITING": "WAITING",
    "WORK_RESUMED": "ACTIVE",
    "WORK_FINISHED": "TERMINATED",
    "WORK_FAILED": "FAILED",
    "WORK_SWEPT": "TIMED_OUT",
}
"""The status of the item after an event that concerns one."""


class Standing(Value):
    """One work item in the replay."""

    status: str
    accepted: bool = False


class Replay:
    """The state of everything after some events; grows by `feed`.

    Retention deletes the oldest events first. What began before the first event that is left is
    taken as that event tells it, and its counts are not checked.
    """

    def __init__(self, *, complete: bool) -> None:
        self.complete = complete
        self.states: dict[str, str] = {}
        self.items: dict[str, Standing] = {}
        self._counted: dict[str, dict[str, Standing]] = {}
        self._last = 0

    def feed(self, event: Event) -> Iterator[str]:
        """Take one event and yield what is wrong with it."""
        if self._last and event.seq != self._last + 1:
            yield f"events {self._last + 1} to {event.seq - 1} are missing"
        self._last = event.seq
        name = f"event {event.seq} ({event.type})"
        known = self.states.get(event.conversation, "CLOSED" if self.complete else event.before)
        if event.before != known:
            yield f"{name}: {event.conversation!r} was {known}, not {event.before}"
        if event.item:
            yield from (f"{name}: {text}" for text in self._item(event))
        elif event.type in LEADS_TO or event.from_status or event.to_status:
            yield f"{name}: names no item"
        work = Work(event.pending, event.running, event.dead)
        state = after(event.before, event.type, work)
        if event.after != state:
            yield f"{name}: leads to {state}, not {event.after}"
        if answers(event.type, event.after):
            self._answer(event.conversation)
        if self.complete and work != self._work(event.conversation):
            yield f"{name}: stands at {self._work(event.conversation)!r}, not {work!r}"
        self.states[event.conversation] = event.after

    def _item(self, event: Event) -> Iterator[str]:
        """Move one item and yield what is wrong with its path."""
        new = event.type == "WORK_ISSUED"
        was = self.items.get(event.item)
        status = was.status if was else ("" if new or self.complete else event.from_status)
        if event.from_status != status:
            yield f"item {event.item!r} was {status or 'unknown'}, not {event.from_status}"
        steps = {*PATHS, ("", "ISSUED"), ("ISSUED", "ISSUED")}
        if LEADS_TO.get(event.type) != event.to_status:
            yield f"item {event.item!r} cannot become {event.to_status} by it"
        elif (event.from_status, event.to_status) not in steps:
            yield f"item {event.item!r} cannot go from {event.from_status} to {event.to_status}"
        accepted = event.type == "HANDOFF_ACCEPTED" or (new and bool(event.child))
        now = Standing(event.to_status, accepted or bool(was and was.accepted))
        self.items[event.item] = now
        mine = self._counted.setdefault(event.conversation, {})
        mine.pop(event.item, None)
        if now.status != "TERMINATED":
            mine[event.item] = now

    def _answer(self, conversation: str) -> None:
        """Stop counting what has failed up to now."""
        mine = self._counted.get(conversation, {})
        for name in [name for name, item in mine.items() if item.status in DEAD_STATUSES]:
            del mine[name]

    def _work(self, conversation: str) -> Work:
        """Count the work of a conversation as the ledger does."""
        mine = self._counted.get(conversation, {}).values()
        dead = sum(item.status in DEAD_STATUSES for item in mine)
        pending = sum(item.status == "ISSUED" and not item.accepted for item in mine)
        return Work(pending, len(mine) - pending - dead, dead)


def disagreements(
    events: Iterable[Event], turns: Iterable[Turn], items: Mapping[str, WorkItem]
) -> Iterator[str]:
    """Yield what the events and the tables do not agree on.

    Args:
        events: All events, oldest first.
        turns: The last turn of every conversation that has one.
        items: All work items by id.
    """
    replay: Replay | None = None
    for event in events:
        replay = replay or Replay(complete=event.seq == 1)
        yield from replay.feed(event)
    replay = replay or Replay(complete=True)
    yield from _turns(replay, turns)
    yield from _items(replay, items)


def _turns(replay: Replay, turns: Iterable[Turn]) -> Iterator[str]:
    """Compare the last turns with the replay; a conversation without a turn is CLOSED."""
    stored = {turn.conversation: turn.state for turn in turns}
    for name in sorted({*stored, *replay.states}):
        there, here = stored.get(name, "CLOSED"), replay.states.get(name)
        if here is None and not replay.complete:
            continue
        if there != (here or "CLOSED"):
            yield f"conversation {name!r} is {there}, its events say {here or 'nothing'}"


def _items(replay: Replay, items: Mapping[str, WorkItem]) -> Iterator[str]:
    """Compare the items with the replay; those that ended may have been forgotten."""
    for name in sorted({*items, *replay.items}):
        there, here = items.get(name), replay.items.get(name)
        if there is None:
            if here and here.status in OPEN_STATUSES:
                yield f"item {name!r} is gone, its events say {here.status}"
        elif here is None:
            if replay.complete:
                yield f"item {name!r} is {there.status} without an event"
        elif there.status != here.status:
            yield f"item {name!r} is {there.status}, its events say {here.status}"
