"""What versions of the host do differently with hooks (contract, sections 1, 3 and 10). Data."""

from __future__ import annotations

import re
import sys

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Version = tuple[int, ...]


class Quirk(Value):
    """One difference, and the versions of the CLI that were seen with it."""

    first: Version
    last: Version
    text: str
    source: str
    platform: str = ""
    """A `sys.platform`; '' for all."""
    grave: bool = False
    """Whether agguard cannot guard there."""


QUIRKS: tuple[Quirk, ...] = (
    Quirk((0,), (1, 0, 8), "hooks that `/hooks` wrote are not read", "antigravity-cli changelog"),
    Quirk(
        (0,),
        (1, 1, 26),
        "changed arguments (`overwrite`) are not applied: no rtk, no token in a subagent's prompt",
        "embedded hooks.md; rtk PR 3959",
    ),
    Quirk((1, 1, 2), (1, 1, 2), "a denied call may still show a prompt", "issue 628"),
    Quirk(
        (1, 1, 11), (1, 1, 11), "Stop hooks are not run", "issue 770", platform="linux", grave=True
    ),
    Quirk(
        (1, 1, 22),
        (1, 1, 24),
        "hooks do not run with GEMINI_API_KEY: sign in with an account",
        "issue 893",
        grave=True,
    ),
    Quirk(
        (1, 1, 24),
        (1, 1, 27),
        "hooks of plugin folders are not run (agguard's stand in the user's file)",
        "UZE; claude-remember issue 553",
    ),
    Quirk(
        (1, 1, 27),
        (1, 1, 27),
        "PreToolUse was not loaded in some sessions",
        "claude-remember PR 564",
        grave=True,
    ),
    Quirk((1, 2, 1), (1, 2, 2), "no hook runs at all", "issue 1008", platform="darwin", grave=True),
    Quirk(
        (1, 2, 16),
        (1, 2, 16),
        "hooks do not fire inside subagents: they are known from their parent's records only",
        "ORBIT runtime study",
    ),
)


def parsed(text: str) -> Version:
    """Return the version in a program's answer; () when there is none."""
    found = re.search(r"\b(\d+)\.(\d+)\.(\d+)", text)
    return tuple(int(part) for part in found.groups()) if found else ()


def of(version: Version, platform: str = sys.platform) -> Iterator[Quirk]:
    """Yield what is known of a version."""
    for quirk in QUIRKS:
        if quirk.first <= version <= quirk.last and quirk.platform in ("", platform):
            yield quirk
