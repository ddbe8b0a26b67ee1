"""How a hook imports agguard: straight from where it lies.

The usual search costs more than the modules themselves: for each of some eighty it asks three
finders, looks at folders and tries five endings. What is read is the same bytecode, under the same
condition: it was made from the source that lies there, by its time and size (PEP 3147, PEP 552).
"""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads
from os import O_RDONLY, close, read, stat
from os import open as descriptor_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import stat_result
    from types import CodeType, ModuleType

PACKAGES = ("agguard", "agguard_builtin")
MOST = 1 << 16
"""Bytes; no module of ours has more bytecode."""
_PACKAGE = "/__init__.py"
_ENDING = f".{sys.implementation.cache_tag}.pyc"
_BY_TIME = MAGIC_NUMBER + bytes(4)


class Finder:
    """A finder that knows where its modules lie; of others it knows nothing."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - the protocol's signature
        target: ModuleType | None = None,  # noqa: ARG002 - as above
    ) -> ModuleSpec | None:
        """Return where a module lies, or None to let the other finders look for it."""
        for source in self._sources(name):
            if spec := _spec(name, source):
                return spec
        return None

    def _sources(self, name: str) -> Sequence[str]:
        """Return the files that a module may be, the likeliest first."""
        raise NotImplementedError


class Importer(Finder):
    """Finds agguard's own modules.

    Args:
        site: The folder that holds the packages.
    """

    def __init__(self, site: str) -> None:
        self._site = site

    def _sources(self, name: str) -> Sequence[str]:
        if name.partition(".")[0] not in PACKAGES:
            return ()
        base = f"{self._site}/{name.replace('.', '/')}"
        return f"{base}.py", f"{base}{_PACKAGE}"


class Located(Finder):
    """Finds modules that the manifest says where to find.

    Args:
        sources: A module's file by the module's full name.
    """

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._files = sources

    def _sources(self, name: str) -> Sequence[str]:
        source = self._files.get(name)
        return (source,) if source else ()

    def come_first(self) -> None:
        """Be asked before all other finders, in the place of an earlier one of this kind.

        A host that fires its hooks in one process would gather one with every tool call.
        """
        others = [one for one in sys.meta_path if not isinstance(one, Located)]
        sys.meta_path[:] = [self, *others]


def _spec(name: str, source: str) -> ModuleSpec | None:
    """Return the spec of a module or package whose file this is; None when there is no file."""
    try:
        status = stat(source)
    except OSError:
        return None
    folder, _, leaf = source.removesuffix(".py").rpartition("/")
    cached = f"{folder}/__pycache__/{leaf}{_ENDING}"
    spec = ModuleSpec(name, Loader(name, source, cached, status), origin=source)
    spec.has_location = True
    spec.cached = cached
    if leaf == "__init__":
        spec.submodule_search_locations = [folder]
    return spec


class Loader(SourceFileLoader):
    """Takes the bytecode that lies beside a source, if it was made from it.

    Args:
        name: The module's full name.
        path: Its source.
        cached: Where its bytecode should be.
        source: What the source is like now.
    """

    def __init__(self, name: str, path: str, cached: str, source: stat_result) -> None:
        super().__init__(name, path)
        self._cached = cached
        self._source = source

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the module's code; bytecode that is missing, old or of another kind is left."""
        made_from = _BY_TIME + _number(self._source.st_mtime) + _number(self._source.st_size)
        data = _contents(self._cached)
        if data[:16] != made_from or len(data) == MOST:
            return super().get_code(fullname)
        code: CodeType = loads(memoryview(data)[16:])  # noqa: S302 - what Python itself reads
        return code


def _contents(path: str) -> bytes:
    """Return a file's first bytes; `open` of io asks the system nine times for what takes three."""
    try:
        descriptor = descriptor_of(path, O_RDONLY)
    except OSError:
        return b""
    try:
        return read(descriptor, MOST)
    except OSError:
        return b""
    finally:
        close(descriptor)


def _number(value: float) -> bytes:
    return (int(value) & 0xFFFFFFFF).to_bytes(4, "little")
