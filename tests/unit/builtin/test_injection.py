"""The injection guard: the token first, the role's rules last, and neither of them twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.model import token
from agguard.model.call import Spawn
from agguard.model.contribution import Addition
from agguard.model.session import Role, Session
from agguard_builtin.injection.guard import augment

TOKEN = token.fresh()
SPAWN = Spawn(0, prompt="Work.", token=TOKEN, role=Role.WORKER)


def added(spawn: Spawn, **settings: object) -> Addition:
    found = augment(spawn, Session("c", Role.PRIMARY, settings={"injection": settings}))
    assert found is not None
    return found


def whole(spawn: Spawn) -> str:
    """Return the prompt as the pipeline puts it together."""
    found = added(spawn)
    return "\n\n".join(part for part in (found.before, spawn.prompt, found.after) if part)


def test_the_token_stands_before_and_the_rules_behind() -> None:
    """A child is known by how its prompt begins."""
    prompt = whole(SPAWN)
    assert token.opening(prompt) == TOKEN
    assert prompt.index("Work.") < prompt.index('<agguard_rules role="executor">')
    assert prompt.endswith("</agguard_rules>")


@pytest.mark.parametrize(
    ("role", "words", "others"),
    [
        (Role.WORKER, 'role="executor"', "coordinator"),
        (Role.COORDINATOR, 'role="coordinator"', 'role="executor"'),
    ],
)
def test_each_role_gets_its_own_rules(role: Role, words: str, others: str) -> None:
    """And not the other one's."""
    after = added(SPAWN.replace(role=role)).after
    assert words in after
    assert others not in after


@pytest.mark.parametrize("role", [Role.WORKER, Role.COORDINATOR])
def test_nothing_is_added_twice(role: Role) -> None:
    """A prompt that holds it already, for the host asked a second time, stays as it is."""
    spawn = SPAWN.replace(role=role)
    again = added(spawn.replace(prompt=whole(spawn)))
    assert again == Addition()


def test_another_token_in_the_prompt_is_not_this_ones() -> None:
    """A prompt that was passed on keeps its own words behind the right token."""
    passed_on = f"{token.line(token.fresh())}\n\nWork."
    assert token.opening(whole(SPAWN.replace(prompt=passed_on))) == TOKEN


def test_the_token_further_down_does_not_count() -> None:
    """Only how the prompt begins does."""
    spawn = SPAWN.replace(prompt=f"See {token.line(TOKEN)}")
    assert token.opening(whole(spawn)) == TOKEN


def test_it_can_be_switched_off() -> None:
    """`[injection] mode = "off"` leaves prompts as they are."""
    settings = {"injection": {"mode": "off"}}
    assert augment(SPAWN, Session("c", Role.PRIMARY, settings=settings)) is None


@given(st.text())
def test_the_task_is_never_changed(prompt: str) -> None:
    """Whatever the parent wrote is in the prompt whole, and the token opens it."""
    found = whole(SPAWN.replace(prompt=prompt))
    assert prompt in found
    assert token.opening(found) == TOKEN


@given(st.text(), st.integers(min_value=1, max_value=3))
def test_adding_again_changes_nothing(prompt: str, times: int) -> None:
    """However often the host asks."""
    once = whole(SPAWN.replace(prompt=prompt))
    found = once
    for _ in range(times):
        found = whole(SPAWN.replace(prompt=found))
    assert found == once


def test_rules_are_short_enough_to_be_read() -> None:
    """They cost every child context: well under a thousand tokens."""
    for role in (Role.WORKER, Role.COORDINATOR):
        assert 0 < len(added(SPAWN.replace(role=role)).after) < 4000
