"""What counts as stricter: one row per setting, and the laws behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config import strictness
from agguard.config.keys import split
from agguard.config.merge import Merged, tightened
from agguard.config.profiles import PROFILES, whole
from unit.config.strategies import SCHEMA, layers, value_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.config.setting import Setting

# key, the user's value, a stricter one, a milder one
DIRECTED = [
    ("profile", "balanced", "strict", "adaptive"),
    ("hooks.observe", True, False, None),
    ("hooks.observe", False, None, True),
    ("hooks.rewrites", "chained", "single", None),
    ("hooks.rewrites", "single", None, "chained"),
    ("classify.trust", ["a", "b"], ["a"], ["a", "b", "c"]),
    ("delegation.mode", "read-only", "strict", "advise"),
    ("delegation.observe", True, False, None),
    ("delegation.observe", False, None, True),
    ("delegation.plan_files", ["a", "b"], [], ["a", "b", "**"]),
    ("delegation.unknown_role", "worker", "primary", None),
    ("delegation.unknown_role", "primary", None, "worker"),
    ("delegation.coordinators", ["a", "b"], ["b"], ["a", "b", "*"]),
    ("delegation.max_depth", 2, 1, 3),
    ("delegation.worker_scope", "any", "workspace", None),
    ("delegation.worker_scope", "workspace", None, "any"),
    ("delegation.flash_is_subagent", True, False, None),
    ("delegation.flash_is_subagent", False, None, True),
    ("injection.mode", "off", "on", None),
    ("injection.mode", "on", None, "off"),
    ("attention.mode", "off", "on", None),
    ("attention.mode", "on", None, "off"),
    ("attention.markers", ["a"], ["a", "b"], None),
    ("attention.max_rejections", 3, 4, 2),
    ("attention.after", 120, 0, 121),
    ("attention.artifacts", ["a"], ["a", "b"], None),
    ("protection.mode", "off", "on", None),
    ("protection.mode", "on", None, "off"),
    ("shell.read", ["a", "b"], ["a"], ["a", "b", "rm"]),
    ("shell.not_read", ["a"], ["a", "b"], None),
    ("mcp.read", ["a/b"], [], ["a/b", "*/*"]),
    ("mcp.write", ["a/b"], ["a/b", "c/d"], None),
    ("handoff.mode", "advise", "strict", "off"),
    ("escalation.mode", "advise", "enforce", "off"),
    ("escalation.halt_after", 3, 1, 4),
    ("tiers.pro.access", "full", "read-only", None),
    ("tiers.flash.access", "full", "read-only", None),
    ("tiers.flash_lite.access", "read-only", None, "full"),
]

# key, another value
TRUSTED = [
    ("delegation.message", "ask Ann"),
    ("rtk.mode", "off"),
    ("rtk.add", ["make"]),
    ("rtk.remove", ["git"]),
    ("injection.project_rules", "always"),
    ("injection.budget_tokens", 1),
    ("attention.refresh_tokens", 1),
    ("attention.remind_every", 1),
    ("tiers.default", "flash"),
    ("tiers.pro.role", "x"),
    ("tiers.pro.actions", "x"),
    ("tiers.flash.role", "x"),
    ("tiers.flash.actions", "x"),
    ("tiers.flash_lite.role", "x"),
    ("tiers.flash_lite.actions", "x"),
]
USER_ONLY = [
    ("hooks.deadline", 25.0),
    ("hooks.guard_deadline", 0.05),
    ("hooks.if_missing", "deny"),
    ("plugins.block", ["builtin"]),
    ("plugins.trust", ["all"]),
    ("plugins.order", ["x"]),
    ("rtk.path", "/tmp/rtk"),
    ("injection.rules", "/tmp/rules"),
    ("injection.template", "{rules}"),
    ("ledger.work_timeout", 1),
    ("ledger.keep_decisions", 1),
]


def merged(key: str, users: Any, wanted: Any, *, trusted: bool = False) -> Merged:
    base = SCHEMA.defaults() | {key: users}
    return tightened(SCHEMA, base, {key: wanted}, trusted=trusted)


def test_every_setting_has_a_row() -> None:
    """A new setting is not done before it is decided who may change it."""
    covered = {row[0] for table in (DIRECTED, TRUSTED, USER_ONLY) for row in table}
    assert covered == {setting.key for setting in SCHEMA}


@pytest.mark.parametrize(("key", "users", "stricter", "milder"), DIRECTED)
@pytest.mark.parametrize("trusted", [False, True])
def test_a_project_may_tighten_and_not_loosen(
    key: str, users: Any, stricter: Any, milder: Any, trusted: bool
) -> None:
    """Trust opens the settings without a direction; it loosens none that has one."""
    if stricter is not None:
        result = merged(key, users, stricter, trusted=trusted)
        assert result.values[key] == stricter
        assert key in result.taken
        assert result.refused == ()
    if milder is not None:
        result = merged(key, users, milder, trusted=trusted)
        assert result.values[key] == users
        assert key not in result.taken
        assert [name for name, _ in result.refused] == [key]


@pytest.mark.parametrize(("key", "value"), TRUSTED)
def test_a_setting_without_a_direction_is_taken_from_a_trusted_file_only(
    key: str, value: Any
) -> None:
    """The reason of the refusal says so."""
    default = SCHEMA.defaults()[key]
    refused = merged(key, default, value)
    assert refused.values[key] == default
    assert refused.refused == ((key, "may set it only in a file that the user trusts"),)
    assert merged(key, default, value, trusted=True).values[key] == value


@pytest.mark.parametrize(("key", "value"), USER_ONLY)
@pytest.mark.parametrize("trusted", [False, True])
def test_a_users_own_setting_is_never_taken_from_a_project(
    key: str, value: Any, trusted: bool
) -> None:
    """Not even from a trusted one: it could unload the guards or run its own program."""
    default = SCHEMA.defaults()[key]
    result = merged(key, default, value, trusted=trusted)
    assert result.values[key] == default
    assert result.refused == ((key, "may not set it"),)


def test_a_list_that_may_only_shrink_keeps_what_both_name() -> None:
    """And what the project adds is refused by name."""
    result = merged("shell.read", ["a", "b"], ["b", "rm"])
    assert result.values["shell.read"] == ["b"]
    assert [key for key, _ in result.refused] == ["shell.read"]


def test_a_list_that_may_only_grow_keeps_the_users_items_first() -> None:
    """A project adds; it cannot take away by leaving out."""
    result = merged("attention.markers", ["a"], ["b"])
    assert result.values["attention.markers"] == ["a", "b"]
    assert result.refused == ()


class TestProfileOfAProject:
    def test_a_stricter_profile_brings_its_values(self) -> None:
        """Below `balanced`, `strict` means the default of what `balanced` changes."""
        base = SCHEMA.defaults() | whole("balanced") | {"profile": "balanced"}
        result = tightened(SCHEMA, base, {"profile": "strict"})
        assert result.values["delegation.mode"] == "strict"
        assert result.values["delegation.plan_files"] == []
        assert result.values["profile"] == "strict"
        assert result.refused == ()

    def test_it_ends_observing(self) -> None:
        """`observe` enforces nothing, `strict` does."""
        base = SCHEMA.defaults() | whole("observe") | {"profile": "observe"}
        result = tightened(SCHEMA, base, {"profile": "strict"})
        assert result.values["hooks.observe"] is False

    def test_a_key_beside_it_has_the_last_word(self) -> None:
        """As in the user's file; a value that is not stricter than the user's changes nothing."""
        base = SCHEMA.defaults() | whole("adaptive") | {"profile": "adaptive"}
        wanted = {"profile": "strict", "delegation.mode": "read-only"}
        assert tightened(SCHEMA, base, wanted).values["delegation.mode"] == "read-only"

    def test_a_milder_profile_is_refused_and_brings_nothing(self) -> None:
        """Not even the values of it that would be stricter than other ones of the user."""
        base = SCHEMA.defaults() | {"delegation.mode": "off"}
        result = tightened(SCHEMA, base, {"profile": "balanced"})
        assert result.values == base
        assert [key for key, _ in result.refused] == ["profile"]


def not_milder(setting: Setting, new: Any, old: Any) -> bool:
    """Whether `new` is at least as strict as `old`; written apart from the code under test."""
    laws: dict[str, Callable[[], bool]] = {
        strictness.ORDER: lambda: setting.choices.index(new) >= setting.choices.index(old),
        strictness.TRUE: lambda: new or not old,
        strictness.FALSE: lambda: old or not new,
        strictness.LESS: lambda: new <= old,
        strictness.MORE: lambda: new >= old,
        strictness.GROW: lambda: set(new) >= set(old),
        strictness.SHRINK: lambda: set(new) <= set(old),
    }
    return laws.get(setting.stricter, lambda: new == old)()


@given(layers(), layers(), st.booleans())
def test_a_merge_never_weakens(users: Any, wanted: Any, trusted: bool) -> None:
    """Whatever a project says, and whether or not it is trusted."""
    base = SCHEMA.defaults() | users
    result = tightened(SCHEMA, base, wanted, trusted=trusted)
    assert result.values.keys() == base.keys()
    for setting in SCHEMA:
        new, old = result.values[setting.key], base[setting.key]
        if setting.stricter == strictness.TRUSTED and trusted:
            assert new == wanted.get(setting.key, old)
        else:
            assert not_milder(setting, new, old), setting.key
        assert setting.fault(new) is None
        assert (setting.key in result.taken) == (new != old)


@given(layers(), layers(), layers())
def test_the_order_of_two_projects_does_not_matter(
    users: Any, one: dict[str, Any], other: dict[str, Any]
) -> None:
    """Each only tightens, so the result is as strict whichever comes first."""
    for layer in (one, other):
        layer.pop("profile", None)  # what it brings depends on what it is compared with
    base = SCHEMA.defaults() | users
    first = tightened(SCHEMA, tightened(SCHEMA, base, one).values, other).values
    second = tightened(SCHEMA, tightened(SCHEMA, base, other).values, one).values
    for setting in SCHEMA:
        assert not_milder(setting, first[setting.key], second[setting.key])
        assert not_milder(setting, second[setting.key], first[setting.key])


@given(layers(), layers())
def test_tightening_twice_changes_nothing_more(users: Any, wanted: Any) -> None:
    """The same layer again finds everything as strict as it wants it."""
    once = tightened(SCHEMA, SCHEMA.defaults() | users, wanted)
    again = tightened(SCHEMA, once.values, wanted)
    assert again.values == once.values
    assert again.taken == frozenset()


@given(st.sampled_from(list(SCHEMA)).flatmap(lambda s: st.tuples(st.just(s), value_for(s))))
def test_asking_for_what_is_in_force_is_granted(pair: tuple[Setting, Any]) -> None:
    """A project that repeats the user's settings gets no complaint."""
    setting, value = pair
    if setting.key == "profile":
        return
    result = merged(setting.key, value, value)
    assert result.refused == ()
    assert result.taken == frozenset()


def test_profiles_grow_stricter_in_the_order_of_their_choices_where_they_decide_enforcement() -> (
    None
):
    """`observe` is the mildest: it enforces nothing at all."""
    order = SCHEMA.find(("profile",)).choices
    assert order[0] == "observe"
    mode = SCHEMA.find(split("delegation.mode"))
    strengths = [mode.choices.index(whole(name)["delegation.mode"]) for name in order[1:]]
    assert strengths == sorted(strengths)
    assert len(order) == len(PROFILES)
