"""Settings that plugins declare."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config.declared import declared, written
from agguard.errors import PluginError

GOOD = {"type": "choice", "choices": ["warn", "block"], "default": "block", "meaning": "what"}


def test_a_declaration_becomes_a_setting_below_the_plugins_table() -> None:
    """Open to projects that the user pinned, and to no other unless it says so."""
    (setting,) = declared("tf", {"mode": GOOD})
    assert setting.key == "plugins.tf.mode"
    assert setting.stricter == "trusted"
    assert setting.initial == "block"


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "list", "default": ["a"], "meaning": "m", "stricter": "grow"},
        {"type": "table", "default": {"a": "b"}, "meaning": "m"},
        {"type": "int", "default": 5, "meaning": "m", "minimum": 1, "maximum": 9, "unit": "s"},
        {"type": "float", "default": 5, "meaning": "m", "stricter": "less"},
        {"type": "bool", "default": False, "meaning": "m", "stricter": "trusted"},
        {"type": "string", "default": "", "meaning": "m"},
        {**GOOD, "stricter": "order"},
    ],
)
def test_every_type_can_be_declared(fields: Any) -> None:
    """With a default that fits."""
    (setting,) = declared("tf", {"a.b": fields})
    assert setting.path == ("plugins", "tf", "a", "b")
    assert setting.fault(setting.initial) is None
    assert setting.initial == fields["default"]
    plain = json.loads(json.dumps(written((setting,))))
    assert declared("tf", plain) == (setting,)


BAD = [
    ({**GOOD, "default": "no"}, "the default does not fit"),
    ({**GOOD, "type": "enum"}, "type is 'enum', expected one of bool, int"),
    ({**GOOD, "stricter": "grow"}, "which a setting of type choice cannot be"),
    ({**GOOD, "stricter": "up"}, "stricter is 'up', expected one of"),
    ({**GOOD, "coices": []}, "field 'coices' is unknown or missing"),
    ({"type": "bool", "default": True}, "field 'meaning' is unknown or missing"),
    ({**GOOD, "choices": 5}, "not iterable"),
    ({**GOOD, "choices": ["warn", "block", 5]}, "expected strings"),
    ({"type": "bool", "default": True, "meaning": "m", "maximum": "9"}, "expected numbers"),
    ({"type": "int", "default": 5, "meaning": "m", "minimum": "1"}, "expected numbers"),
    ({"type": "list", "default": 5, "meaning": "m"}, "the default does not fit"),
    ({"type": ["int"], "default": 5, "meaning": "m"}, "type is"),
    (None, "not declared correctly"),
]


@pytest.mark.parametrize(("fields", "message"), BAD)
def test_a_wrong_declaration_is_the_plugins_fault_by_name(fields: Any, message: str) -> None:
    """With the setting and what was expected."""
    with pytest.raises(PluginError, match="plugin 'tf': setting 'mode'") as caught:
        declared("tf", {"mode": fields})
    assert message in str(caught.value)


@given(st.text(max_size=3), st.text(max_size=3))
def test_any_name_is_declared_or_refused(plugin: str, key: str) -> None:
    """Names come from entry points and from plugins' code."""
    try:
        (setting,) = declared(plugin, {key: GOOD})
    except PluginError:
        return
    assert setting.path[:2] == ("plugins", plugin)


@pytest.mark.parametrize("name", ["block", "trust", "order"])
def test_a_plugin_cannot_take_the_name_of_a_setting(name: str) -> None:
    """`[plugins] block` is a list."""
    with pytest.raises(PluginError, match="has a setting of that name"):
        declared(name, {"mode": GOOD})
