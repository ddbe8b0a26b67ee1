"""The escalation guard: a failure goes up, it is not tried again on the same ground. Pure."""

from __future__ import annotations

from agguard.model.contribution import Reminder
from agguard.model.effect import Effect
from agguard.model.report.correction import skeleton
from agguard.model.report.schema import role_of
from agguard.model.verdict import Verdict
from agguard_builtin.escalation.tiers import TOP, is_escalation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Failures, Invocation, Spawn, ToolCall
    from agguard.model.session import Session

HALT_AFTER = 3


def judge(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Say whether a spawn repeats what failed, and whether a worker should have halted."""
    mode = session.section("escalation").get("mode", "advise")
    if mode == "off":
        return None
    again = [repeated(spawn) for spawn in call.spawns if not is_escalated(spawn)]
    if again:
        text = " ".join(again)
        return Verdict.deny(text) if mode == "enforce" else Verdict.allow(text)
    if mode == "enforce" and effect & Effect.WRITE and must_halt(call.failures, session):
        return Verdict.deny(halt(call.failures, session))
    return None


def remind(invocation: Invocation, session: Session) -> Reminder | None:
    """Remind a parent to escalate what failed, and a worker whose commands keep failing to halt."""
    if session.section("escalation").get("mode", "advise") == "off" or invocation.repeated:
        return None
    failed = [one.who for one in invocation.reports if one.is_new and one.status == "failed"]
    found = [escalate(who) for who in failed]
    if invocation.failures.is_fresh and must_halt(invocation.failures, session):
        found.append(halt(invocation.failures, session))
    return Reminder("\n".join(found)) if found else None


def escalate(who: str) -> str:
    """Tell a parent what to do about a failed report."""
    return (
        f"agguard: {who} has failed. Do not hand its task to the same or a lower tier again: look "
        f"at the diagnostic, then escalate it with Model {TOP!r}."
    )


def is_escalated(spawn: Spawn) -> bool:
    """Whether a spawn is for a new task, or for a failed one on a higher tier."""
    return spawn.failed is None or is_escalation(spawn.model, spawn.failed.model)


def repeated(spawn: Spawn) -> str:
    """Say that a spawn repeats what failed, and what is open."""
    failed = spawn.failed
    who, said = (failed.who, failed.summary) if failed else ("", "")
    return (
        f"agguard: this task failed before ({who}: {' '.join(said.split())[:200]}), and the same "
        f"or a lower tier would meet the same failure. Escalate it: invoke_subagent with Model "
        f"{TOP!r}, and hand over the failed report."
    )


def must_halt(failures: Failures, session: Session) -> bool:
    """Whether a subagent's commands failed so often in a row that it has to halt."""
    most = session.section("escalation").get("halt_after", HALT_AFTER)
    return session.role.is_child and failures.count >= most


def halt(failures: Failures, session: Session) -> str:
    """Tell a worker to halt, with the report to fill in."""
    command, code = failures.command[:500], failures.exit_code
    report = skeleton(role_of(session), "failed", failing_command=command, exit_code=code)
    ended = "" if code is None else f" (exit status {code})"
    return (
        f"agguard: {failures.count} of your commands failed in a row, the last one {command!r}"
        f"{ended}. Do not guess and do not patch blindly: halt, and report to your parent with "
        f"this one JSON object, filled in: {report}"
    )
