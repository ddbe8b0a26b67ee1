"""The schema as rows and as JSON Schema."""

from __future__ import annotations

import copy
import tomllib
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config.declared import declared
from agguard.config.document import parse
from agguard.config.export import json_schema, rows
from agguard.config.layer import layer_of_document
from agguard.config.literal import literal
from agguard.config.merge import nested
from agguard.config.schema import Schema
from unit.config.strategies import SCHEMA, layers

VALIDATOR = jsonschema.Draft202012Validator(json_schema(SCHEMA))


def test_it_is_a_valid_json_schema_that_accepts_the_defaults() -> None:
    """Draft 2020-12."""
    jsonschema.Draft202012Validator.check_schema(json_schema(SCHEMA))
    VALIDATOR.validate(nested(SCHEMA.defaults()))


def test_every_setting_has_a_row_and_a_property() -> None:
    """With default, meaning and what a project may do."""
    listed = {row["key"]: row for row in rows(SCHEMA)}
    assert listed.keys() == {setting.key for setting in SCHEMA}
    assert listed["delegation.mode"]["project"] == "may only move it towards 'strict'"
    assert listed["plugins.block"]["project"] == "may not set it"
    mode = json_schema(SCHEMA)["properties"]["delegation"]["properties"]["mode"]
    assert mode["default"] == "strict"
    assert mode["enum"] == ["off", "advise", "read-only", "strict"]


@given(layers())
def test_both_accept_what_fits(values: dict[str, Any]) -> None:
    """A file that is right for us is right in an editor."""
    tree = nested(values)
    VALIDATOR.validate(tree)
    assert ours(tree)


SPOILED = st.one_of(st.integers(-9, 99_999), st.text(max_size=3), st.booleans(), st.just([3]))


@given(layers(), st.sampled_from([setting.path for setting in SCHEMA]), SPOILED)
def test_both_refuse_what_does_not_fit(
    values: dict[str, Any], path: tuple[str, ...], value: Any
) -> None:
    """The library and our checker agree on any value of any key."""
    tree = copy.deepcopy(nested(values))
    table = tree
    for part in path[:-1]:
        table = table.setdefault(part, {})
    table[path[-1]] = value
    assert VALIDATOR.is_valid(tree) == ours(tree)


@pytest.mark.parametrize(
    "text", ["x = 1", "delegation.x = 1", "delegation = 1", "plugins.x = 1", "tiers.x.role = ''"]
)
def test_both_refuse_unknown_keys(text: str) -> None:
    """An editor underlines what `validate` reports."""
    assert not VALIDATOR.is_valid(tomllib.loads(text))
    assert parse(text.encode(), "f").problems == ()
    assert layer_of_document(parse(text.encode(), "f"), SCHEMA).problems


def test_a_plugins_settings_are_in_it() -> None:
    """Beside any table of plugins that are not known."""
    fields = {"type": "list", "default": [], "meaning": "names"}
    schema = json_schema(Schema(plugins={"tf": declared("tf", {"names": fields})}))
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"plugins": {"tf": {"names": ["a"]}, "other": {"x": 1}}})
    assert not validator.is_valid({"plugins": {"tf": {"names": "a"}}})


def ours(tree: dict[str, Any]) -> bool:
    return layer_of_document(parse(_toml(tree).encode(), "f"), SCHEMA).sound


def _toml(tree: dict[str, Any]) -> str:
    return "".join(f"{key} = {literal(value)}\n" for key, value in tree.items())
