"""What a conversation's transcript says, read in constant time whatever its size.

The host writes one JSON object per line (contract, section 5). A hook has milliseconds, so a
transcript is read from its head (`opening`) or from its end (`turn`, `spawned`), never whole.
`reverse` reads lines backwards, `poll` waits for a file that is late.

Nothing here decides anything, and nothing here raises because of what a file holds: what could
not be read is named in the `problem` of the value that is returned.

The names below are loaded on first use: a hook that needs none of them pays for none of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.transcript.calls import Call, Result
    from agguard.transcript.head import Opening, opening
    from agguard.transcript.message import Message
    from agguard.transcript.poll import Patience
    from agguard.transcript.reverse import Limits
    from agguard.transcript.spawns import Child, FailedSpawn, Report, Spawned, spawned
    from agguard.transcript.turns import Turn, turn

__all__ = [
    "Call",
    "Child",
    "FailedSpawn",
    "Limits",
    "Message",
    "Opening",
    "Patience",
    "Report",
    "Result",
    "Spawned",
    "Turn",
    "opening",
    "spawned",
    "turn",
]


def __getattr__(name: str) -> object:
    """Load the module that defines one of the public names."""
    home = {
        "calls": ("Call", "Result"),
        "head": ("Opening", "opening"),
        "message": ("Message",),
        "poll": ("Patience",),
        "reverse": ("Limits",),
        "spawns": ("Child", "FailedSpawn", "Report", "Spawned", "spawned"),
        "turns": ("Turn", "turn"),
    }
    for module, names in home.items():
        if name in names:
            return getattr(__import__(f"{__name__}.{module}", fromlist=[name]), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
