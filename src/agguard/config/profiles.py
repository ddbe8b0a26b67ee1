"""Profiles: named sets of values that the other settings start from."""

from __future__ import annotations

from agguard.config.settings import SETTINGS
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.config.setting import Flat, Json

PROFILE = "profile"


class Profile(Value):
    """One profile.

    Args:
        name: as `profile = "..."` names it.
        meaning: one line for people.
        values: pairs of dotted key and value that differ from the defaults; lists as tuples.
    """

    name: str
    meaning: str
    values: tuple[tuple[str, bool | int | str | tuple[str, ...]], ...] = ()

    @property
    def flat(self) -> Flat:
        """The values as plain data, by dotted key."""
        return {key: _plain(value) for key, value in self.values}


PROFILES: tuple[Profile, ...] = (
    Profile("strict", "the primary plans and delegates and runs nothing itself (the default)"),
    Profile(
        "balanced",
        "the primary may also read with commands and write its plans into the workspace",
        (
            ("delegation.mode", "read-only"),
            ("delegation.plan_files", ("task.md", "implementation_plan.md", "walkthrough.md")),
            ("handoff.mode", "advise"),
        ),
    ),
    Profile(
        "adaptive",
        "the primary works itself and is advised to delegate; a stop is not sent back for a "
        "missing summary (what the authors of the prior plugin came to)",
        (
            ("delegation.mode", "advise"),
            ("handoff.mode", "advise"),
            ("attention.markers", ()),
            ("attention.max_rejections", 2),
        ),
    ),
    Profile(
        "observe", "everything is recorded and nothing is enforced", (("hooks.observe", True),)
    ),
)


def named(name: object) -> Profile:
    """Return the profile of that name; `strict` for anything else, which is the safe answer."""
    return next((profile for profile in PROFILES if profile.name == name), PROFILES[0])


def whole(name: object) -> Flat:
    """Return what a profile says about every key that any profile changes.

    A layer that may only tighten needs this: to ask for `strict` below a user's `balanced` is
    to ask for the default of each key that `balanced` changes.
    """
    keys = {key for profile in PROFILES for key, _ in profile.values}
    defaults = {setting.key: setting.initial for setting in SETTINGS if setting.key in keys}
    return defaults | named(name).flat


def _plain(value: bool | int | str | tuple[str, ...]) -> Json:
    return list(value) if isinstance(value, tuple) else value
