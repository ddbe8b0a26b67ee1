"""The hook implementations of the shipped plugin; the guards stand beside it.

Each function takes its guard's name, which is how reasons and faults name it (`builtin.rtk`).
Guards are imported when they are asked: a hook process lives for one question.
"""

from __future__ import annotations

from agguard.marker import hookimpl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Command, Invocation, Spawn, Stop, ToolCall
    from agguard.model.contribution import Addition, Reminder, Rewrite
    from agguard.model.effect import Effect
    from agguard.model.session import Session
    from agguard.model.verdict import StopVerdict, Verdict


@hookimpl(specname="classify_tool")
def tools(call: ToolCall, session: Session) -> Effect | None:
    """Classify the host's tools, shell commands and MCP tools."""
    from agguard_builtin.delegation.classify import classify

    return classify(call, session)


@hookimpl(specname="judge_tool")
def delegation(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Keep the primary at planning, and workers from delegating."""
    from agguard_builtin.delegation.guard import judge

    return judge(call, effect, session)


@hookimpl(specname="judge_tool")
def protection(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Keep every agent's hands off the guard and the host's records."""
    from agguard_builtin.protection.guard import judge

    return judge(call, effect, session)


@hookimpl(specname="judge_tool")
def handoff(call: ToolCall, session: Session) -> Verdict | None:
    """Refuse a message to the parent that is no report."""
    if call.name != "send_message" or not session.role.is_child:
        return None
    from agguard_builtin.handoff.guard import judge

    return judge(call, session)


@hookimpl(specname="judge_tool")
def escalation(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Send what failed up, and halt a worker whose commands keep failing."""
    if not call.failures.count and all(spawn.failed is None for spawn in call.spawns):
        return None
    from agguard_builtin.escalation.guard import judge

    return judge(call, effect, session)


@hookimpl(specname="rewrite_command")
def rtk(command: Command, session: Session) -> Rewrite | None:
    """Run token-heavy commands through rtk."""
    from agguard_builtin.rtk.guard import rewrite

    return rewrite(command, session)


@hookimpl(specname="augment_prompt")
def injection(spawn: Spawn, session: Session) -> Addition | None:
    """Give a subagent its token and its rules."""
    from agguard_builtin.injection.guard import augment

    return augment(spawn, session)


@hookimpl(specname="judge_stop")
def attention(stop: Stop, session: Session) -> StopVerdict | None:
    """Send a stop back that does not account for the work."""
    from agguard_builtin.attention.guard import judge

    return judge(stop, session)


@hookimpl(specname="judge_stop")
def reports(stop: Stop, session: Session) -> StopVerdict | None:
    """Send a child back whose report is none, and tell its parent what is not borne out."""
    if stop.report is None and not stop.reports:
        return None
    from agguard_builtin.handoff.guard import judge_stop

    return judge_stop(stop, session)


@hookimpl(specname="remind")
def handed_in(invocation: Invocation, session: Session) -> Reminder | None:
    """Give a parent one line for each child that has reported."""
    if not invocation.reports:
        return None
    from agguard_builtin.handoff.guard import remind

    return remind(invocation, session)


@hookimpl(specname="remind")
def halt(invocation: Invocation, session: Session) -> Reminder | None:
    """Tell a worker whose commands keep failing to halt, and its parent to escalate."""
    if not invocation.failures.count and not invocation.reports:
        return None
    from agguard_builtin.escalation.guard import remind

    return remind(invocation, session)


@hookimpl(specname="remind")
def recovery(invocation: Invocation, session: Session) -> Reminder | None:
    """Tell an agent that subagents of its are dead."""
    from agguard_builtin.attention.guard import remind

    return remind(invocation, session)
