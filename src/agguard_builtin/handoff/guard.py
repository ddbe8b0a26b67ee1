"""The handoff guard: children report to their parents by one JSON object and nothing else. Pure."""

from __future__ import annotations

from agguard.model.contribution import Reminder
from agguard.model.report.reading import read
from agguard.model.report.schema import role_of
from agguard.model.session import Role
from agguard.model.verdict import StopVerdict, Verdict
from agguard_builtin.handoff.lines import doubted, finished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Invocation, Stop, ToolCall
    from agguard.model.report.reading import Report
    from agguard.model.session import Session

NORMAL = ("", "NO_TOOL_CALL", "model_stop")
"""Ends that the agent chose (contract, section 2.2); the last one is of old documents."""
SEND = "send_message"


def mode(session: Session) -> str:
    """Return off, advise or strict."""
    return str(session.section("handoff").get("mode", "strict"))


def judge(call: ToolCall, session: Session) -> Verdict | None:
    """Refuse a message from a child to its parent that is no report."""
    how = mode(session)
    if how == "off" or not is_report(call, session):
        return None
    report = read(call.text("Message"), role_of(session))
    if not report.problems:
        return None
    reason = refusal(report)
    limit = session.section("attention").get("max_rejections", 3)
    if how == "advise" or call.denials >= limit:
        return Verdict.allow(reason)
    return Verdict.deny(reason)


def is_report(call: ToolCall, session: Session) -> bool:
    """Whether a call sends something to the caller's parent, which counts as its report."""
    return (
        call.name == SEND
        and session.role.is_child
        and not session.is_idle
        and bool(session.parent)
        and call.text("Recipient") == session.parent
    )


def judge_stop(stop: Stop, session: Session) -> StopVerdict | None:
    """Send a child back whose report is none, and a parent that was not told of a doubtful one."""
    if mode(session) != "strict" or not _is_end(stop):
        return None
    reasons = []
    if stop.report is not None and stop.report.problems:
        reasons.append(refusal(stop.report))
    if not stop.running and (news := doubted(stop.reports)):
        reasons.append(news)
    return StopVerdict.go_on("\n".join(reasons)) if reasons else None


def remind(invocation: Invocation, session: Session) -> Reminder | None:
    """Give a parent one line for each child that has reported: the new ones, and now and then all.

    What the host told the parent when a child went idle is lost when its context is compacted.
    """
    if mode(session) == "off" or session.role not in (Role.PRIMARY, Role.COORDINATOR):
        return None
    every = session.section("attention").get("remind_every", 25)
    periodic = every > 0 and invocation.number > 0 and invocation.number % every == 0
    again = (periodic or invocation.rejected) and not invocation.repeated
    lines = finished(invocation.reports, again=again)
    return Reminder("\n".join(lines)) if lines else None


def refusal(report: Report) -> str:
    """Say why a text is no report, and what would pass."""
    return (
        f"agguard: a report is one JSON object and nothing else: {'; '.join(report.problems[:5])}. "
        f"{report.correction}"
    )


def _is_end(stop: Stop) -> bool:
    return stop.fully_idle and not stop.error and stop.reason in NORMAL
