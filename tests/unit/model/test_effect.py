"""Effects have a stated order of badness, and what is not known is the worst of them."""

from __future__ import annotations

from functools import reduce
from operator import or_

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.model.effect import WORK, Effect

ORDER = ["READ", "MESSAGE", "NETWORK", "DELEGATE", "WRITE", "EXECUTE", "CONTROL", "UNKNOWN"]

flags = st.sampled_from(list(Effect))
effects = st.lists(flags, max_size=8).map(lambda found: reduce(or_, found, Effect(0)))


def test_the_order_is_the_designs() -> None:
    """Read, message, network, delegate, write, execute, control, unknown."""
    assert [flag.name for flag in Effect] == ORDER
    assert list(Effect) == sorted(Effect)


@given(effects)
def test_the_worst_flag_is_the_highest_that_is_set(effect: Effect) -> None:
    """Of none at all it is UNKNOWN: nobody said anything."""
    expected = max((flag for flag in Effect if effect & flag), default=Effect.UNKNOWN)
    assert effect.worst == expected


@given(effects, effects)
def test_adding_flags_never_makes_it_milder(one: Effect, two: Effect) -> None:
    """Joined effects are at least as bad as each."""
    if one and two:
        assert (one | two).worst == max(one.worst, two.worst)
        assert not one.outranks(one | two)


@given(effects, effects, effects)
def test_outranking_is_a_strict_order(a: Effect, b: Effect, c: Effect) -> None:
    """Nothing outranks itself, and of two different effects one outranks the other."""
    assert not a.outranks(a)
    assert (a == b) or (a.outranks(b) != b.outranks(a))
    if a.outranks(b) and b.outranks(c):
        assert a.outranks(c)


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (Effect(0), ""),
        (Effect.READ, "read"),
        (Effect.WRITE | Effect.NETWORK, "network+write"),
        (Effect.UNKNOWN | Effect.READ | Effect.EXECUTE, "read+execute+unknown"),
    ],
)
def test_the_words_are_what_people_read(effect: Effect, words: str) -> None:
    """The worst comes last."""
    assert effect.words == words


@given(effects)
def test_the_words_name_every_flag(effect: Effect) -> None:
    """And only those."""
    named = {Effect[word.upper()] for word in effect.words.split("+") if word}
    assert named == {flag for flag in Effect if effect & flag}


def test_work_is_what_has_to_be_accounted_for() -> None:
    """It spawned, wrote or executed something; looking and speaking is none."""
    assert WORK == Effect.DELEGATE | Effect.WRITE | Effect.EXECUTE
    assert not WORK & (Effect.READ | Effect.MESSAGE | Effect.NETWORK)


@given(st.integers(min_value=0, max_value=255))
def test_every_number_of_the_ledger_is_an_effect(number: int) -> None:
    """It is stored as a number and comes back as it was."""
    assert int(Effect(number)) == number
