"""Our enumerations behave as the standard library's do."""

from __future__ import annotations

import copy
import enum
import operator
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.model.effect import Effect
from agguard.model.session import Role
from agguard.model.verdict import Decision

RealEffect = enum.IntFlag("RealEffect", {flag.name: flag.value for flag in Effect})
RealDecision = enum.IntEnum("RealDecision", {one.name: one.value for one in Decision})
RealRole = enum.StrEnum("RealRole", {one.name: one.value for one in Role})

PAIRS: list[tuple[Any, Any]] = [
    (Effect, RealEffect),
    (Decision, RealDecision),
    (Role, RealRole),
]
kinds = pytest.mark.parametrize(("ours", "real"), PAIRS, ids=["flag", "int", "str"])


@kinds
def test_a_kind_lists_its_members_in_order(ours: Any, real: Any) -> None:
    """Iteration, length and the mapping of names are the same."""
    assert [(one.name, one.value) for one in ours] == [(one.name, one.value) for one in real]
    assert len(ours) == len(real)
    assert list(ours.__members__) == list(real.__members__)


@kinds
def test_a_member_is_found_by_value_and_by_name(ours: Any, real: Any) -> None:
    """Both give the one object that the class attribute is."""
    for theirs in real:
        found = ours(theirs.value)
        assert found is ours[theirs.name]
        assert found is getattr(ours, theirs.name)
        assert found in ours
        assert type(found.value) is type(theirs.value)
        assert (str(found), f"{found}", hash(found)) == (str(theirs), f"{theirs}", hash(theirs))
        assert repr(found) == repr(theirs).replace("Real", "")


@kinds
@pytest.mark.parametrize("value", ["nonsense", None, 2.5, [], "READ"])
def test_what_is_no_member_is_refused(ours: Any, real: Any, value: object) -> None:
    """With the same kind of error, and the value in its text."""
    with pytest.raises(ValueError, match="is not a valid"):
        real(value)
    with pytest.raises(ValueError, match="is not a valid"):
        ours(value)
    with pytest.raises(KeyError):
        ours["nothing"]


@kinds
def test_a_member_survives_copies(ours: Any, real: Any) -> None:
    """Identity holds through pickle and deepcopy, for processes hand members to each other."""
    for one in ours:
        assert pickle.loads(pickle.dumps(one)) is one  # noqa: S301
        assert copy.deepcopy(one) is one


@given(st.integers(0, 255), st.integers(0, 255))
def test_flags_join_as_the_real_ones_do(one: int, other: int) -> None:
    """Every operator gives a flag of the same value, name and text."""
    for operate in (operator.or_, operator.and_, operator.xor):
        ours = operate(Effect(one), Effect(other))
        real = operate(RealEffect(one), RealEffect(other))
        mixed = operate(one, Effect(other))
        assert type(ours) is type(mixed) is Effect
        assert ours is mixed
        assert (int(ours), ours.name, bool(ours)) == (int(real), real.name, bool(real))
        assert ours.value == real.value
        assert [flag.name for flag in ours] == [flag.name for flag in real]
    assert int(~Effect(one)) == int(~RealEffect(one))
    assert (Effect(other) in Effect(one)) == (RealEffect(other) in RealEffect(one))
