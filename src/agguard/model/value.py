"""The base of all values: immutable, slotted, compared by content.

A dataclass costs 0.56 ms of import time each, because its methods are compiled when the class
is made; with some forty values that is half of a hook's budget. `Value` reads the same and has
nothing to compile. `dataclass_transform` tells type checkers that it behaves like one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_: object) -> Callable[[T], T]:
        """Stand in for `typing.dataclass_transform`: importing typing costs 11 ms."""
        return lambda cls: cls


@dataclass_transform(frozen_default=True)
class ValueType(type):
    """Turns the annotations of a class body into slots, and its assignments into defaults."""

    __fields__: tuple[str, ...]
    __defaults__: dict[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> ValueType:
        """Make the class; fields come in the order of the bases, then of the body."""
        own = tuple(namespace.get("__annotations__", ()))
        fields: tuple[str, ...] = ()
        defaults: dict[str, Any] = {}
        for base in reversed(bases):
            fields += getattr(base, "__fields__", ())
            defaults.update(getattr(base, "__defaults__", {}))
        defaults.update({field: namespace.pop(field) for field in own if field in namespace})
        namespace["__slots__"] = own
        namespace["__fields__"] = fields + own
        namespace["__defaults__"] = defaults
        return super().__new__(cls, name, bases, namespace)


class Value(metaclass=ValueType):
    """An immutable record whose fields are its annotations.

    Arguments are taken by position or by name, as in a dataclass. A field with a default may be
    left out; defaults must be immutable, for they are shared.
    """

    if TYPE_CHECKING:
        __fields__: ClassVar[tuple[str, ...]]
        __defaults__: ClassVar[dict[str, Any]]
    else:

        def __init__(self, *args: object, **kwargs: object) -> None:
            fields = self.__fields__
            if len(args) > len(fields):
                msg = f"{type(self).__name__} takes {len(fields)} fields, {len(args)} were given"
                raise TypeError(msg)
            given = dict(zip(fields, args, strict=False))
            for name in kwargs:
                if name in given or name not in fields:
                    what = "twice" if name in given else "unknown"
                    msg = f"{type(self).__name__}: field {name!r} is {what}"
                    raise TypeError(msg)
            given.update(kwargs)
            defaults = self.__defaults__
            put = object.__setattr__
            for name in fields:
                if name in given:
                    put(self, name, given[name])
                elif name in defaults:
                    put(self, name, defaults[name])
                else:
                    msg = f"{type(self).__name__}: field {name!r} is missing"
                    raise TypeError(msg)

    def __setattr__(self, name: str, value: object) -> None:
        msg = f"{type(self).__name__} is immutable; use replace({name}=...)"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        msg = f"{type(self).__name__} is immutable"
        raise AttributeError(msg)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__fields__)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self.__fields__)))

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__fields__)
        return f"{type(self).__name__}({inner})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__fields__)

    def replace(self, **changes: Any) -> Self:  # noqa: ANN401 - the fields' own types apply
        """Return a copy with some fields changed; an unknown field is a TypeError."""
        return type(self)(**{**self.asdict(), **changes})

    def asdict(self) -> dict[str, Any]:
        """Return the fields as a new dict, in order; nested values stay values."""
        return {name: getattr(self, name) for name in self.__fields__}
