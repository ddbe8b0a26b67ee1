"""Short git output without RTK: a built-in part is replaced by switching it off.

    agguard config set rtk.mode off
    agguard plugins trust plainlog

Rewrites are chained, so without the first line RTK would run on top of this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agguard import Command, Rewrite, Session, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

agguard_hookspec = 1
agguard_settings = {
    "mode": {
        "type": "choice",
        "choices": ["none", "short"],
        "default": "short",
        "meaning": "whether commands are spelled shorter, or left as they are",
        "stricter": "trusted",  # neither is: a project sets it in a pinned file only
    },
}

SHORTER = {
    "git log": "git log --oneline",
    "git status": "git status --short --branch",
    "git diff --stat": "git diff --shortstat",
}
"""Whole command lines: what only looks like one of them is left alone."""


@hookimpl(tryfirst=True)
def rewrite_command(command: Command, session: Session) -> Rewrite | None:
    """Spell a few commands so that they print less."""
    if session.section("plugins").get("plainlog", {}).get("mode") == "none":
        return None
    shorter = SHORTER.get(command.text.strip())
    return Rewrite(shorter, "plainlog: prints less") if shorter else None


def agguard_health(settings: Mapping[str, object]) -> Iterator[str]:
    """Say when this plugin does nothing."""
    if settings.get("mode") == "none":
        yield "mode is none: commands are left as they are"
