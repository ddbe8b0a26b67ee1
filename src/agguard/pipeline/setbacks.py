"""Which subagents that are about to start would repeat a task that failed. Pure."""

from __future__ import annotations

from agguard.model.call import Failed
from agguard.pipeline import keeping
from agguard.pipeline.words import is_same, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agguard.ledger.records import Delivery, WorkItem
    from agguard.model.call import Spawn


def recognized(
    spawns: Iterable[Spawn], given: Sequence[WorkItem], reports: Iterable[Delivery]
) -> tuple[Spawn, ...]:
    """Return the spawns, each with the task that it repeats, if that one failed.

    Args:
        spawns: What an agent wants to start.
        given: All tasks that it has given, in order.
        reports: What its children have reported.

    The newest attempt at a task counts: one that did not fail, or is still under way, has dealt
    with the failures before it.
    """
    said = {one.item: one for one in reports}
    return tuple(spawn.replace(failed=_failed(spawn, given, said)) for spawn in spawns)


def _failed(spawn: Spawn, given: Sequence[WorkItem], said: dict[str, Delivery]) -> Failed | None:
    about = words(spawn.prompt)
    same = (
        item for item in reversed(given) if item.step != spawn.step and is_same(item.words, about)
    )
    last = next(same, None)
    report = said.get(last.id) if last else None
    if last is None or report is None or report.status != "failed":
        return None
    return Failed(keeping.name(last), last.model, report.summary)
