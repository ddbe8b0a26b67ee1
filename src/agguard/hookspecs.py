"""The hook specs: the questions that agguard asks its guards.

A guard is a plugin: a module (or any object) named by an entry point in the group `agguard`, with
functions marked by `agguard.hookimpl` that carry the name of a spec and take any subset of its
parameters. The dispatcher asks every implementation by itself, so an implementation that raises,
exits, prints, hangs or returns garbage becomes a fault under its plugin's name and all others are
still asked. Values are immutable: an implementation answers by what it returns.

Hook wrappers are refused: one wrapper could see and change what other guards say.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Command, Invocation, Record, Spawn, Stop, ToolCall
    from agguard.model.contribution import Addition, Reminder, Rewrite
    from agguard.model.effect import Effect
    from agguard.model.session import Session
    from agguard.model.verdict import StopVerdict, Verdict

VERSION = 1
"""The version of these specs; it grows when a spec changes in a way that authors must follow."""

OLDEST = 1
"""The oldest version that plugins may be written for; one that says nothing is taken for it."""

HOOKS = (
    "classify_tool",
    "judge_tool",
    "rewrite_command",
    "augment_prompt",
    "judge_stop",
    "remind",
    "observe",
)


def classify_tool(call: ToolCall, session: Session) -> Effect | None:
    """Say what a tool call does.

    Asked for every tool call of every agent, before `judge_tool`, and again for the result of a
    rewrite.

    Args:
        call: The call, with the host's tool name and arguments.
        session: Who calls, and where.

    Returns:
        The flags that apply (`Effect.NETWORK | Effect.WRITE`), or None for no opinion. All answers
        are joined, so the worst counts. Only the answer of a plugin that the user names in
        `[classify] trust` replaces the built-in one, and so can make it milder.

    A fault counts as `Effect.UNKNOWN`.

    Order does not matter. Do not judge here: whether *this* agent may do it is another question.
    """


def judge_tool(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Say whether this agent may make this call.

    Asked for every tool call, once it is classified.

    Args:
        call: The call.
        effect: What it does, as `classify_tool` found.
        session: Who calls, with role, remaining depth and configuration.

    Returns:
        A verdict, or None for no opinion. The strictest wins: deny, force_ask, ask, allow. All
        reasons are kept; those of the winning decision reach the agent. A deny reason names the
        way that is open to the agent, and that way must itself be allowed.

    A fault of a built-in guard counts as deny; yours counts as your mark's `on_error` says.

    Order does not matter. Do not rely on a later rewrite to make a call safe: hosts drop rewrites.
    """


def rewrite_command(command: Command, session: Session) -> Rewrite | None:
    """Offer a better spelling of a shell command.

    Asked for shell commands that were not denied.

    Args:
        command: The text as the guards before you left it, and the folder it runs in.
        session: Who calls, and where.

    Returns:
        The new text, or None to leave it. Implementations are chained in call order; with
        `[hooks] rewrites = "single"` all see the original, and two different texts deny the call.
        The result is classified and judged again, and the stricter of both outcomes holds.

    A fault is left out. Do not change what the command does: only how much it prints.
    """


def augment_prompt(spawn: Spawn, session: Session) -> Addition | None:
    """Add to the prompt of a subagent that is about to start.

    Asked for each subagent of a call that was not denied.

    Args:
        spawn: The subagent: type, role, prompt, its token, its rights.
        session: Who spawns it.

    Returns:
        Text to stand before and after the prompt, or None. Additions are joined in call order, the
        same text once, under a token budget.

    A fault is left out. Do not repeat what the prompt already holds. Unless some addition carries
    `spawn.token`, the token is not stored and the child starts as a read-only worker.
    """


def judge_stop(stop: Stop, session: Session) -> StopVerdict | None:
    """Say whether an agent may stop.

    Asked when an agent wants to stop and its role is known.

    Args:
        stop: Why it stops, what it did since the user's last message, its last words.
        session: Who wants to stop.

    Returns:
        `StopVerdict.go_on(reason)` to send it back, or None. Any one sends it back; the reasons
        are joined. After `[attention] max_rejections` in a row in one turn the stop is allowed.

    A fault lets it stop. Do not send back what can never be satisfied.
    """


def remind(invocation: Invocation, session: Session) -> Reminder | None:
    """Tell an agent something before its model is called.

    Asked at session start and before every model call.

    Args:
        invocation: The event, and the number of the call in this turn.
        session: Who is about to think.

    Returns:
        Text, or None. Reminders are joined in call order, the same text once, under a token
        budget. They cost context: be silent unless something changed.

    A fault is left out. A reminder cannot stop the call.
    """


def observe(record: Record) -> None:
    """See what was decided, and how tool calls ended.

    Asked after every decision, and after every tool call.

    Args:
        record: The event with session, call and outcome, or the tool's error.

    Returns:
        Nothing. The outcome is final.

    A fault is left out. Do not send anything off the machine.
    """
