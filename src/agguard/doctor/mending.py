"""What `agguard doctor --fix` can do: nothing of somebody else's is touched."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from agguard.errors import AgguardError, RegistrationError
from agguard.model.value import Value
from agguard.pipeline.books import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agguard.doctor.finding import Finding
    from agguard.paths import Paths


class Mended(Value):
    """What was done, or why it could not be."""

    name: str
    text: str
    done: bool


def mend(paths: Paths, findings: Iterable[Finding]) -> Iterator[Mended]:
    """Do once each what the findings ask for, in the order in which it makes sense."""
    wanted = {one.mend for one in findings if one.level != "ok"}
    for name, work in WAYS.items():
        if name not in wanted:
            continue
        try:
            yield Mended(name, work(paths), done=True)
        except (AgguardError, OSError) as error:
            yield Mended(name, str(error), done=False)


def _rights(paths: Paths) -> str:
    for path, mode in ((paths.config, 0o700), (paths.state, 0o700)):
        if os.path.isdir(path):
            os.chmod(path, mode)
    ledger = os.path.join(paths.state, NAME)
    if os.path.exists(ledger):
        os.chmod(ledger, 0o600)
    return "agguard's folders are closed to others again"


def _ledger(paths: Paths) -> str:
    path = os.path.join(paths.state, NAME)
    aside = f"{path}.damaged-{int(time.time())}"
    os.replace(path, aside)
    for ending in ("-wal", "-shm"):
        if os.path.exists(path + ending):
            os.replace(path + ending, aside + ending)
    return f"the damaged ledger is kept as {aside}; the next hook begins a new one"


def _install(paths: Paths) -> str:
    from agguard.install.examination import examine
    from agguard.install.place import of_user
    from agguard.install.store import Store
    from agguard.install.user import install_for_user

    if not examine(of_user(paths), Store(paths.state)).installed:
        msg = "agguard is not installed, and mending installs nothing: run `agguard install`"
        raise RegistrationError(msg)
    outcome = install_for_user(paths)
    changed = ", ".join(change.path for change in outcome.changes)
    loud = "".join(f"; {note.text}" for note in outcome.notes if note.loud)
    return f"installed again: {changed or 'nothing had to change'}{loud}"


def _manifest(paths: Paths) -> str:
    from agguard.plugins.build import build

    build(paths)
    return "the manifest was built anew"


def _accept(paths: Paths) -> str:
    from agguard.install.seal import seal

    seal(paths)
    return "the files of the guard are accepted as they are now"


WAYS: dict[str, Callable[[Paths], str]] = {
    "rights": _rights,
    "ledger": _ledger,
    "install": _install,
    "manifest": _manifest,
    "accept": _accept,
}
