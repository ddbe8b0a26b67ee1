"""The delegation guard: gathers the facts, then asks the policy."""

from __future__ import annotations

from agguard.location import named
from agguard.model.effect import Effect
from agguard_builtin.delegation.artifacts import is_artifact, is_plan, outside
from agguard_builtin.delegation.policy import Facts, is_confined, verdict
from agguard_builtin.delegation.tools import WRITERS, is_misread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import ToolCall
    from agguard.model.session import Session
    from agguard.model.verdict import Verdict

SHELL = ("run_command", "send_command_input")


def judge(call: ToolCall, effect: Effect, session: Session) -> Verdict | None:
    """Say whether this agent may make this call."""
    return verdict(
        Facts(
            tool=call.name,
            effect=effect,
            is_artifact=_writes_artifact(call, effect, session),
            is_shell=call.name in SHELL,
            is_question=effect == Effect.READ and _asks_agguard(call),
            is_misread=is_misread(call),
            outside=_leads_out(call, effect, session),
        ),
        session,
    )


def _asks_agguard(call: ToolCall) -> bool:
    """Whether a call only asks agguard what it would say: `agguard explain …` and nothing else."""
    if call.name != "run_command":
        return False
    from agguard.shell.parser import words

    return (words(call.text("CommandLine")) or ())[:2] == ("agguard", "explain")


def _writes_artifact(call: ToolCall, effect: Effect, session: Session) -> bool:
    """Whether all that a call does is to write files that are the caller's own.

    Only tools that write what they name: `run_command` with a `TargetFile` beside its command
    line writes something else.
    """
    if effect != Effect.WRITE or call.name not in WRITERS:
        return False
    patterns = tuple(session.section("delegation").get("plan_files", ()))
    targets = named(call.args)
    return bool(targets) and all(
        is_artifact(one, session.artifact_dir) or is_plan(one, session.workspaces, patterns)
        for one in targets
    )


def _leads_out(call: ToolCall, effect: Effect, session: Session) -> str:
    """Return the path that a confined agent must not write; commands say none that is certain."""
    if call.name in SHELL or not effect & (Effect.WRITE | Effect.UNKNOWN):
        return ""
    return outside(call, session.workspaces) if is_confined(session) else ""
