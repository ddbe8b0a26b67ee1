"""Plugins whose rules the apps load, and whether each is switched on.

Nothing here could be measured: the SDK's engine loads no plugins (2.4). It follows the host's
documentation (hooks contract, section 6): `plugin.json` marks a plugin, a link is none, the
directory's name is the identity, `config.json` beats the manifest's `disabled`, and of two
plugins of one name the first counts: workspace, declared there, global, built in, declared
globally. Rules of built-in plugins are exempt from the budget.
"""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules import port
from agguard.rules.path import leaf, parent
from agguard.rules.rule import BUILTIN, PLUGIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from agguard.rules.port import Read
    from agguard.rules.product import Product
    from agguard.rules.registry import Entry, Place

    Fault = tuple[str, str]

MANIFESTS = ("plugin.json", ".antigravity-plugin/plugin.json", ".gemini-plugin/plugin.json")
DECLARED = "plugins.json"


class Plugin(Value):
    """One plugin directory."""

    path: str
    name: str
    """The manifest's `name`, else the directory's."""
    scope: str
    """PLUGIN or BUILTIN."""
    folder: str
    """The folder whose agents get it; the home for the user's and the built-in ones."""
    root: str
    """The repository root of a workspace's plugin, else empty."""
    state: str = ""
    """Why its rules are not loaded, a code of `agguard.rules.reason`; empty when they are."""

    @property
    def active(self) -> bool:
        """Whether its rules are loaded."""
        return not self.state


def plugins(
    chain: Iterable[tuple[str, str]],
    config_folders: tuple[str, ...],
    home: str,
    product: Product,
    read: Read,
) -> tuple[list[Plugin], list[Fault]]:
    """Return every plugin in the order in which the first of a name counts, and what is wrong.

    Args:
        chain: the folders of the session with their roots, nearest first.
        config_folders: names of the folders that hold `plugins/`.
        home: the user's home folder.
        product: tells where the built-in plugins lie.
        read: the port.
    """
    finder = _Finder(home, read)
    places = [
        (folder, root, f"{folder}/{name}") for folder, root in chain for name in config_folders
    ]
    for folder, root, config in places:
        finder.discover(f"{config}/plugins", PLUGIN, folder, root)
    for folder, root, config in places:
        finder.declared(f"{config}/{DECLARED}", folder, root)
    config = f"{home}/.gemini/config"
    finder.discover(f"{config}/plugins", PLUGIN, home, "")
    if product.app_data:
        finder.discover(f"{home}/.gemini/{product.app_data}/builtin/plugins", BUILTIN, home, "")
    finder.declared(f"{config}/{DECLARED}", home, "")
    return finder.found, finder.faults


class _Finder:
    def __init__(self, home: str, read: Read) -> None:
        self.read = read
        self.found: list[Plugin] = []
        self.faults: list[Fault] = []
        self.names: set[str] = set()
        self.paths: set[str] = set()
        self.switches = self._switches(f"{home}/.gemini/config/config.json")

    def discover(self, folder: str, scope: str, owner: str, root: str) -> None:
        """Add the plugins of a `plugins` folder."""
        for name in self.read.names(folder):
            path = f"{folder}/{name}"
            hidden = "plugin_linked" if self.read.linked(path) else ""
            self._add(path, scope, owner, root, hidden)

    def declared(self, path: str, owner: str, root: str) -> None:
        """Add the plugins that a `plugins.json` names: a plugin, or a folder of plugins."""
        if self.read.kind(path) != port.FILE:
            return
        from agguard.rules import registry

        document = self._document(path)
        try:
            _, entries = registry.entries(document)
        except ValueError as error:
            self.faults.append((path, f"ignored as a whole: {error}"))
            return
        start = registry.place(owner if root else parent(path), root)
        for entry in entries:
            for found in self._named(start, entry) if entry.path else ():
                self._add(found, PLUGIN, owner, root)

    def _named(self, start: Place, entry: Entry) -> Iterator[str]:
        path = start.located(entry.path, self.read)
        if self._manifest(path):
            yield path
            return
        for name in self.read.names(path):
            if entry.admits(name):
                yield f"{path}/{name}"

    def _add(self, path: str, scope: str, owner: str, root: str, hidden: str = "") -> None:
        manifest = self._manifest(path)
        if not manifest or path in self.paths:
            return
        self.paths.add(path)
        document = self._document(manifest)
        fields = document if isinstance(document, dict) else {}
        own = fields.get("name")
        name = own if isinstance(own, str) and own else leaf(path)
        state = hidden or self._state(path, name, disabled=fields.get("disabled") is True)
        if not hidden:
            self.names.add(name)
        self.found.append(Plugin(path, name, scope, owner, root, state))

    def _state(self, path: str, name: str, *, disabled: bool) -> str:
        if name in self.names:
            return "plugin_shadowed"
        enabled = self.switches.get(leaf(path), not disabled)
        return "" if enabled else "plugin_disabled"

    def _manifest(self, path: str) -> str:
        for name in MANIFESTS:
            if self.read.kind(f"{path}/{name}") == port.FILE:
                return f"{path}/{name}"
        return ""

    def _document(self, path: str, *, fold: bool = True) -> Any:  # noqa: ANN401 - any JSON
        from agguard.rules import jsonc

        try:
            return jsonc.parsed(self.read.data(path), fold=fold)
        except OSError as error:
            self.faults.append((path, error.strerror or "cannot be read"))
        except ValueError as error:
            self.faults.append((path, f"is not JSON: {error}"))
        return None

    def _switches(self, path: str) -> dict[str, bool]:
        """Return which plugins `config.json` switches on or off, by directory."""
        if self.read.kind(path) != port.FILE:
            return {}
        document = self._document(path, fold=False)  # the names of directories keep their case
        entries = document.get("plugins") if isinstance(document, dict) else None
        return {
            name: entry["enabled"]
            for name, entry in (entries.items() if isinstance(entries, dict) else ())
            if isinstance(entry, dict) and isinstance(entry.get("enabled"), bool)
        }
