"""The environment as a layer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config.declared import declared
from agguard.config.environment import in_agent_shell, layer_of_environment, variable
from agguard.config.schema import Schema
from unit.config.strategies import SCHEMA

TAKEN = [
    ("AGGUARD_PROFILE", "strict", "profile", "strict"),
    ("AGGUARD_DELEGATION_MODE", "read-only", "delegation.mode", "read-only"),
    ("AGGUARD_DELEGATION_MAX_DEPTH", "1", "delegation.max_depth", 1),
    ("AGGUARD_HOOKS_OBSERVE", "false", "hooks.observe", False),
    ("AGGUARD_TIERS_FLASH_LITE_ACCESS", "'read-only'", "tiers.flash_lite.access", "read-only"),
]


@pytest.mark.parametrize(("name", "raw", "key", "value"), TAKEN)
def test_a_variable_sets_its_setting(name: str, raw: str, key: str, value: Any) -> None:
    """`AGGUARD_<SECTION>_<KEY>`; the value is TOML or a bare word."""
    layer = layer_of_environment({name: raw}, SCHEMA)
    assert layer.values == {key: value}
    assert layer.problems == ()


WRONG = [
    ("AGGUARD_DELEGATION_MODE", "strct", 'did you mean "strict"?'),
    ("AGGUARD_DELEGATION_MOD", "off", "did you mean 'AGGUARD_DELEGATION_MODE'?"),
    ("AGGUARD_SHELL_READ", '["rm"]', "'shell.read' is a list; a variable can only hold a single"),
    ("AGGUARD_HOOKS_OBSERVE", "yes", 'is "yes", expected true or false'),
    ("AGGUARD_HOOKS_OBSERVE", "[", "is not a TOML value"),
    ("AGGUARD_RTK_PATH", "\udcff", "expected a string"),
]


@pytest.mark.parametrize(("name", "raw", "message"), WRONG)
def test_a_wrong_variable_is_a_problem_under_its_own_name(
    name: str, raw: str, message: str
) -> None:
    """And sets nothing."""
    layer = layer_of_environment({name: raw}, SCHEMA)
    assert layer.values == {}
    assert [problem.file for problem in layer.problems] == [name]
    assert message in layer.problems[0].text


@pytest.mark.parametrize("name", ["AGGUARD", "AGGUARD_TOKEN", "AGGUARD_HOME", "PATH", "agguard_x"])
def test_other_variables_are_left_alone(name: str) -> None:
    """They are not of a section."""
    layer = layer_of_environment({name: "x"}, SCHEMA)
    assert (layer.values, layer.problems) == ({}, ())


def test_a_plugins_settings_have_variables_too() -> None:
    """With a name that a shell accepts."""
    settings = {"mode": {"type": "bool", "default": True, "meaning": "m", "stricter": "true"}}
    schema = Schema(plugins={"my-guard": declared("my-guard", settings)})
    setting = schema.find(("plugins", "my-guard", "mode"))
    assert variable(setting) == "AGGUARD_PLUGINS_MY_GUARD_MODE"
    assert layer_of_environment({variable(setting): "true"}, schema).values == {
        "plugins.my-guard.mode": True
    }


@given(
    st.dictionaries(
        st.sampled_from([variable(setting) for setting in SCHEMA]) | st.text(max_size=5),
        st.text(max_size=8),
    )
)
def test_reading_the_environment_never_raises(environ: dict[str, str]) -> None:
    """Whatever it holds."""
    layer = layer_of_environment(environ, SCHEMA)
    for key, value in layer.values.items():
        assert SCHEMA.find(tuple(key.split("."))).fault(value) is None


@pytest.mark.parametrize(
    ("environ", "inside"),
    [
        ({"ANTIGRAVITY_AGENT": "1"}, True),
        ({"ANTIGRAVITY_TRAJECTORY_ID": "t"}, True),
        ({"ANTIGRAVITY_CONVERSATION_ID": "c"}, False),
        ({"ANTIGRAVITY_AGENT": ""}, False),
        ({}, False),
    ],
)
def test_an_agents_shell_is_known_by_the_hosts_variables(
    environ: dict[str, str], inside: bool
) -> None:
    """A hook's own environment always has the conversation's id (contract, section 2.2)."""
    assert in_agent_shell(environ) is inside
