"""The RTK guard: runs token-heavy commands through the rtk that is there."""

from __future__ import annotations

import sys

from agguard.model.contribution import Rewrite
from agguard_builtin.rtk.binary import on_path, version
from agguard_builtin.rtk.rewrite import rewrite as rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Command
    from agguard.model.session import Session


def _is_bash(text: str) -> bool:
    """Whether bash's rules hold for a text; on Windows only a plain command is the same in all."""
    if sys.platform == "win32":
        from agguard.shell.windows import plain_words

        return plain_words(text) is not None
    return True


def rewrite(command: Command, session: Session) -> Rewrite | None:
    """Offer the command with `rtk ` inserted, where rtk is there and saves something."""
    settings = session.section("rtk")
    if settings.get("mode", "on") == "off" or not _is_bash(command.text):
        return None
    found = version(settings.get("path", ""), session.cache_dir)
    if not found:
        return None
    text = rewritten(
        command.text,
        version=found,
        extra=tuple(settings.get("add", ())),
        exclude=tuple(settings.get("remove", ())),
        missing=lambda name: not on_path(name),
    )
    return Rewrite(text, "runs through rtk to keep the output small") if text else None
