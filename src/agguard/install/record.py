"""The record of what agguard wrote where: enough to take it back, and to notice other hands."""

from __future__ import annotations

import json

from agguard.install.launcher import Launcher
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = 1


class Original(Value):
    """The hooks file as it was before agguard came."""

    existed: bool
    digest: str
    """SHA-256 of its bytes, which the store keeps; '' when there was no file."""


class Install(Value):
    """One registration."""

    scope: str
    """`user` or `workspace`."""
    hooks: str
    """The hooks file as the host names it."""
    target: str
    """The hooks file with all links followed."""
    launcher: Launcher
    since: float
    """When the registration was made or last changed, in seconds since the epoch."""
    written: str
    """SHA-256 of the hooks file as we left it."""
    original: Original | None
    """None when others changed the file meanwhile, so that there is no way back but ours."""
    files: tuple[tuple[str, str], ...] = ()
    """Launchers and plugin files, each with the SHA-256 of what we wrote."""
    created: tuple[str, ...] = ()
    """Folders that did not exist before, outermost first."""
    replaced: str = ""
    """The text of somebody else's entry of our name, whose place ours took; '' for none."""

    def digest_of(self, path: str) -> str:
        """Return the SHA-256 of what we wrote to a path; '' when we did not."""
        return dict(self.files).get(path, "")


class Record(Value):
    """All registrations of one user."""

    installs: tuple[Install, ...] = ()

    def find(self, hooks: str, target: str) -> Install | None:
        """Return the registration in a hooks file, by its name, else by its real path.

        A file that became a link since is found, and so is one that another link leads to.
        """
        named = (one for one in self.installs if one.hooks == hooks)
        real = (one for one in self.installs if one.target == target)
        return next(named, None) or next(real, None)

    def with_install(self, install: Install) -> Record:
        """Return the record with one registration put in or replaced."""
        return Record((*self.without(install.hooks, install.target).installs, install))

    def without(self, hooks: str, target: str) -> Record:
        """Return the record without the registrations in a hooks file."""
        rest = (one for one in self.installs if hooks != one.hooks and target != one.target)
        return Record(tuple(rest))


def dump(record: Record) -> bytes:
    """Write a record as JSON."""
    installs = [
        {
            **install.asdict(),
            "launcher": install.launcher.asdict(),
            "original": install.original and install.original.asdict(),
            "files": dict(install.files),
        }
        for install in record.installs
    ]
    return (json.dumps({"format": FORMAT, "installs": installs}, indent=1) + "\n").encode()


def parse(data: bytes) -> Record:
    """Read a record; ValueError when it is not one of this format."""
    try:
        content: Any = json.loads(data)
        if content["format"] != FORMAT:
            msg = f"format {content['format']!r} where {FORMAT} was expected"
            raise ValueError(msg)
        return Record(tuple(_install(fields) for fields in content["installs"]))
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        msg = f"not a record of installations: {error}"
        raise ValueError(msg) from None


def _install(fields: dict[str, Any]) -> Install:
    original = fields["original"]
    return Install(
        scope=str(fields["scope"]),
        hooks=str(fields["hooks"]),
        target=str(fields["target"]),
        launcher=Launcher(**{name: str(value) for name, value in fields["launcher"].items()}),
        since=float(fields["since"]),
        written=str(fields["written"]),
        original=original and Original(bool(original["existed"]), str(original["digest"])),
        files=tuple((str(path), str(value)) for path, value in fields["files"].items()),
        created=tuple(str(folder) for folder in fields["created"]),
        replaced=str(fields.get("replaced", "")),
    )
