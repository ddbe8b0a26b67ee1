"""One plugin's implementation of one hook, as the manifest names it."""

from __future__ import annotations

import sys

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agguard.model.verdict import Fault


class Implementation(Value):
    """Where a guard's function is, and how to treat it."""

    plugin: str
    hook: str
    target: str
    """`package.module:function`, or `package.module:object.method`."""
    arguments: tuple[str, ...]
    """The spec's parameters that the function takes, in its order."""
    on_error: str = "record"
    in_process: bool = False
    """Shipped with agguard, so it is asked in the hook's own process."""
    source: str = ""
    """The module's file, so that nobody has to look for it; empty when it is no plain file."""

    @property
    def guard(self) -> str:
        """How reasons name it: the plugin, and its part where a plugin has several."""
        name = self.target.rpartition(":")[2].rpartition(".")[2]
        return self.plugin if name == self.hook else f"{self.plugin}.{name}"

    @property
    def module(self) -> str:
        """The module's full name."""
        return self.target.partition(":")[0]

    def resolve(self) -> Callable[..., Any]:
        """Import the function.

        Raises:
            Exception: Whatever the plugin's module raises when it is imported.
        """
        module, _, path = self.target.partition(":")
        __import__(module)
        found: Any = sys.modules[module]
        for name in path.split("."):
            found = getattr(found, name)
        return found  # type: ignore[no-any-return] # a loaded module's attribute is Any

    def pick(self, offered: Mapping[str, Any]) -> list[Any]:
        """Pick the arguments that the function takes."""
        return [offered[name] for name in self.arguments]


class Answer(Value):
    """What came back: a value, nothing, or a fault."""

    implementation: Implementation
    value: Any = None
    fault: Fault | None = None
    micros: int = 0
    """How long it took, in microseconds, its import included."""
    slip: Fault | None = None
    """What it did wrong although it answered: it printed."""

    @property
    def plugin(self) -> str:
        """The name of the plugin that answered."""
        return self.implementation.plugin

    @property
    def guard(self) -> str:
        """How reasons name the guard that answered."""
        return self.implementation.guard
