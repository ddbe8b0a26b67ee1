"""The delegation policy. Pure: facts come as arguments."""

from __future__ import annotations

from agguard.model.effect import Effect
from agguard.model.session import Role
from agguard.model.value import Value
from agguard.model.verdict import Decision, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.session import Session

HARMLESS = Effect.READ | Effect.MESSAGE | Effect.NETWORK | Effect.DELEGATE
"""What a primary may do: look, speak, search, delegate."""

STEERS = ("manage_subagents",)
"""Tools that end agents and start none."""


class Facts(Value):
    """What the policy needs to know about a call."""

    tool: str
    effect: Effect
    is_artifact: bool = False
    """It writes a file inside the caller's own artifact directory."""
    is_shell: bool = False
    is_question: bool = False
    """It asks agguard about a call, which every agent may in every mode."""
    is_misread: bool = False
    """It is a known tool without the arguments that it needs."""
    outside: str = ""
    """A file that it writes and that is in none of the caller's workspaces."""


def verdict(facts: Facts, session: Session) -> Verdict | None:
    """Say whether this agent may do this."""
    settings = session.section("delegation")
    mode = settings.get("mode", "strict")
    if mode == "off":
        return None
    is_child = acting_role(session).is_child
    found = _of_child(facts, session) if is_child else _of_primary(facts, session, mode)
    if found and settings.get("observe"):
        return Verdict(
            Decision.ABSTAIN, f"only observed, would be {found.decision.word}: {found.reason}"
        )
    if found and mode == "advise" and not is_child:
        return Verdict.allow(found.reason)
    return found


def acting_role(session: Session) -> Role:
    """Return the role to judge by: an unknown caller is judged as the configuration says."""
    if session.role != Role.UNKNOWN:
        return session.role
    return Role(session.section("delegation").get("unknown_role", "primary"))


def is_confined(session: Session) -> bool:
    """Whether this agent may write in its workspaces only."""
    scope = session.section("delegation").get("worker_scope", "any")
    return scope == "workspace" and acting_role(session).is_child


def _of_primary(facts: Facts, session: Session, mode: str) -> Verdict | None:
    if facts.is_artifact:
        return None
    if facts.is_shell:
        return _of_shell(facts, session, mode)
    if not facts.effect & ~HARMLESS:
        return _beyond_depth(facts, session)
    if facts.effect & Effect.WRITE:
        return Verdict.deny(_reason(session, "writes only inside its artifact directory"))
    what = f"may not call {facts.tool!r} ({facts.effect.words})"
    if facts.is_misread:
        what += " with arguments that nobody can read: spell them as the tool's schema does"
    return Verdict.deny(_reason(session, what))


def _of_shell(facts: Facts, session: Session, mode: str) -> Verdict | None:
    if facts.is_question or (mode != "strict" and facts.effect == Effect.READ):
        return None
    what = "runs no shell commands itself"
    if mode == "read-only":
        what = f"runs only commands that certainly just read; this one: {facts.effect.words}"
    return Verdict.deny(_reason(session, what))


def _reason(session: Session, what: str) -> str:
    who = "the primary agent"
    if session.role != Role.PRIMARY:
        why = f" ({session.bound_by})" if session.bound_by else ""
        who = f"an agent whose role agguard cannot establish{why} is judged like the primary and"
    own = f" Plans and notes go to {session.artifact_dir}." if session.artifact_dir else ""
    extra = session.section("delegation").get("message", "")
    return (
        f"agguard: {who} plans and delegates; it {what}. Hand this to a subagent: call "
        f"invoke_subagent with a self-contained Prompt.{own}{' ' + extra if extra else ''}"
    )


def _beyond_depth(facts: Facts, session: Session) -> Verdict | None:
    """Deny a primary to start agents where the configuration leaves it no level below it."""
    starts = facts.effect & Effect.DELEGATE and facts.tool not in STEERS
    if not starts or session.section("delegation").get("max_depth", 1) > 0:
        return None
    return Verdict.deny(
        f"agguard: {facts.tool!r} starts agents, and [delegation] max_depth = 0 allows none below "
        "the primary (remaining_depth=0). Tell the user what has to be done."
    )


def _of_child(facts: Facts, session: Session) -> Verdict | None:
    if facts.effect & Effect.DELEGATE and session.remaining_depth < 1:
        return Verdict.deny(
            f"agguard: a {acting_role(session)} with remaining_depth={session.remaining_depth} may "
            f"not delegate ({facts.tool}). Do the task yourself, or report to your parent with "
            "send_message what is missing."
        )
    if session.read_only and not facts.is_artifact and _changes(facts, session):
        return Verdict.deny(_read_only(facts, session))
    if facts.outside and not facts.is_artifact:
        return Verdict.deny(_confined(facts, session))
    if facts.is_misread:
        return Verdict.ask(
            f"agguard: {facts.tool!r} came without the arguments that it needs, so nobody can see "
            "what it does"
        )
    return None


def _changes(facts: Facts, session: Session) -> bool:
    """Whether a call is more than reading and reporting; an idle child starts nobody, either."""
    harmless = HARMLESS & ~Effect.DELEGATE if session.is_idle else HARMLESS
    return bool(facts.effect & ~harmless)


def _read_only(facts: Facts, session: Session) -> str:
    call = f"{facts.tool!r} ({facts.effect.words})"
    if session.inside_agent:
        return (
            f"agguard: this session was started from an agent's shell, so it is read-only; {call} "
            "is not open to it. Let the agent that started it do the work."
        )
    if session.is_idle:
        return (
            "agguard: this subagent has no open task (it has ended, was silent for too long, or "
            f"never was one that agguard knows of), so it is read-only; {call} is not open to it. "
            "Read, and report to your parent with send_message; a message from it opens a new task."
        )
    return (
        f"agguard: this subagent is read-only; {call} is not open to it. Read, search, and report "
        "to your parent with send_message."
    )


def _confined(facts: Facts, session: Session) -> str:
    places = ", ".join(map(repr, session.workspaces)) or "nowhere: the session has no workspace"
    return (
        f"agguard: {facts.outside!r} is outside the workspace, and [delegation] worker_scope = "
        f"'workspace' keeps subagents inside. You may write below {places}. Report to your parent "
        "with send_message what else has to be changed."
    )
