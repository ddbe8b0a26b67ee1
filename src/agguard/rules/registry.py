"""`rules.json`: rule files that a config folder names wherever they lie (12).

The host does not document it. What the contract leaves open (inherited registries, folders that
hold a file of their own name, the case of keys) was measured on 0.1.22: the paths of an
inherited registry start where its heir's do, unless it lies in another's config folder; each
registry is visited once, and the heir's filters apply to whatever an inherited one brings in.
"""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules import jsonc, port
from agguard.rules.path import clean, join, leaf, parent, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agguard.rules.port import Read


OWN_PLACE = (".agents", "_agents")
"""Config folders whose registries keep their own place when a stranger inherits them (seen)."""


class Entry(Value):
    """One entry of a registry."""

    path: str
    include_only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def admits(self, name: str) -> bool:
        """Whether the filters let a file of this name pass; `.md` may be left out (12.4)."""
        names = {name, name.removesuffix(".md")}
        wanted = not self.include_only or not names.isdisjoint(self.include_only)
        return wanted and names.isdisjoint(self.exclude)


class Place(Value):
    """Where the relative paths of a registry are looked for.

    The contract (12.2) has a `../x` looked for in the config folder; what the engine tries is
    `google3` below the folder that holds it, which comes to the same (measured).
    """

    folders: tuple[str, ...]
    """In this order; the first one holds the config folder, or is the home's own."""
    home: bool = False
    """Whether the user's own registry led here: then relative ones are not inherited."""

    def located(self, path: str, read: Read) -> str:
        """Return the absolute path that an entry means: the first that is there."""
        if path.startswith("/"):
            return clean(path)
        found = [join(folder, path) for folder in self.folders]
        return next((each for each in found if read.kind(each) != port.MISSING), found[0])


def place(base: str, root: str) -> Place:
    """Return the place of a registry of the workspace; without a root, of the home."""
    if not root:
        return Place((base,), home=True)
    return Place((base, f"{base}/google3", root, f"{root}/google3"))


class Listing(Value):
    """What the registries of one config folder bring in."""

    found: tuple[tuple[str, str], ...] = ()
    """Rule files, each with the registry that names it, in the order of the entries."""
    filtered: tuple[tuple[str, str], ...] = ()
    """Files that a filter leaves out, each with its registry."""
    faults: tuple[tuple[str, str], ...] = ()
    """Registries that are ignored or paths that lead nowhere, each with what is wrong."""


def listing(path: str, start: Place, read: Read) -> Listing:
    """Read a registry and those that it inherits from."""
    reader = _Reader(read)
    reader.visit(path, start, ())
    return Listing(tuple(reader.found), tuple(reader.filtered), tuple(reader.faults))


class _Reader:
    """Walks registries; every one is visited at most once, so a circle ends."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.visited: set[str] = set()
        self.found: list[tuple[str, str]] = []
        self.filtered: list[tuple[str, str]] = []
        self.faults: list[tuple[str, str]] = []

    def visit(self, path: str, start: Place, heirs: tuple[Entry, ...]) -> None:
        """Take what a registry names; `heirs` are the entries that led to it."""
        if path in self.visited:
            return
        self.visited.add(path)
        try:
            inherits, own = entries(jsonc.parsed(self.read.data(path)))
        except OSError as error:
            self.faults.append((path, error.strerror or "cannot be read"))
            return
        except ValueError as error:
            self.faults.append((path, f"ignored as a whole: {error}"))
            return
        for entry in inherits:
            self._inherit(path, entry, start, heirs)
        for entry in own:
            self._take(path, entry, start, heirs)

    def _inherit(self, registry: str, entry: Entry, start: Place, heirs: tuple[Entry, ...]) -> None:
        # The home's relative ones are not followed, wherever they are looked for (measured).
        usable = entry.path.startswith("/") or not start.home
        path = start.located(entry.path, self.read)
        if usable and path.endswith(".json") and self.read.kind(path) == port.FILE:
            self.visit(path, _start(path, start), (*heirs, entry))
        elif entry.path:
            self.faults.append((registry, f"inherits {entry.path!r}, which is not followed"))

    def _take(self, registry: str, entry: Entry, start: Place, heirs: tuple[Entry, ...]) -> None:
        if not entry.path:
            return
        path = start.located(entry.path, self.read)
        files = list(_files(path, entry, self.read))
        if not files:
            self.faults.append((registry, f"entry {entry.path!r} names no .md file or folder"))
        for found in files:
            admitted = all(each.admits(leaf(found)) for each in (entry, *heirs))
            (self.found if admitted else self.filtered).append((found, registry))


def _start(path: str, heir: Place) -> Place:
    """Return where an inherited registry's paths start: mostly where its heir's do."""
    config = parent(path)
    if leaf(config) not in OWN_PLACE or within(path, heir.folders[0]):
        return heir
    base = parent(config)
    return Place((base,), home=True) if heir.home else Place((base, f"{base}/google3"))


def _files(path: str, entry: Entry, read: Read) -> Iterator[str]:
    """Yield the rule files that an entry's path names (12.3), before the filters."""
    kind = read.kind(path)
    if kind == port.FILE and path.endswith(".md"):
        yield path
    elif kind == port.FOLDER:
        own = f"{path}/{leaf(path)}.md"
        if not entry.include_only and read.kind(own) != port.MISSING:
            yield own
            return
        yield from (f"{path}/{name}" for name in read.names(path) if name.endswith(".md"))


def entries(document: Any) -> tuple[list[Entry], list[Entry]]:  # noqa: ANN401 - any JSON
    """Return what a registry inherits and its entries; ValueError on any wrong type (12.1)."""
    if document is None:
        return [], []
    if not isinstance(document, dict):
        msg = "the root must be an object"
        raise ValueError(msg)  # noqa: TRY004 - one error for every malformed registry
    inherits, entries = (
        [_entry(item) for item in _list(document.get(key), key)] for key in ("inherits", "entries")
    )
    return inherits, entries


def _entry(item: Any) -> Entry:  # noqa: ANN401 - any JSON
    if item is None:
        return Entry("")
    if not isinstance(item, dict):
        msg = "an entry must be an object"
        raise ValueError(msg)  # noqa: TRY004 - see entries
    names = (
        tuple(_text(name, key) for name in _list(item.get(key), key))
        for key in ("include_only", "exclude")
    )
    return Entry(_text(item.get("path"), "path"), *names)


def _list(value: Any, key: str) -> list[Any]:  # noqa: ANN401 - any JSON
    if value is None:
        return []
    if not isinstance(value, list):
        msg = f"{key!r} must be a list"
        raise ValueError(msg)  # noqa: TRY004 - see entries
    return value


def _text(value: Any, key: str) -> str:  # noqa: ANN401 - any JSON
    if value is None:
        return ""
    if not isinstance(value, str):
        msg = f"{key!r} must hold text"
        raise ValueError(msg)  # noqa: TRY004 - see entries
    return value
