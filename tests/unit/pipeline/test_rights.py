"""Rights only shrink on the way down: depth is a number that decreases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.model.call import Spawn
from agguard.model.session import Role, Session
from agguard.pipeline.rights import depth, granted

names = st.sampled_from(["self", "research", "DeepCoder", "DeepInvestigator", "*", "", "deepcoder"])
spawns = st.builds(
    lambda t, r, d, x: Spawn(0, t, r, role=x, remaining_depth=d),
    names,
    names,
    st.integers(min_value=0, max_value=9),
    st.sampled_from([Role.WORKER, Role.COORDINATOR, Role.PRIMARY]),
)
patterns = st.lists(st.sampled_from(["DeepCoder", "Deep*", "*", "self", ""]), max_size=3)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """Draw a session of any role, with any depth that the ledger could hold."""
    return Session(
        "c",
        draw(st.sampled_from(list(Role))),
        remaining_depth=draw(st.integers(min_value=0, max_value=5)),
        read_only=draw(st.booleans()),
        settings={
            "delegation": {
                "max_depth": draw(st.integers(min_value=0, max_value=5)),
                "coordinators": draw(patterns),
            }
        },
    )


@given(spawns, sessions())
def test_depth_strictly_decreases(spawn: Spawn, session: Session) -> None:
    """A child has less than its parent, and never less than nothing."""
    child = granted(spawn, session)
    assert 0 <= child.remaining_depth < max(depth(session), 1)


@given(spawns, sessions())
def test_a_child_is_a_coordinator_only_with_a_level_left(spawn: Spawn, session: Session) -> None:
    """Role and depth say the same, and no child is a primary."""
    child = granted(spawn, session)
    assert child.role in (Role.COORDINATOR, Role.WORKER)
    assert (child.role == Role.COORDINATOR) == (child.remaining_depth > 0)


@given(spawns, sessions())
def test_a_read_only_parent_has_read_only_children(spawn: Spawn, session: Session) -> None:
    """The tier is handed down as it is."""
    assert granted(spawn, session).read_only == session.read_only


@given(spawns, sessions())
def test_what_the_spawn_claims_about_itself_does_not_count(spawn: Spawn, session: Session) -> None:
    """Rights come from the parent and the configuration."""
    bare = spawn.replace(role=Role.WORKER, remaining_depth=0, read_only=False)
    assert granted(spawn, session) == granted(bare, session)


@given(sessions(), st.lists(spawns, min_size=6, max_size=6))
def test_every_chain_of_agents_ends(session: Session, chain: list[Spawn]) -> None:
    """After as many levels as the primary has, nobody may delegate."""
    levels = depth(session)
    for spawn in chain:
        child = granted(spawn, session)
        session = session.replace(
            role=child.role, remaining_depth=child.remaining_depth, read_only=child.read_only
        )
        levels -= 1
        assert depth(session) <= max(levels, 0)
    assert depth(session) == 0


@pytest.mark.parametrize(
    ("role", "remaining", "expected"),
    [
        (Role.PRIMARY, 0, 0),
        (Role.PRIMARY, 1, 1),
        (Role.PRIMARY, 9, 2),
        (Role.COORDINATOR, 1, 1),
        (Role.COORDINATOR, 9, 2),
        (Role.WORKER, 0, 0),
        (Role.WORKER, 5, 0),
        (Role.UNKNOWN, 0, 1),
        (Role.UNKNOWN, 5, 1),
    ],
)
def test_a_role_has_the_depth_that_it_was_given(role: Role, remaining: int, expected: int) -> None:
    """By its binding, never more than is configured; who is unknown may start workers."""
    assert depth(Session("c", role, remaining_depth=remaining)) == expected


@pytest.mark.parametrize(
    ("type_name", "agent_role", "pattern", "coordinates"),
    [
        ("DeepCoder", "", "DeepCoder", True),
        ("self", "DeepCoder", "DeepCoder", True),
        ("self", "deepcoder", "DeepCoder", False),
        ("self", "DeepCoder2", "DeepCoder", False),
        ("self", "DeepCoder2", "DeepCoder*", True),
        ("self", "executor", "DeepCoder", False),
        ("", "", "DeepCoder", False),
        ("self", "x[y]", "x[y]", False),
    ],
)
def test_coordinators_are_named_by_the_operator(
    type_name: str, agent_role: str, pattern: str, coordinates: bool
) -> None:
    """By type or by role, as a pattern whose letter case counts."""
    settings = {"delegation": {"coordinators": [pattern]}}
    session = Session("c", Role.PRIMARY, 2, settings=settings)
    child = granted(Spawn(0, type_name, agent_role), session)
    assert (child.role == Role.COORDINATOR) == coordinates


@pytest.mark.parametrize("value", [None, "two", 2.5, [2]])
def test_a_depth_that_is_no_number_is_the_default(value: object) -> None:
    """The configuration is checked elsewhere; nothing here trusts it."""
    session = Session("c", Role.PRIMARY, 9, settings={"delegation": {"max_depth": value}})
    assert depth(session) == 2
