"""The table of settings, the profiles, and how keys are looked up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config import strictness
from agguard.config.environment import variable
from agguard.config.keys import dotted, split
from agguard.config.lookup import lookup
from agguard.config.merge import based, nested
from agguard.config.profiles import PROFILES, named, whole
from agguard.config.schema import Schema
from agguard.config.setting import BOOL, CHOICE, FLOAT, FREE, INT, KINDS, LIST, Setting
from agguard.errors import ConfigError
from unit.config.strategies import SCHEMA, TEXT

KINDS_OF_DIRECTION = {
    strictness.ORDER: {CHOICE},
    strictness.TRUE: {BOOL},
    strictness.FALSE: {BOOL},
    strictness.LESS: {INT, FLOAT},
    strictness.MORE: {INT, FLOAT},
    strictness.GROW: {LIST},
    strictness.SHRINK: {LIST},
}


@pytest.mark.parametrize("setting", list(SCHEMA), ids=lambda setting: setting.key)
class TestEverySetting:
    def test_its_default_fits(self, setting: Setting) -> None:
        """A default that its own setting refuses could never be written down."""
        assert setting.fault(setting.initial) is None
        assert setting.normal(setting.initial) == setting.initial

    def test_it_is_documented_in_one_line(self, setting: Setting) -> None:
        """`config list` prints the meaning in one row."""
        assert 10 < len(setting.meaning) < 140
        assert "\n" not in setting.meaning
        assert not setting.meaning.endswith(".")

    def test_it_has_a_type_and_a_direction_that_go_together(self, setting: Setting) -> None:
        """`true` cannot be the stricter choice of a list."""
        assert setting.kind in KINDS
        assert setting.stricter in strictness.DIRECTIONS
        assert setting.kind in KINDS_OF_DIRECTION.get(setting.stricter, KINDS)

    def test_numbers_have_two_bounds_and_choices_at_least_two(self, setting: Setting) -> None:
        """An unbounded number would not fit the compiled settings."""
        if setting.kind in {INT, FLOAT}:
            assert setting.minimum < setting.maximum
        if setting.kind == CHOICE:
            assert len(set(setting.choices)) == len(setting.choices) > 1


def test_keys_and_variables_are_unique() -> None:
    """Two settings with one variable could not be told apart."""
    settings = list(SCHEMA)
    assert len({setting.key for setting in settings}) == len(settings)
    assert len({variable(setting) for setting in settings}) == len(settings)


def test_no_key_is_the_section_of_another() -> None:
    """`a` and `a.b` cannot both be settings."""
    assert not any(SCHEMA.is_section(setting.path) for setting in SCHEMA)


def test_the_compiled_defaults_are_plain_data_that_lookup_reads() -> None:
    """Hooks read them from the manifest, which is JSON."""
    compiled = json.loads(json.dumps(nested(SCHEMA.defaults())))
    for setting in SCHEMA:
        assert lookup(compiled, setting.key) == setting.initial
    assert lookup(compiled, "hooks")["observe"] is False


def test_lookup_of_an_unknown_key_is_a_mistake_of_the_caller() -> None:
    """Compiled settings are complete, so there is no default to fall back on."""
    with pytest.raises(KeyError):
        lookup(nested(SCHEMA.defaults()), "delegation.mod")


class TestProfiles:
    def test_the_choices_of_the_setting_are_the_profiles(self) -> None:
        """Each name that can be written down exists, and the default comes first."""
        setting = SCHEMA.find(("profile",))
        assert set(setting.choices) == {profile.name for profile in PROFILES}
        assert PROFILES[0].name == setting.default == "strict"

    @pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
    def test_each_changes_existing_settings_to_fitting_other_values(self, profile: Any) -> None:
        """A profile's entry that changes nothing would be a lie in its documentation."""
        for key, value in profile.flat.items():
            setting = SCHEMA.find(split(key))
            assert setting.fault(value) is None
            assert value != setting.initial

    def test_every_setting_that_a_profile_changes_has_a_direction(self) -> None:
        """Or a project could not ask for a stricter profile."""
        for key in whole("strict"):
            assert SCHEMA.find(split(key)).stricter in strictness.DIRECTED

    def test_each_is_a_different_set(self) -> None:
        """Four names for three sets would mislead."""
        results = [str(based(SCHEMA, {"profile": profile.name}).values) for profile in PROFILES]
        assert len(set(results)) == len(PROFILES)

    def test_strict_is_the_defaults(self) -> None:
        """The seeds describe the default."""
        assert based(SCHEMA, {"profile": "strict"}).values == SCHEMA.defaults()

    @pytest.mark.parametrize("name", ["none", 5, None, ["strict"]])
    def test_any_other_name_means_strict(self, name: str) -> None:
        """The safe answer where a profile's name is damaged."""
        assert named(name).name == "strict"


class TestPluginTables:
    def test_every_table_is_taken_while_no_plugin_is_known(self) -> None:
        """`plugins.block` must be readable before any plugin is imported."""
        assert Schema().find(("plugins", "anything")).kind == FREE

    def test_only_known_plugins_have_tables_afterwards(self) -> None:
        """A plugin that is not imported keeps its table as it is; one not installed has none."""
        schema = Schema(plugins={"blocked": None, "bare": ()})
        assert schema.find(("plugins", "blocked")).kind == FREE
        assert schema.find(("plugins", "bare")) is None
        assert schema.is_section(("plugins", "bare"))
        assert schema.find(("plugins", "missing")) is None
        assert not schema.is_section(("plugins", "missing"))

    def test_a_setting_of_the_section_is_not_a_plugin(self) -> None:
        """`plugins.block` is agguard's own."""
        assert not Schema().is_plugin(("plugins", "block"))
        assert Schema().is_plugin(("plugins", "terraform"))


SUGGESTIONS = [
    (("delegation", "mod"), "delegation.mode"),
    (("delegation", "max-depth"), "delegation.max_depth"),
    (("Delegation", "Mode"), "delegation.mode"),
    (("delegaton",), "delegation"),
    (("max_depth",), "delegation.max_depth"),
    (("attention", "worker_scope"), "delegation.worker_scope"),
    (("profil",), "profile"),
    (("zzz",), ""),
    (("delegation", "qqqqqqqqqqqq"), ""),
]


@pytest.mark.parametrize(("path", "meant"), SUGGESTIONS)
def test_an_unknown_key_is_answered_by_the_nearest_one(path: tuple[str, ...], meant: str) -> None:
    """Also when it stands in the wrong section; and by nothing when nothing is near."""
    assert SCHEMA.suggestion(path) == meant


class TestKeys:
    @given(st.lists(TEXT, min_size=1, max_size=4))
    def test_a_path_survives_being_written_down(self, path: tuple[str, ...]) -> None:
        """Whatever its parts hold: names of plugins come from files."""
        assert split(dotted(path)) == tuple(path)

    @pytest.mark.parametrize("key", ["", ".", "a.", ".a", "a..b", "a b", "a=1", '"a', "é"])
    def test_what_is_no_key_is_refused(self, key: str) -> None:
        """With the form that was expected."""
        with pytest.raises(ConfigError, match="expected a form such as"):
            split(key)
