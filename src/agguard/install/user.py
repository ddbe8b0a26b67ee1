"""The whole installation, for a user or a project: folders, manifest, bytecode, registration."""

from __future__ import annotations

import os

from agguard import __version__
from agguard.config.load import load
from agguard.errors import LedgerError
from agguard.install.addition import Wish
from agguard.install.governance import governance
from agguard.install.place import Place, of_project, of_user
from agguard.install.plan import Note
from agguard.install.registration import Outcome, install, launcher_for, uninstall
from agguard.install.seal import seal, seal_wishes, unseal
from agguard.install.store import Store
from agguard.plugins.build import build
from agguard.plugins.discovery import DEFAULT_TARGET
from agguard.plugins.manifest import NAME
from agguard.plugins.places import remember

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.paths import Paths


def install_for_user(paths: Paths, *, if_missing: str = "", dry_run: bool = False) -> Outcome:
    """Guard every session of this user.

    Args:
        paths: Where agguard's and the host's files are.
        if_missing: What the launcher answers a tool call when agguard is gone: `ask`, `deny`, or
            '' for what was chosen before.
        dry_run: Only say what would be done.

    Raises:
        RegistrationError: It cannot be done safely; nothing was written.
    """
    rules = governance(shipped(), load(paths.config_file).settings)
    return _install(of_user(paths), paths, rules, if_missing=if_missing, dry_run=dry_run)


def install_for_project(
    paths: Paths, project: str, *, if_missing: str = "", dry_run: bool = False
) -> Outcome:
    """Guard the sessions in one project, with files that can be committed.

    Raises:
        RegistrationError: It cannot be done safely; nothing was written.
    """
    return _install(of_project(project), paths, "", if_missing=if_missing, dry_run=dry_run)


def uninstall_for_user(paths: Paths, *, dry_run: bool = False) -> Outcome:
    """End the guarding of every session of this user; see `registration.uninstall`.

    Raises:
        RegistrationError: It cannot be done safely; nothing was written.
    """
    return _uninstall(of_user(paths), paths, dry_run=dry_run)


def uninstall_for_project(paths: Paths, project: str, *, dry_run: bool = False) -> Outcome:
    """End the guarding of the sessions in one project.

    Raises:
        RegistrationError: It cannot be done safely; nothing was written.
    """
    return _uninstall(of_project(project), paths, dry_run=dry_run)


def is_installed(paths: Paths) -> bool:
    """Whether the record knows a registration for every session of this user."""
    return Store(paths.state).find(paths.host.hooks) is not None


def shipped() -> str:
    """Return the text of the rules for the primary agent, which the shipped plugin brings."""
    from importlib.resources import files

    package = DEFAULT_TARGET.partition(".")[0]
    return (files(package) / "rules" / "AGENTS.md").read_text(encoding="utf-8")


def _install(place: Place, paths: Paths, rules: str, *, if_missing: str, dry_run: bool) -> Outcome:
    store = Store(paths.state)
    choice = if_missing or _configured(paths)
    wish = Wish(launcher_for(place, store, __version__, choice), rules=rules)
    outcome = install(place, store, wish, dry_run=dry_run)
    if not dry_run:
        prepare(paths)
    return outcome


def _uninstall(place: Place, paths: Paths, *, dry_run: bool) -> Outcome:
    outcome = uninstall(place, Store(paths.state), dry_run=dry_run)
    try:
        if not dry_run:
            unseal(paths)
    except LedgerError as error:
        text = f"{error}: until it can be written, the removed files count as changed"
        return outcome.replace(notes=(*outcome.notes, Note(text, loud=True)))
    return outcome


def _configured(paths: Paths) -> str:
    """Return what the user's file says that the launcher answers; '' where it says nothing."""
    from agguard.config.load import DEFAULT, load

    loaded = load(paths.config_file)
    said = loaded.origin["hooks.if_missing"].layer != DEFAULT
    return str(loaded.settings["hooks"]["if_missing"]) if said else ""


def prepare(paths: Paths) -> None:
    """Make what a hook would otherwise have to make: manifest and bytecode."""
    remember(paths)
    build(paths)
    seal(paths)
    _compile()


def accept(paths: Paths) -> None:
    """Take over the configuration that the operator has just changed, where there is a manifest.

    What became of the registration meanwhile is not accepted by that.
    """
    if os.path.exists(os.path.join(paths.state, NAME)):
        build(paths)
        seal_wishes(paths)


def _compile() -> None:
    """Compile both packages; hooks of another user may not be able to store bytecode."""
    import compileall
    from importlib.util import find_spec

    for package in ("agguard", DEFAULT_TARGET.partition(".")[0]):
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            if os.access(folder, os.W_OK):
                compileall.compile_dir(folder, quiet=2, workers=1)
