"""Reminders in the SDK: said through a trigger, for its hooks cannot say anything.

Measured with google-antigravity 0.1.22 and its engine:

- No hook runs before a model call, and none of those that there are can hand a text to the agent
  except by denying a tool or a stop.
- A trigger can. What it sends while a tool call ends stands behind that call's result, so the next
  model call reads it; what it sends before a turn stands before the user's message.
- A message before the first turn would be the conversation's opening record, which is evidence of
  who calls (design, section 3). So the first turn is reminded from its first tool call on.
- After a turn in which it was told something the engine asks the model once more.
- A trigger reaches the root agent alone, so subagents are not reminded.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any

    Answered = Callable[[str, str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
    Voice = Callable[[str], Awaitable[None]]
    """Sends a message to the root agent."""


class Reminders:
    """Asks `remind` for the root agent, and says what comes of it.

    Args:
        answered: Answers an event of a conversation, as a hooks.json command would.

    `voice` is what a trigger lends them; without it nobody is asked.
    """

    def __init__(self, answered: Answered) -> None:
        self._answered = answered
        self.voice: Voice | None = None
        self._root = ""
        self._started = False
        self._number = 0

    def called(self, conversation: str) -> None:
        """Take note of a conversation: the first one that calls a tool or stops is the root."""
        self._root = self._root or conversation

    async def turn(self) -> None:
        """Remind before a turn of the user's, from the second on."""
        self._number = 0
        if self._root:
            await self._say(await self._asked(0))

    async def ended(self, conversation: str, step: int) -> None:
        """Remind before the model call that follows the end of a tool call."""
        if conversation == self._root:
            self._number += 1
            await self._say(await self._asked(step + 1))

    async def _asked(self, steps: int) -> list[str]:
        """Return what the agent is to be told; nobody is asked where nothing could be said."""
        if self.voice is None:
            return []
        found = [] if self._started else [await self._answered("SessionStart", self._root, {})]
        self._started = True
        fields = {"invocationNum": self._number, "initialNumSteps": steps}
        found.append(await self._answered("PreInvocation", self._root, fields))
        return list(dict.fromkeys(text for answer in found for text in _texts(answer)))

    async def _say(self, texts: list[str]) -> None:
        if self.voice is None or not texts:
            return
        try:
            await self.voice("\n\n".join(texts))
        except Exception:  # noqa: BLE001 - the agent is going away; a reminder stops nothing
            return


def _texts(answer: Mapping[str, Any]) -> list[str]:
    return [step["systemMessage"]["systemMessage"] for step in answer.get("injectSteps", ())]
