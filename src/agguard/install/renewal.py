"""After an upgrade of agguard in its place, the hook renews the launchers that started it.

This runs on the hook path, when the version has changed: once. It touches only launchers that are
as they were written and that belong to the environment which runs now.
"""

from __future__ import annotations

from agguard.errors import RegistrationError
from agguard.install import files
from agguard.install.launcher import recognize, render
from agguard.install.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.install.record import Install


def renew(state: str, site: str, version: str) -> tuple[str, ...]:
    """Bring the recorded launchers to the present version; return the paths of those rewritten.

    Args:
        state: The state folder, as the launcher passed it.
        site: The folder that holds `agguard`, as the launcher passed it.
        version: The version that runs now.

    Whatever stands in the way (another installer, a read-only folder, a launcher that was edited)
    leaves things as they are: the old launcher still works, and `doctor` tells.
    """
    store = Store(state)
    renewed: list[str] = []
    if not store.load()[0].installs:
        return ()
    try:
        with store.lock(wait=0.0):
            record, _ = store.load()
            for install in record.installs:
                if install.launcher.python and install.launcher.site == site:
                    changed = _renewed(install, version)
                    renewed += (path for path, _ in changed)
                    record = record.with_install(_updated(install, changed, version))
            if renewed:
                store.save(record)
    except (RegistrationError, OSError):
        return tuple(renewed)
    return tuple(renewed)


def _renewed(install: Install, version: str) -> list[tuple[str, str]]:
    """Rewrite the launchers of one registration; return their paths and new digests."""
    changed = []
    for path, written in install.files:
        found = files.look(path)
        former = recognize(found.text)
        if not former or not former.intact or files.digest(found.data or b"") != written:
            continue
        text = render(former.launcher.replace(version=version), windows=path.endswith(".cmd"))
        after = text.encode("utf-8", "surrogateescape")
        if after == found.data:
            continue
        files.carry_out(files.FileChange(found.path, found.target, found.data, after, found.mode))
        changed.append((path, files.digest(after)))
    return changed


def _updated(install: Install, changed: list[tuple[str, str]], version: str) -> Install:
    if not changed:
        return install
    merged = {**dict(install.files), **dict(changed)}
    launcher = install.launcher.replace(version=version)
    return install.replace(launcher=launcher, files=tuple(merged.items()))
