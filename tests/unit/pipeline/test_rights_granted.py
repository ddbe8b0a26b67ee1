"""What a subagent may do never exceeds what its parent may."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agguard.model.call import Spawn
from agguard.model.session import Role, Session
from agguard.pipeline.rights import depth, granted

names = st.sampled_from(["DeepCoder", "DeepInvestigator", "self", "lead", "", "*", "Deep*"])
sessions = st.builds(
    Session,
    st.just("c"),
    st.sampled_from(list(Role)),
    st.integers(0, 5),
    st.booleans(),
    settings=st.fixed_dictionaries(
        {
            "delegation": st.fixed_dictionaries(
                {"max_depth": st.integers(0, 5), "coordinators": st.lists(names)},
                optional={"unknown_role": st.sampled_from(["primary", "worker"])},
            ),
            "tiers": st.fixed_dictionaries(
                {
                    "default": st.sampled_from(["none", "inherit", "flash_lite"]),
                    "flash_lite": st.just({"access": "read-only"}),
                    "pro": st.just({"access": "full"}),
                }
            ),
        }
    ),
)
spawns = st.builds(
    Spawn, st.just(0), names, names, model=st.sampled_from(["", "pro", "flash_lite", "inherit"])
)


@given(spawns, sessions)
def test_a_child_has_less_depth_and_no_higher_tier(spawn: Spawn, session: Session) -> None:
    """Strictly less, whatever is configured; a worker has none."""
    child = granted(spawn, session)
    assert child.remaining_depth < max(depth(session), 1)
    assert child.read_only >= session.read_only
    assert (child.role == Role.COORDINATOR) == (child.remaining_depth > 0)


@given(sessions)
def test_nobody_has_more_depth_than_configured_or_stored(session: Session) -> None:
    """A worker has none; an unknown caller starts workers at the most, or nobody."""
    found = depth(session)
    settings = session.section("delegation")
    assert found <= settings["max_depth"]
    if session.role == Role.UNKNOWN:
        assert found <= (settings.get("unknown_role") != "worker")
    else:
        assert found <= session.remaining_depth * (session.role != Role.WORKER)


@given(spawns, sessions)
def test_the_reading_tier_is_given_to_who_asks_for_it(spawn: Spawn, session: Session) -> None:
    """By name, or by the default where no tier is named."""
    tier = spawn.model or session.section("tiers")["default"]
    assert granted(spawn, session).read_only == (session.read_only or tier == "flash_lite")
