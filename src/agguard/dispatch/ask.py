"""Asks all implementations of a hook, each by itself, inside the hook's time."""

from __future__ import annotations

import os

from agguard.dispatch.deadline import Clock, Interrupt
from agguard.dispatch.implementation import Answer, Implementation
from agguard.dispatch.isolate import call, fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from agguard.dispatch.worker import Worker


class Asker:
    """Knows every implementation, and how to reach it.

    Args:
        implementations: What the manifest names, in call order.
        clock: The time that the whole hook has.
        limit: Seconds that one implementation may take.
    """

    def __init__(
        self, implementations: Iterable[Implementation], clock: Clock, limit: float
    ) -> None:
        self._by_hook: dict[str, list[Implementation]] = {}
        self._far: list[Implementation] = []
        for one in implementations:
            self._by_hook.setdefault(one.hook, []).append(one)
            if not self._is_near(one):
                self._far.append(one)
        self._clock = clock
        self._limit = limit
        self._worker: Worker | None = None

    def ask(self, hook: str, offered: Mapping[str, Any]) -> list[Answer]:
        """Ask every implementation of `hook`; answers come in call order."""
        wanted = self._by_hook.get(hook, [])
        foreign = [one for one in wanted if not self._is_near(one)]
        far = dict(zip(map(id, foreign), self._ask_far(foreign, offered), strict=True))
        return [far.get(id(one)) or self.ask_one(one, offered) for one in wanted]

    def ask_one(self, one: Implementation, offered: Mapping[str, Any]) -> Answer:
        """Ask a single implementation."""
        if not self._is_near(one):
            return self._ask_far([one], offered)[0]
        if not self._clock.left:
            return Answer(one, None, fault(one, "deadline", "the hook's time was up"))
        with Interrupt(min(self._limit, self._clock.left)):
            return call(one, offered)

    def prepare(self, *hooks: str) -> None:
        """Start the process for third parties now, if one of these hooks will be asked of them.

        It comes up, and imports them, while the hook goes on; and the less the hook has done, the
        less memory there is of which both need a copy.
        """
        ahead = [one for one in self._far if one.hook in hooks]
        if ahead:
            self._others().start(ahead)

    def implementations(self, hook: str) -> list[Implementation]:
        """Return the implementations of `hook`, in call order."""
        return self._by_hook.get(hook, [])

    def close(self, *, reap: bool = True) -> None:
        """End what was started for the asking; `reap` waits for its end."""
        if self._worker:
            self._worker.close(reap=reap)

    @staticmethod
    def _is_near(one: Implementation) -> bool:
        """Whether it runs in this process: ours do, and all do where there is no fork."""
        return one.in_process or not hasattr(os, "fork")

    def _ask_far(self, wanted: list[Implementation], offered: Mapping[str, Any]) -> list[Answer]:
        if not wanted:
            return []
        return self._others().ask(wanted, offered)

    def _others(self) -> Worker:
        if self._worker is None:
            from agguard.dispatch.worker import Worker

            self._worker = Worker(self._far, self._clock, self._limit)
        return self._worker
