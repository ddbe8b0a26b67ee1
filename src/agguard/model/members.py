"""Enumerations that behave as `enum`'s do, without its import.

`enum` brings functools, collections, operator and types: a seventh of all that a hook executes,
for three classes. Type checkers are shown the real ones, so every use is checked as usual; a test
compares the two.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import IntEnum, IntFlag, StrEnum
else:

    class MembersType(type):
        """Turns the numbers or words of a class body into its members."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            own = {
                key: value
                for key, value in body.items()
                if isinstance(value, (int, str)) and not key.startswith("_")
            }
            made = super().__new__(cls, name, bases, {k: body[k] for k in body if k not in own})
            made.__members__ = {key: made._made(value, key) for key, value in own.items()}
            made._found = {member.value: member for member in made.__members__.values()}
            for key, member in made.__members__.items():
                type.__setattr__(made, key, member)
            return made

        def __call__(cls, value: object) -> object:
            """Return the member of a value; a flag's value may join several."""
            try:
                return cls._found[value]
            except (KeyError, TypeError):
                return cls._missing(value)

        def __getitem__(cls, name: str) -> object:
            return cls.__members__[name]

        def __iter__(cls) -> Iterator[object]:
            return iter(cls.__members__.values())

        def __len__(cls) -> int:
            return len(cls.__members__)

        def __contains__(cls, value: object) -> bool:
            return isinstance(value, cls)

    class _Member:
        """What the members of all three kinds have in common."""

        __slots__ = ()

        @classmethod
        def _made(cls, value: object, name: str | None) -> object:
            member = cls._kind.__new__(cls, value)
            member.name = name
            return member

        @classmethod
        def _missing(cls, value: object) -> object:
            msg = f"{value!r} is not a valid {cls.__name__}"
            raise ValueError(msg)

        @property
        def value(self) -> object:
            return self._kind(self)

        def __repr__(self) -> str:
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

        def __reduce__(self) -> tuple[object, ...]:
            return type(self), (self.value,)

    class IntEnum(_Member, int, metaclass=MembersType):
        """`enum.IntEnum`."""

        _kind = int
        __str__ = int.__repr__

    class StrEnum(_Member, str, metaclass=MembersType):  # noqa: SLOT000 - members have names
        """`enum.StrEnum`."""

        _kind = str
        __str__ = str.__str__

    class IntFlag(_Member, int, metaclass=MembersType):
        """`enum.IntFlag`; what several flags make together is remembered."""

        _kind = int
        __str__ = int.__repr__

        @classmethod
        def _missing(cls, value: object) -> object:
            if not isinstance(value, int):
                return super()._missing(value)
            names = [flag.name for flag in cls if flag & value == flag] if value > 0 else []
            made = cls._found[int(value)] = cls._made(value, "|".join(names) or None)
            return made

        def __or__(self, other: int) -> object:
            return type(self)(int.__or__(self, other))

        def __and__(self, other: int) -> object:
            return type(self)(int.__and__(self, other))

        def __xor__(self, other: int) -> object:
            return type(self)(int.__xor__(self, other))

        def __invert__(self) -> object:
            return type(self)(sum(type(self)) & int.__invert__(self))

        __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

        def __contains__(self, other: int) -> bool:
            return int.__and__(self, other) == other

        def __iter__(self) -> Iterator[object]:
            return (flag for flag in type(self) if int.__and__(self, flag))


__all__ = ["IntEnum", "IntFlag", "StrEnum"]
