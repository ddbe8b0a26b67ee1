"""The typed face of the hooks: one method for each question."""

from __future__ import annotations

from agguard.dispatch import combine
from agguard.model.contribution import Addition, Reminder, Rewrite
from agguard.model.verdict import Decision, Fault, Reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from agguard.dispatch.ask import Asker
    from agguard.dispatch.implementation import Answer
    from agguard.model.call import Command, Invocation, Record, Spawn, Stop, ToolCall
    from agguard.model.effect import Effect
    from agguard.model.session import Session

NOBODY = Reason(
    "agguard", "there is no guard to judge this call; run `agguard doctor`", Decision.DENY
)


class Dispatcher:
    """Asks the guards and combines their answers; faults and answers are kept as data.

    Args:
        asker: Reaches the implementations.
        trust: Plugins whose classification replaces the built-in one.
        tokens: The budget for additions to one prompt, and for reminders.
        single: Whether one guard at most may rewrite a command; else rewrites are chained.
    """

    def __init__(
        self, asker: Asker, trust: Collection[str], tokens: int, *, single: bool = False
    ) -> None:
        self._asker = asker
        self._trust = trust
        self._tokens = tokens
        self._single = single
        self.answers: list[Answer] = []

    @classmethod
    def configured(cls, asker: Asker, settings: Mapping[str, Any]) -> Dispatcher:
        """Make one as the compiled settings say."""
        hooks, trust = settings.get("hooks", {}), settings.get("classify", {}).get("trust", ())
        single = hooks.get("rewrites") == "single"
        return cls(asker, trust, hooks.get("added_tokens", 8000), single=single)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every fault so far."""
        found = (one for answer in self.answers for one in (answer.fault, answer.slip))
        return tuple(one for one in found if one)

    def classify(self, call: ToolCall, session: Session) -> Effect:
        """Ask `classify_tool`."""
        answers = self._ask("classify_tool", call=call, session=session)
        return combine.effect(answers, self._trust)

    def judge(self, call: ToolCall, effect: Effect, session: Session) -> tuple[Reason, ...]:
        """Ask `judge_tool`; what nobody is there to judge is denied."""
        if not self._asker.implementations("judge_tool"):
            return (NOBODY,)
        answers = self._ask("judge_tool", call=call, effect=effect, session=session)
        return combine.reasons(answers)

    def rewrite(self, command: Command, session: Session) -> tuple[Command, tuple[Reason, ...]]:
        """Ask `rewrite_command`, each guard with the text that the one before it left.

        Returns:
            The command, and what the guards say of their rewrites. Where only one may rewrite, and
            several did, the command is as it was and one reason denies it.
        """
        if self._single:
            answers = self._ask("rewrite_command", command=command, session=session)
            return combine.rewrite(answers, command)
        notes: list[Reason] = []
        for one in self._asker.implementations("rewrite_command"):
            answer = self._asker.ask_one(one, {"command": command, "session": session})
            self.answers.append(answer)
            found = answer.value
            if isinstance(found, Rewrite) and found.text and found.text != command.text:
                command = command.replace(text=found.text)
                notes.append(Reason(answer.guard, found.reason))
        return command, tuple(notes)

    def augment(self, spawn: Spawn, session: Session) -> Addition:
        """Ask `augment_prompt`; what is over the budget is left out, and is a fault."""
        answers = self._ask("augment_prompt", spawn=spawn, session=session)
        found = [answer for answer in answers if isinstance(answer.value, Addition)]
        before = self._fit(found, [answer.value.before for answer in found])
        after = self._fit(found, [answer.value.after for answer in found])
        return Addition("\n".join(before), "\n\n".join(after))

    def judge_stop(self, stop: Stop, session: Session) -> tuple[Reason, ...]:
        """Ask `judge_stop`."""
        return combine.stop_reasons(self._ask("judge_stop", stop=stop, session=session))

    def remind(self, invocation: Invocation, session: Session) -> list[str]:
        """Ask `remind`."""
        answers = self._ask("remind", invocation=invocation, session=session)
        found = [answer for answer in answers if isinstance(answer.value, Reminder)]
        return self._fit(found, [answer.value.text for answer in found])

    def observe(self, record: Record) -> None:
        """Ask `observe`."""
        self._ask("observe", record=record)

    def _ask(self, hook: str, **offered: object) -> list[Answer]:
        answers = self._asker.ask(hook, offered)
        self.answers += answers
        return answers

    def _fit(self, found: list[Answer], texts: list[str]) -> list[str]:
        kept, over = combine.within(texts, self._tokens)
        for position in over:
            from agguard.quantity import counted

            answer = found[position]
            text = f"its text is over the budget of {counted(self._tokens, 'token')}"
            problem = Fault(answer.plugin, answer.implementation.hook, "budget", text)
            self.answers.append(answer.replace(value=None, fault=problem))
        return kept
