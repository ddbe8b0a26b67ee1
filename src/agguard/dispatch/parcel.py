"""What guards are given, as bytes: to another process, and a copy for each guard.

`pickle` would do it, and takes 2 ms of a hook to import. `marshal` is built in, and knows numbers,
texts and plain containers; values and members of enumerations are told to it as tagged tuples.
"""

from __future__ import annotations

import marshal
import sys

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TUPLE, _MEMBER, _VALUE = range(3)


def pack(value: object) -> bytes:
    """Turn a value, its fields included, into bytes.

    Raises:
        ValueError: It holds something that is neither plain data, a `Value` nor an enumeration's
            member.
    """
    plain: Any = _plain(value)
    return marshal.dumps(plain)


def unpack(data: bytes) -> Any:  # noqa: ANN401 - whatever was packed
    """Make a new copy of what was packed."""
    return _whole(marshal.loads(data))  # noqa: S302 - the hook's own process has written it


def _plain(value: object) -> object:
    """Replace what `marshal` does not know; dicts and lists hold plain data, as JSON does."""
    kind: Any = type(value)
    if kind is tuple:
        return _TUPLE, *map(_plain, value)  # type: ignore[call-overload] # it is a tuple
    if isinstance(value, Value):
        fields = (_plain(getattr(value, name)) for name in kind.__fields__)
        return _VALUE, kind.__module__, kind.__name__, *fields
    if isinstance(value, (int, str)) and hasattr(kind, "__members__"):
        return _MEMBER, kind.__module__, kind.__name__, value.value  # type: ignore[union-attr]
    return value


def _whole(plain: object) -> object:
    if type(plain) is not tuple:
        return plain
    tag, *parts = plain
    if tag == _TUPLE:
        return tuple(map(_whole, parts))
    module, name, *fields = parts
    __import__(module)
    return getattr(sys.modules[module], name)(*map(_whole, fields))
