"""The delegation policy. Pure: facts come as arguments."""

from __future__ import annotations

from agguard.model.effect import Effect
from agguard.model.session import Role
from agguard.model.value import Value
from agguard.model.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.session import Session

HARMLESS = Effect.READ | Effect.MESSAGE | Effect.NETWORK | Effect.DELEGATE
"""What a primary may do: look, speak, search, delegate."""


class Facts(Value):
    """What the policy needs to know about a call."""

    tool: str
    effect: Effect
    is_artifact: bool = False
    """It writes a file inside the caller's own artifact directory."""
    is_shell: bool = False
    is_misread: bool = False
    """It is a known tool without the arguments that it needs."""


def verdict(facts: Facts, session: Session) -> Verdict | None:
    """Say whether this agent may do this."""
    mode = session.section("delegation").get("mode", "strict")
    if mode == "off":
        return None
    if acting_role(session).is_child:
        return _of_child(facts, session)
    found = _of_primary(facts, session, mode)
    if found and mode == "advise":
        return Verdict.allow(found.reason)
    return found


def acting_role(session: Session) -> Role:
    """Return the role to judge by: an unknown caller is judged as the configuration says."""
    if session.role != Role.UNKNOWN:
        return session.role
    return Role(session.section("delegation").get("unknown_role", "primary"))


def _of_primary(facts: Facts, session: Session, mode: str) -> Verdict | None:
    if facts.is_artifact:
        return None
    if facts.is_shell:
        if mode != "strict" and facts.effect == Effect.READ:
            return None
        return Verdict.deny(_reason(session, "runs no shell commands itself"))
    if not facts.effect & ~HARMLESS:
        return None
    if facts.effect & Effect.WRITE:
        return Verdict.deny(_reason(session, "writes only inside its artifact directory"))
    what = f"may not call {facts.tool!r} ({facts.effect.words})"
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


def _of_child(facts: Facts, session: Session) -> Verdict | None:
    if facts.effect & Effect.DELEGATE and session.remaining_depth < 1:
        return Verdict.deny(
            f"agguard: a {acting_role(session)} with remaining_depth={session.remaining_depth} may "
            f"not delegate ({facts.tool}). Do the task yourself, or report to your parent with "
            "send_message what is missing."
        )
    if session.read_only and not facts.is_artifact and _changes(facts):
        return Verdict.deny(
            f"agguard: this subagent is read-only; {facts.tool!r} ({facts.effect.words}) is not "
            "open to it. Read, search, and report to your parent with send_message."
        )
    if facts.is_misread:
        return Verdict.ask(
            f"agguard: {facts.tool!r} came without the arguments that it needs, so nobody can see "
            "what it does"
        )
    return None


def _changes(facts: Facts) -> bool:
    return bool(facts.effect & ~(Effect.READ | Effect.MESSAGE | Effect.NETWORK | Effect.DELEGATE))
