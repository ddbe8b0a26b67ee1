"""Calls one implementation so that nothing it does reaches the others."""

from __future__ import annotations

import time

from agguard.dispatch.contract import checked
from agguard.dispatch.implementation import Answer, Implementation
from agguard.errors import PluginError
from agguard.model.verdict import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def call(implementation: Implementation, offered: Mapping[str, Any]) -> Answer:
    """Ask one implementation in this process; whatever it raises becomes a fault."""
    started = time.perf_counter_ns()
    value, fault = _attempt(implementation, offered)
    micros = (time.perf_counter_ns() - started) // 1000
    return Answer(implementation, value, fault, micros)


def fault(implementation: Implementation, kind: str, text: str) -> Fault:
    """Make the fault of an implementation."""
    return Fault(implementation.guard, implementation.hook, kind, text[:2000])


def _attempt(
    implementation: Implementation, offered: Mapping[str, Any]
) -> tuple[object, Fault | None]:
    stage = "import"
    try:
        function = implementation.resolve()
        stage = "exception"
        value = function(*implementation.pick(offered))
        stage = "garbage"
        return checked(implementation.hook, value), None
    except PluginError as error:
        return None, fault(implementation, stage, str(error))
    except SystemExit as error:
        return None, fault(implementation, "exit", f"raised SystemExit({_words(error.code)})")
    except Exception as error:  # noqa: BLE001 - the point of this module
        return None, fault(implementation, stage, f"{type(error).__name__}: {_words(error)}")
    except BaseException as error:  # noqa: BLE001 - Interrupted, KeyboardInterrupt, GeneratorExit
        kind = "deadline" if type(error).__name__ == "Interrupted" else "exit"
        return None, fault(implementation, kind, _interruption(kind, error))


def _interruption(kind: str, error: BaseException) -> str:
    return "took too long" if kind == "deadline" else f"raised {type(error).__name__}"


def _words(thing: object) -> str:
    """Return the text of a foreign object, whose `str` may itself raise."""
    try:
        return str(thing)
    except Exception:  # noqa: BLE001
        return f"a {type(thing).__name__} without a text"
