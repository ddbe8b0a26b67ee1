"""What a parent is told of its children's reports, one line each. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agguard.model.report.reading import Report

LONGEST = 200
"""Characters of a summary that a line holds."""
MOST = 10
"""Lines of old reports."""


def finished(reports: tuple[Report, ...], *, again: bool) -> list[str]:
    """Return a line for each report that is new; with `again` for the newest old ones, too."""
    old = [report for report in reports if not report.is_new][-MOST:] if again else []
    new = [report for report in reports if report.is_new]
    return [line(report) for report in (*old, *new)]


def doubted(reports: Iterable[Report]) -> str:
    """Return what a parent has to know before it stops: reports that are new and not borne out."""
    found = [line(one) for one in reports if one.is_new and one.standing != "valid"]
    if not found:
        return ""
    return "\n".join([*found, "Look at it before you tell the user that it is done."])


def line(report: Report) -> str:
    """Say in one line how a child's task ended, by its own account, and what that is worth."""
    said = f"agguard: {report.who}"
    if report.standing == "invalid":
        why = "; ".join(report.problems[:2])
        return (
            f"{said} sent no valid report ({why}): its task counts as it was found, not as it was "
            "told. Ask it by send_message for one JSON object, or look at the result yourself."
        )
    if report.standing == "unverified":
        claims = "; ".join(report.unproven[:5])
        what = f" reports {report.status}" if report.status else ""
        return f"{said}{what}, NOT VERIFIED: {claims}. It said: {_short(report.summary)}"
    if report.status == "blocked":
        return f"{said} is blocked and asks: {_short(report.question)}"
    verified = " (verified)" if report.role == "executor" and report.status == "completed" else ""
    return f"{said} reports {report.status}{verified}: {_short(report.summary)}{_files(report)}"


def _files(report: Report) -> str:
    files = report.document.get("files_modified")
    if not isinstance(files, list) or not files:
        return ""
    more = f" and {len(files) - 5} more" if len(files) > 5 else ""  # noqa: PLR2004 - one line
    return f" [files: {', '.join(map(str, files[:5]))}{more}]"


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}..."
