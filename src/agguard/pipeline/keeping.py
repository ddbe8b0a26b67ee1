"""What is kept of a decision: rows for the ledger, with every secret taken out first. Pure."""

from __future__ import annotations

from agguard import jsontext
from agguard.ledger.records import Entry, WorkItem
from agguard.model.redact import redact
from agguard.model.session import Role
from agguard.model.token import opening
from agguard.pipeline.lineage import digest
from agguard.pipeline.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agguard.model.call import Spawn, ToolCall
    from agguard.model.event import Event
    from agguard.model.session import Session
    from agguard.model.verdict import Outcome

SUBJECT_KEYS = (
    "CommandLine",
    "TargetFile",
    "target_file",
    "AbsolutePath",
    "DirectoryPath",
    "SearchPath",
    "SearchDirectory",
    "NotebookPath",
    "Url",
    "query",
    "Action",
)
"""Arguments that say what a call is about, the most telling first."""

LONGEST = 2000
"""Characters of one text that are kept."""
MOST_ITEMS = 200
"""Members of one list or object that are kept."""


def entry(event: Event, session: Session, outcome: Outcome, now: float, micros: int = 0) -> Entry:
    """Make the row of a decision."""
    call = event.call
    return Entry(
        at=now,
        conversation=event.conversation,
        event=event.name,
        step=event.step,
        tool=clean(call.name) if call else "",
        subject=clean(event.error or subject(call)) if call else clean(event.error),
        effect=int(outcome.effect),
        decision=outcome.decision.word,
        reasons=jsontext.dumps(
            [[r.guard, r.decision.word, clean(r.text)] for r in outcome.reasons]
        ),
        faults=jsontext.dumps([[f.plugin, f.hook, f.kind, clean(f.text)] for f in outcome.faults]),
        micros=micros,
        role=str(session.role),
    )


def inert(entry: Entry, session: Session) -> Entry:
    """Make the row of a decision that counts for nothing: an agent's shell asked for it."""
    text = f"asked from the shell of agent {cleaned(session.parent[:100])!r}, so it changes nothing"
    reasons = [*jsontext.loads(entry.reasons), ["agguard", "abstain", text]]
    return entry.replace(inert=True, reasons=jsontext.dumps(reasons))


def items(
    session: Session, spawns: Sequence[Spawn], prompts: Sequence[str], now: float
) -> list[WorkItem]:
    """Make the work items of subagents that are about to start.

    Args:
        session: Who starts them.
        spawns: As they will start.
        prompts: Their prompts as the parent wrote them: what a child is recognized by on hosts
            that drop our additions.
        now: Seconds since the epoch.
    """
    return [
        WorkItem(
            # After a compaction the host may count its steps anew, so they are not enough.
            id=f"{session.conversation}:{spawn.step}:{spawn.position}:{digest(prompt)[:8]}",
            token=spawn.token,
            issuer=session.conversation,
            step=spawn.step,
            position=spawn.position,
            digest=digest(prompt),
            role=spawn.role,
            remaining_depth=spawn.remaining_depth,
            read_only=spawn.read_only,
            type_name=clean(spawn.type_name),
            agent_role=clean(spawn.agent_role),
            model=spawn.model[:100],
            created_at=now,
            updated_at=now,
            words=words(prompt),
        )
        for spawn, prompt in zip(spawns, prompts, strict=True)
    ]


def issued_before(spawns: Sequence[Spawn], known: Sequence[WorkItem]) -> list[WorkItem]:
    """Return the items that an earlier fire of the same call has issued, in order, or none.

    Hosts fire twice where agguard is registered twice, and one of the executors hands the second
    hook the prompts as the first has changed them (contract, section 1.4).

    Args:
        spawns: The subagents, as this fire brings them.
        known: What was issued at the same step.
    """
    found = [item for spawn in spawns for item in known if _is_same(spawn, item)]
    return found if len(found) == len(spawns) else []


def _is_same(spawn: Spawn, item: WorkItem) -> bool:
    if spawn.position != item.position or not item.token:
        return False
    return opening(spawn.prompt) == item.token or digest(spawn.prompt) == item.digest


def task(session: Session, child: str, text: str, step: int, now: float) -> WorkItem:
    """Make the item of a further task, which a parent sends to a child by message.

    The rights are the child's own; the ledger sees to that.
    """
    return WorkItem(
        id=f"{session.conversation}:{child}:{step}:{digest(text)[:8]}",
        token="",
        issuer=session.conversation,
        step=step,
        position=0,
        digest=digest(text),
        role=Role.WORKER,
        remaining_depth=0,
        read_only=True,
        child=child,
        created_at=now,
        updated_at=now,
        words=words(text),
    )


def subject(call: ToolCall | None) -> str:
    """Return what a call is about: its most telling argument, as it was given."""
    if call is None:
        return ""
    if call.name == "call_mcp_tool":
        return f"{call.text('ServerName')}/{call.text('ToolName')}"
    return next((text for key in SUBJECT_KEYS if (text := call.text(key))), "")


def name(item: WorkItem) -> str:
    """Name a subagent as its parent knows it."""
    return f"{item.agent_role or item.type_name or 'subagent'} (step {item.step})"


def cleaned(value: object) -> Any:  # noqa: ANN401 - any JSON
    """Return a JSON value with every text in it as `clean` leaves it."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [cleaned(one) for one in value[:MOST_ITEMS]]
    if isinstance(value, dict):
        kept = list(value.items())[:MOST_ITEMS]
        return {clean(str(name)): cleaned(one) for name, one in kept}
    return value


def clean(text: str) -> str:
    """Redact, shorten, and replace what no database can store (half a surrogate pair)."""
    short = redact(text[: 4 * LONGEST])[:LONGEST]
    return short.encode("utf-8", "replace").decode()
