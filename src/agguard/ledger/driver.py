"""SQLite's driver, without what it imports in vain.

`sqlite3` wraps the C module `_sqlite3` in adapters for dates, which cost 6 % of a hook. And
`_sqlite3` asks functools for `lru_cache`, in which connections keep their statements. That is C as
well, but functools imports collections, operator, reprlib and types for the rest of what it has,
another 8 %. So the driver is handed that one function, if nobody has imported functools yet.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

NAME = "functools"


def load() -> ModuleType:
    """Return `_sqlite3`; functools is imported or not, as it was before."""
    if NAME not in sys.modules and "_sqlite3" not in sys.modules:
        try:
            return _with(_stand_in())
        except (ImportError, AttributeError):  # this Python's driver wants more of functools
            sys.modules.pop("_sqlite3", None)
    import _sqlite3

    return _sqlite3


def _with(stand_in: ModuleType) -> ModuleType:
    sys.modules[NAME] = stand_in
    try:
        import _sqlite3
    finally:
        del sys.modules[NAME]
    return _sqlite3


def _stand_in() -> ModuleType:
    """Return a module of functools' name with `lru_cache` alone, which is as it makes it."""
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found] # no stubs

    def lru_cache(size: int) -> Callable[[Callable[..., object]], object]:
        return lambda function: _lru_cache_wrapper(function, size, False, tuple)  # noqa: FBT003

    made = type(sys)(NAME)
    vars(made)["lru_cache"] = lru_cache
    return made
