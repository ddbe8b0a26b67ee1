"""Which rule files a session reads, and under which path each counts (2, 3)."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules import port
from agguard.rules.path import leaf, parent, under, uri
from agguard.rules.rule import DIRECTORY, GLOBAL, HOME, RULE, WORKSPACE, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agguard.rules.plugin import Plugin
    from agguard.rules.port import Read
    from agguard.rules.product import Product
    from agguard.rules.session import Session

REGISTRY = "rules.json"
CONFIG_FOLDERS = (".agents", ".agent", "_agents", "_agent")


class Left(Value):
    """A file that the walk met and does not take."""

    source: Source
    reason: str
    detail: str = ""


class Discovery(Value):
    """What the walk found, in no particular order."""

    kept: tuple[Source, ...]
    left: tuple[Left, ...]
    faults: tuple[tuple[str, str], ...] = ()
    """Registries and manifests with something wrong: path and what."""
    plugins: tuple[Plugin, ...] = ()


def discover(sessions: Iterable[Session], home: str, product: Product, read: Read) -> Discovery:
    """Walk the sessions' chains and the home.

    Args:
        sessions: the session's workspaces.
        home: the user's home folder, its links not resolved (contract, definitions).
        product: which names count and whether plugins are asked.
        read: the port; only the places of sections 1, 2 and 12 are looked at.
    """
    if not product.filenames:  # 11.6: no names, no rules at all
        return Discovery((), ())
    walk = _Walk(product, read)
    ordered = sorted(sessions, key=lambda each: uri(each.folder))  # 11.3
    walk.take_globals(home)
    walk.take(_by_uri(walk.rule_files(ordered)))
    walk.take(_by_uri(walk.home_rule_files(home)))
    walk.take(walk.directory_files(ordered))
    if product.plugins:
        walk.take_plugins(ordered, home)
    return Discovery(tuple(walk.kept), tuple(walk.left), tuple(walk.faults), tuple(walk.plugins))


def _by_uri(sources: Iterable[Source]) -> list[Source]:
    return sorted(sources, key=lambda source: source.uri)


class _Walk:
    """One discovery; remembers which files were seen, so that each counts once."""

    def __init__(self, product: Product, read: Read) -> None:
        self.product = product
        self.read = read
        self.kept: list[Source] = []
        self.left: list[Left] = []
        self.faults: list[tuple[str, str]] = []
        self.plugins: list[Plugin] = []
        self.seen: dict[str, str] = {}  # real path -> the path that is kept
        self.folders: dict[str, str] = {}  # folder -> its real path

    # -- taking --------------------------------------------------------------------------

    def take_globals(self, home: str) -> None:
        """Take the user's own rules, which have a set of seen files of their own (3.3)."""
        seen: dict[str, str] = {}
        for name in self.product.filenames:
            for folder in (f"{home}/.gemini/config", f"{home}/.gemini"):
                path = under(folder, name)
                self._take(Source(path, uri(path), GLOBAL, HOME, home), seen)

    def take(self, sources: Iterable[Source]) -> None:
        """Take rule files in the order in which the first of two links wins (3.2)."""
        for source in sources:
            self._take(source, self.seen)

    def _take(self, source: Source, seen: dict[str, str]) -> None:
        kind = self.read.kind(source.path)
        if kind != port.FILE:
            if kind != port.MISSING:
                self.left.append(Left(source, kind))
            return
        first = seen.setdefault(self.real(source.path), source.path)
        if first is source.path:
            self.kept.append(source)
        elif first != source.path:
            self.left.append(Left(source, "same_file", first))

    def real(self, path: str) -> str:
        """Return the real path of a file; a folder's is worked out once."""
        if self.read.linked(path):
            return self.read.real(path)
        folder = parent(path)
        if folder not in self.folders:
            self.folders[folder] = self.read.real(folder)
        return under(self.folders[folder], leaf(path))

    # -- finding -------------------------------------------------------------------------

    def rule_files(self, sessions: list[Session]) -> Iterator[Source]:
        """Yield the rule files of the workspaces (2.3, 2.6)."""
        for folder, root in self._chain(sessions):
            for name in CONFIG_FOLDERS:
                config = under(folder, name)
                for path, via in self._listed(folder, config, root):
                    yield self.source(path, WORKSPACE, folder, root, via)

    def home_rule_files(self, home: str) -> Iterator[Source]:
        """Yield the user's rule files; mentions in them stay (8)."""
        config = f"{home}/.gemini/config"
        for path, via in self._listed(config, config):
            yield self.source(path, HOME, home, "", via)

    def directory_files(self, sessions: list[Session]) -> Iterator[Source]:
        """Yield the directory rules: folder by folder upward, then their config folders (3.2)."""
        for places in (("",), CONFIG_FOLDERS):
            for folder, root in self._chain(sessions):
                for place in places:
                    holder = under(folder, place) if place else folder
                    for name in self.product.filenames:
                        path = under(holder, name)
                        yield Source(path, uri(path), DIRECTORY, WORKSPACE, folder, root)

    def take_plugins(self, sessions: list[Session], home: str) -> None:
        """Take the rules of enabled plugins, after all others."""
        from agguard.rules.plugin import plugins

        chain = list(self._chain(sessions))
        self.plugins, faults = plugins(chain, CONFIG_FOLDERS, home, self.product, self.read)
        self.faults += faults
        for plugin in self.plugins:
            rules = f"{plugin.path}/rules"
            for name in self.read.names(rules) if plugin.active else ():
                if name.endswith(".md"):
                    path = f"{rules}/{name}"
                    source = self.source(
                        path, plugin.scope, plugin.folder, plugin.root, plugin.path
                    )
                    self._take(source, self.seen)

    def source(self, path: str, scope: str, folder: str, root: str, via: str) -> Source:
        """Return a file of a rules folder; one with a directory rule's name is loaded so (2.5)."""
        kind = DIRECTORY if leaf(path) in self.product.filenames else RULE
        return Source(path, uri(path), kind, scope, folder, root, via)

    def _chain(self, sessions: list[Session]) -> Iterator[tuple[str, str]]:
        """Yield every folder from the sessions' own upward once, with its root."""
        seen: set[str] = set()
        for each in sessions:
            for folder in each.chain:
                if folder not in seen:
                    seen.add(folder)
                    yield folder, each.root

    def _listed(self, base: str, config: str, root: str = "") -> Iterator[tuple[str, str]]:
        """Yield the rule files of a config folder and of its registry."""
        rules = under(config, "rules")
        for name in self.read.names(rules):
            if name.endswith(".md"):
                yield f"{rules}/{name}", ""
        registry = under(config, REGISTRY)
        if self.read.kind(registry) == port.FILE:
            yield from self._registered(registry, base, root)

    def _registered(self, registry: str, base: str, root: str) -> Iterator[tuple[str, str]]:
        from agguard.rules.registry import listing, place

        registered = listing(registry, place(base, root), self.read)
        self.faults += registered.faults
        scope = WORKSPACE if root else HOME
        for path, via in registered.filtered:
            source = self.source(path, scope, base, "", via)
            self.left.append(Left(source, "registry_filter", via))
        yield from registered.found
