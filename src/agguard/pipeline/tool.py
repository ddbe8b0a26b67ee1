"""PreToolUse: classify, judge, rewrite and augment one tool call (design, section 2)."""

from __future__ import annotations

from agguard.dispatch import combine
from agguard.model import token
from agguard.model.value import Value
from agguard.model.verdict import Decision, Outcome
from agguard.pipeline.rights import granted, with_default_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.dispatch.dispatcher import Dispatcher
    from agguard.hosts.port import Host
    from agguard.model.call import Spawn, ToolCall
    from agguard.model.session import Session
    from agguard.model.verdict import Reason


class Judged(Value):
    """An outcome, and the subagents that it lets start."""

    outcome: Outcome
    spawns: tuple[Spawn, ...] = ()
    """As they will start: with their prompts as augmented, and without a token where none was
    handed over."""


class ToolPipeline:
    """Decides about the tool calls of one session.

    Args:
        session: Who makes the calls.
        dispatcher: Asks the guards.
        host: Knows which tools run commands and start agents.
    """

    def __init__(self, session: Session, dispatcher: Dispatcher, host: Host) -> None:
        self._session = session
        self._dispatcher = dispatcher
        self._host = host

    def decide(self, call: ToolCall, tokens: tuple[str, ...] = ()) -> Judged:
        """Decide about one call.

        Args:
            call: The call.
            tokens: Tokens that were issued when this same call was asked about before.

        Returns:
            The outcome, with the arguments to overwrite.
        """
        effect = self._dispatcher.classify(call, self._session)
        reasons = self._dispatcher.judge(call, effect, self._session)
        outcome = Outcome(combine.strictest(reasons), reasons, effect)
        if outcome.decision != Decision.DENY:
            outcome = self._rewritten(call, outcome)
        return self._augmented(call, outcome, tokens)

    def _rewritten(self, call: ToolCall, outcome: Outcome) -> Outcome:
        """Offer the command to be rewritten; the result is judged again, the stricter holds."""
        command = self._host.command(call)
        if command is None:
            return outcome
        changed, notes = self._dispatcher.rewrite(command, self._session)
        if changed.text == command.text:
            return self._objected(outcome, notes)
        overwrite = self._host.with_command(changed.text)
        again = call.replace(args={**call.args, **overwrite})
        effect = self._dispatcher.classify(again, self._session)
        judged = self._dispatcher.judge(again, effect, self._session)
        reasons = tuple(dict.fromkeys((*outcome.reasons, *judged)))
        decision = combine.strictest(reasons)
        return Outcome(decision, (*reasons, *notes), outcome.effect | effect, overwrite)

    @staticmethod
    def _objected(outcome: Outcome, notes: tuple[Reason, ...]) -> Outcome:
        """Add what the rewriting itself objects to: rewrites that contradict one another."""
        objections = tuple(note for note in notes if note.decision)
        if not objections:
            return outcome
        reasons = (*outcome.reasons, *objections)
        return outcome.replace(decision=combine.strictest(reasons), reasons=reasons)

    def _augmented(self, call: ToolCall, outcome: Outcome, tokens: tuple[str, ...]) -> Judged:
        """Give every subagent its rights, its token and what the guards add to its prompt."""
        spawns = self._host.spawns(call) if outcome.decision != Decision.DENY else ()
        if not spawns:
            return Judged(outcome)
        asked = spawns
        spawns = tuple(with_default_model(spawn, self._session) for spawn in asked)
        if len(tokens) != len(spawns):
            tokens = tuple(token.fresh() for _ in spawns)
        ready = [
            self._prepared(spawn.replace(token="" if spawn.is_definition else own))
            for spawn, own in zip(spawns, tokens, strict=True)
        ]
        started = tuple(one for one in ready if not one.is_definition)
        prompts, models = [one.prompt for one in ready], [one.model for one in ready]
        if (prompts, models) == ([one.prompt for one in asked], [one.model for one in asked]):
            return Judged(outcome, started)
        overwrite = {**outcome.overwrite, **self._host.with_prompts(call, prompts, models)}
        return Judged(outcome.replace(overwrite=overwrite), started)

    def _prepared(self, spawn: Spawn) -> Spawn:
        spawn = granted(spawn, self._session)
        addition = self._dispatcher.augment(spawn, self._session)
        parts = [addition.before, spawn.prompt, addition.after]
        prompt = "\n\n".join(part for part in parts if part)
        if spawn.is_definition or token.opening(prompt) == spawn.token:
            return spawn.replace(prompt=prompt)
        # Nobody handed the token over, so nobody can claim it: the child starts without rights.
        return spawn.replace(prompt=prompt, token="", read_only=True)
