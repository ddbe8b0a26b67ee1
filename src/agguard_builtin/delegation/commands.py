"""What a shell command does: the shell's own knowledge, with the user's additions."""

from __future__ import annotations

import os

from agguard.model.effect import Effect
from agguard.shell.effects import effect_of_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agguard.model.call import ToolCall
    from agguard.model.session import Session
    from agguard.shell.effects import Part


def effect(call: ToolCall, session: Session) -> Effect:
    """Say what the command line of a `run_command` call does, for this caller.

    The worst of its parts; a part that the user's `[shell] read` or `not_read` names by its first
    words is what the user says.
    """
    text = call.text("CommandLine")
    found = effect_of_call(call, session, os.path.realpath)
    settings = session.section("shell")
    if not settings.get("read") and not settings.get("not_read"):
        return found.effect
    joined = Effect(0)
    for part in found.parts:
        joined |= _said(text, part, settings)
    return joined & ~Effect.READ or Effect.READ if joined else found.effect


def _said(text: str, part: Part, settings: Mapping[str, Any]) -> Effect:
    """Return what the user says of a part, else what the table says."""
    words = text[part.start : part.end].split()
    if any(_begins(words, one) for one in settings.get("not_read", ())):
        return part.effect | Effect.EXECUTE
    # Only an unknown command can be vouched for: what is known to write does not read.
    unknown = part.effect == Effect.UNKNOWN and part.program and words == _plain(words)
    vouched = any(_begins(words, one) for one in settings.get("read", ()))
    return Effect.READ if unknown and vouched else part.effect


def _begins(words: list[str], pattern: str) -> bool:
    wanted = pattern.split()
    return bool(wanted) and words[: len(wanted)] == wanted


def _plain(words: list[str]) -> list[str]:
    """Return the words without any that mean more to a shell than their letters."""
    return [word for word in words if not set(word) & set("$`\\\"'<>|&;()*?[]{}~#!=")]
