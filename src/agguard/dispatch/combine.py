"""Makes one answer of many. Pure; the order of the guards never changes a decision.

Two laws hold, and tests/unit/dispatch proves them on random answers: a guard that is not named in
`[classify] trust` can never make an outcome milder, and the outcome does not depend on the order in
which guards were installed. The first law is why an answer to a tool that the built-in guards do
not know is joined to their `unknown` and does not replace it, unless the plugin is trusted.
"""

from __future__ import annotations

from agguard.model.contribution import Rewrite
from agguard.model.effect import Effect
from agguard.model.verdict import Decision, Reason, StopVerdict, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from agguard.dispatch.implementation import Answer
    from agguard.model.call import Command

ON_ERROR = {"ask": Decision.ASK, "deny": Decision.DENY}
"""What a fault of a third party's `judge_tool` counts as; `record` leaves it out."""


def effect(answers: Iterable[Answer], trust: Collection[str]) -> Effect:
    """Join what the guards say a call does.

    Args:
        answers: Of `classify_tool`.
        trust: Plugins whose answer replaces the built-in one.

    Returns:
        All flags together; UNKNOWN when nobody knows the call.
    """
    own, trusted, others = Effect(0), Effect(0), Effect(0)
    for answer in answers:
        found = Effect.UNKNOWN if answer.fault else answer.value or Effect(0)
        if answer.implementation.in_process:
            own |= found
        elif answer.plugin in trust:
            trusted |= found
        else:
            others |= found
    return ((trusted or own or Effect.UNKNOWN) | others) or Effect.UNKNOWN


def reasons(answers: Iterable[Answer]) -> tuple[Reason, ...]:
    """Turn the answers of `judge_tool` into reasons, faults included, in a stable order."""
    found = [reason for answer in answers if (reason := _reason(answer))]
    return tuple(sorted(found, key=lambda r: (r.guard, -r.decision, r.text)))


def strictest(found: Iterable[Reason]) -> Decision:
    """Return the strictest decision; ALLOW when nobody objects."""
    return max([reason.decision for reason in found], default=Decision.ALLOW) or Decision.ALLOW


def rewrite(answers: Iterable[Answer], command: Command) -> tuple[Command, tuple[Reason, ...]]:
    """Take the one rewrite of a command that all guards saw as it was; several are a conflict.

    Args:
        answers: Of `rewrite_command`.
        command: What was asked about.

    Returns:
        The command, and reasons: the guard's own, or that of a denial.
    """
    found = [
        answer
        for answer in answers
        if isinstance(answer.value, Rewrite) and answer.value.text not in ("", command.text)
    ]
    texts = {answer.value.text for answer in found}
    if len(texts) > 1:
        guards = " and ".join(sorted({answer.guard for answer in found}))
        text = (
            f"{guards} rewrite this command each in another way; ask the user to switch one of "
            "them off, or to set hooks.rewrites to 'chained'"
        )
        return command, (Reason("agguard", text, Decision.DENY),)
    notes = tuple(Reason(answer.guard, answer.value.reason) for answer in found)
    return command.replace(text=texts.pop()) if texts else command, notes


def stop_reasons(answers: Iterable[Answer]) -> tuple[Reason, ...]:
    """Turn the answers of `judge_stop` into reasons; a fault lets the agent stop."""
    found = [
        Reason(answer.guard, answer.value.reason, Decision.DENY)
        for answer in answers
        if isinstance(answer.value, StopVerdict) and answer.value.again
    ]
    return tuple(sorted(found, key=lambda r: (r.guard, r.text)))


def _reason(answer: Answer) -> Reason | None:
    if answer.fault:
        decision = (
            Decision.DENY
            if answer.implementation.in_process
            else ON_ERROR.get(answer.implementation.on_error)
        )
        text = f"the guard {answer.guard!r} failed ({answer.fault.text}); run `agguard doctor`"
        return Reason(answer.guard, text, decision) if decision else None
    if isinstance(answer.value, Verdict) and answer.value.decision:
        return Reason(answer.guard, answer.value.reason, answer.value.decision)
    return None


def within(texts: Iterable[str], tokens: int) -> tuple[list[str], list[int]]:
    """Keep texts in order, each once, as long as they fit into a budget.

    Args:
        texts: The candidates; empty ones are dropped.
        tokens: The budget, at four bytes a token (rules contract, section on budgets).

    Returns:
        The texts that stay, and the positions of those that were over the budget.
    """
    kept: list[str] = []
    over: list[int] = []
    left = tokens * 4
    for position, text in enumerate(texts):
        if not text or text in kept:
            continue
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > left:
            over.append(position)
            continue
        left -= size
        kept.append(text)
    return kept, over
