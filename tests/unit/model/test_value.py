"""`Value` behaves like a frozen, slotted dataclass, without the price of one."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.model.value import Value


class Point(Value):
    """An example."""

    x: int
    y: int = 0

    @property
    def total(self) -> int:
        return self.x + self.y


class Named(Point):
    """An example that adds a field to its base's."""

    name: str = ""


class Whole(Value):
    """An example without defaults."""

    a: object
    b: object


class Empty(Value):
    """An example without fields."""


values = st.integers() | st.text(max_size=5) | st.none() | st.tuples(st.integers())


def test_fields_come_by_position_and_by_name() -> None:
    """In the order of the class body, defaults where nothing is given."""
    assert Point(1, 2) == Point(x=1, y=2) == Point(1, y=2)
    assert Point(1).y == 0
    assert Point(1, 2).total == 3


def test_a_subclass_has_the_fields_of_its_base_first() -> None:
    """With their defaults."""
    found = Named(1, 2, "n")
    assert (found.x, found.y, found.name) == (1, 2, "n")
    assert Named(1).asdict() == {"x": 1, "y": 0, "name": ""}
    assert isinstance(found, Point)


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((), {}, "'x' is missing"),
        ((1, 2, 3), {}, "takes 2 fields, 3 were given"),
        ((1,), {"x": 2}, "'x' is twice"),
        ((1,), {"z": 2}, "'z' is unknown"),
        ((1,), {"total": 2}, "'total' is unknown"),
    ],
)
def test_wrong_arguments_are_named(
    args: tuple[int, ...], kwargs: dict[str, int], words: str
) -> None:
    """The message holds the class and the field."""
    with pytest.raises(TypeError, match=f"Point.*{words}"):
        Point(*args, **kwargs)


def test_nothing_can_be_changed() -> None:
    """Not a field, not a new attribute; the message says what to do."""
    found = Point(1)
    with pytest.raises(AttributeError, match=r"use replace\(x=...\)"):
        found.x = 2
    with pytest.raises(AttributeError):
        found.z = 2
    with pytest.raises(AttributeError):
        del found.x
    assert found == Point(1)
    assert not hasattr(found, "__dict__")


def test_replace_changes_a_copy() -> None:
    """And checks its fields, as the constructor does."""
    found = Named(1, 2, "n")
    assert found.replace(y=5) == Named(1, 5, "n")
    assert found == Named(1, 2, "n")
    with pytest.raises(TypeError, match="'z' is unknown"):
        found.replace(z=1)


def test_values_of_different_classes_are_different() -> None:
    """Even with the same fields; and of other types, always."""
    assert Point(1, 2) != Named(1, 2)
    assert Point(1, 2) != (1, 2)
    assert Empty() == Empty()
    assert Empty() != Point(1)


@given(values, values, values, values)
def test_equality_is_by_content_and_goes_with_the_hash(
    a: object, b: object, c: object, d: object
) -> None:
    """Equal values are one in a set."""
    one, two = Whole(a, b), Whole(c, d)
    assert (one == two) == ((a, b) == (c, d))
    if one == two:
        assert hash(one) == hash(two)
        assert len({one, two}) == 1


def test_a_value_that_holds_a_list_has_no_hash() -> None:
    """It says so as a tuple would."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(Whole([], 1))


@given(values, values)
def test_a_value_survives_copying_and_pickling(a: object, b: object) -> None:
    """Third-party guards get theirs from another process."""
    found = Whole(a, b)
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - our own bytes
    assert copy.copy(found) == found
    assert copy.deepcopy(found) == found


@given(values, values)
def test_asdict_gives_the_fields_in_order(a: object, b: object) -> None:
    """A new dict, from which the value can be made again."""
    found = Whole(a, b)
    assert list(found.asdict()) == ["a", "b"]
    assert Whole(**found.asdict()) == found
    found.asdict()["a"] = "changed"
    assert found == Whole(a, b)


def test_the_repr_can_be_read_and_evaluated() -> None:
    """As a dataclass's."""
    found = Named(1, 2, "it's")
    assert repr(found) == """Named(x=1, y=2, name="it's")"""
    assert eval(repr(found)) == found  # noqa: S307 - our own text
    assert repr(Empty()) == "Empty()"


def test_a_match_statement_takes_it_apart_by_name() -> None:
    """Attribute patterns work."""
    match Point(1, 2):
        case Point(x=1, y=y):
            assert y == 2
        case _:
            pytest.fail("the pattern does not match")
