"""The mark that makes a function a hook implementation.

Marking does not import pluggy, so a third party's guard does not bring pluggy into the hook's
start-up; `agguard.plugins.manager` reads the mark when the manifest is built.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeVar, overload

    F = TypeVar("F", bound=Callable[..., Any])

else:

    def overload(function: F) -> F:
        """Stand in for `typing.overload`: importing typing costs 11 ms."""
        return function


MARK = "agguard_impl"
"""The attribute that a marked function carries: a dict of the options below."""


@overload
def hookimpl(function: F) -> F: ...  # noqa: D103 - the implementation below says it
@overload
def hookimpl(  # noqa: D103, F811 - `overload` is ours, see above
    *,
    specname: str = ...,
    tryfirst: bool = ...,
    trylast: bool = ...,
    on_error: Literal["record", "ask", "deny"] = ...,
) -> Callable[[F], F]: ...
def hookimpl(  # noqa: F811 - `overload` is ours, see above
    function: F | None = None,
    *,
    specname: str = "",
    tryfirst: bool = False,
    trylast: bool = False,
    on_error: str = "record",
) -> F | Callable[[F], F]:
    """Mark `function` as an implementation of the hook spec of the same name.

    Args:
        function: The implementation; it may take any subset of the spec's parameters.
        specname: The hook's name, where the function's own name differs from it.
        tryfirst: Be asked before unmarked implementations of other plugins.
        trylast: Be asked after them.
        on_error: What a fault of a `judge_tool` implementation counts as: `record` (it is
            recorded and left out), `ask` or `deny`. Other hooks ignore it.
    """
    options = {
        "specname": specname,
        "tryfirst": tryfirst,
        "trylast": trylast,
        "on_error": on_error,
    }

    def mark(implementation: F) -> F:
        setattr(implementation, MARK, options)
        return implementation

    return mark if function is None else mark(function)
