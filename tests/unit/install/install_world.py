"""A home with an awkward name to install into, for the tests of the installer."""

from __future__ import annotations

import os
from pathlib import Path

from agguard.install.addition import Wish
from agguard.install.examination import Examination, examine
from agguard.install.launcher import Launcher
from agguard.install.place import Place, of_project, of_user
from agguard.install.registration import Outcome, install, uninstall
from agguard.install.store import Store
from agguard.paths import resolve

FOREIGN = '{\n  "mine": {\n    "Stop": [{"command": "./mine.sh"}]\n  }\n}\n'


class World:
    """One user with a home, and what the installer makes of it."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.paths = resolve(str(home))
        self.store = Store(self.paths.state)
        self.place = of_user(self.paths, windows=False)
        self.config = Path(self.paths.host.config)
        self.hooks = self.config / "hooks.json"
        self.launcher = self.config / "agguard-hook"
        self.plugin = Path(self.paths.host.plugin)
        self.record = Path(self.store.folder) / "record.json"
        self.backups = Path(self.store.backups)

    def wish(self, site: str = "/site", version: str = "1.0", **more: str) -> Wish:
        """Ask for an environment that need not exist."""
        rules = more.pop("rules", "Delegate.")
        return Wish(Launcher(version, f"{site}/python", site, self.paths.state, **more), rules)

    def write(self, data: str | bytes) -> None:
        """Write a hooks file that was there before."""
        self.config.mkdir(parents=True, exist_ok=True)
        self.hooks.write_bytes(data if isinstance(data, bytes) else data.encode())

    def install(self, wish: Wish | None = None, *, dry_run: bool = False) -> Outcome:
        """Install for the user."""
        return install(self.place, self.store, wish or self.wish(), dry_run=dry_run)

    def uninstall(self, *, dry_run: bool = False) -> Outcome:
        """Take the user's installation out."""
        return uninstall(self.place, self.store, dry_run=dry_run)

    def examine(self) -> Examination:
        """Look at the user's installation."""
        return examine(self.place, self.store)

    def project(self, name: str = "project") -> Place:
        """Make a project to install into."""
        folder = self.home / name
        folder.mkdir(exist_ok=True)
        return of_project(str(folder), windows=False)

    def tree(self, *, state: bool = False) -> dict[str, bytes]:
        """Return all files and links below the home, without agguard's own unless asked for."""
        found = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if name.startswith(".local") and not state:
                continue
            if path.is_symlink():
                found[name] = b"-> " + os.fsencode(path.readlink())
            elif path.is_file():
                found[name] = path.read_bytes()
            else:
                found[name] = b"folder"
        return found


def loud(outcome: Outcome) -> str:
    """Return the notes that must not be overlooked."""
    return "\n".join(note.text for note in outcome.notes if note.loud)
