"""Whether a value fits a setting, and what the message says when it does not."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config.keys import split
from agguard.config.setting import FREE, MOST_CHARACTERS, MOST_ITEMS, TABLE, Setting
from agguard.config.strictness import USER
from unit.config.strategies import SCHEMA, pairs

FITS = [
    ("hooks.observe", True, True),
    ("hooks.deadline", 5, 5.0),
    ("hooks.deadline", 0.5, 0.5),
    ("attention.after", 0, 0),
    ("delegation.mode", "read-only", "read-only"),
    ("delegation.message", "", ""),
    ("delegation.message", "x" * MOST_CHARACTERS, "x" * MOST_CHARACTERS),
    ("plugins.trust", "all", ["all"]),
    ("plugins.trust", ["a", "a"], ["a", "a"]),
    ("shell.read", [], []),
]

DOES_NOT_FIT = [
    ("hooks.observe", 1, "is 1, expected true or false"),
    ("hooks.observe", "true", 'is "true", expected true or false'),
    ("hooks.deadline", True, "is true, expected a number of seconds from 0.5 to 25"),
    ("hooks.deadline", math.nan, "is nan, expected a number"),
    ("hooks.deadline", math.inf, "is inf, expected a number"),
    ("hooks.deadline", 26, "is 26, expected a number of seconds from 0.5 to 25"),
    ("attention.after", 1.0, "is 1.0, expected a whole number of seconds from 0 to 86400"),
    ("attention.after", -1, "is -1, expected"),
    ("delegation.mode", "Strict", 'is "Strict", expected one of "off", "advise"'),
    ("delegation.mode", "strct", 'did you mean "strict"?'),
    ("delegation.mode", True, "is true, expected one of"),
    ("delegation.message", "x" * (MOST_CHARACTERS + 1), "expected a string of at most 4000"),
    ("delegation.message", "\ud800", "expected a string"),
    ("delegation.message", dt.date(2026, 1, 1), "is a date or time"),
    ("plugins.block", "terraform", 'is "terraform", expected a list of at most 1000 strings'),
    ("plugins.trust", "some", 'or "all"'),
    ("plugins.trust", {}, "is a table, expected a list"),
    ("shell.read", ["a", 3], "'shell.read[1]' is 3, expected a string that is not empty"),
    ("shell.read", [""], "'shell.read[0]' is \"\", expected a string that is not empty"),
    ("shell.read", [["a"]], "'shell.read[0]' is a list"),
    ("shell.read", ["a"] * (MOST_ITEMS + 1), "has 1001 items"),
]


@pytest.mark.parametrize(("key", "value", "compiled"), FITS)
def test_a_fitting_value_is_taken_in_its_compiled_form(key: str, value: Any, compiled: Any) -> None:
    """Whole numbers become floats where a float is meant, a lone word a list."""
    setting = SCHEMA.find(split(key))
    assert setting.fault(value) is None
    normal = setting.normal(value)
    assert normal == compiled
    assert type(normal) is type(compiled)


@pytest.mark.parametrize(("key", "value", "message"), DOES_NOT_FIT)
def test_any_other_value_is_answered_by_what_was_expected(
    key: str, value: Any, message: str
) -> None:
    """The message names the key, shows the value and says what fits."""
    fault = SCHEMA.find(split(key)).fault(value)
    assert fault is not None
    assert message in fault.message
    assert key in fault.message
    assert not fault.message.endswith(".")


def test_a_number_too_long_to_print_is_named_so() -> None:
    """Python refuses to print more than 4300 digits; a hexadecimal number can have them."""
    message = SCHEMA.find(split("attention.after")).fault(16**5000).message
    assert message.startswith("'attention.after' is a huge number, expected")


def test_a_fault_inside_a_list_says_which_item() -> None:
    """So that its own line and column can be shown."""
    assert SCHEMA.find(("shell", "read")).fault(["a", 3]).below == (1,)


def test_a_table_holds_strings_only() -> None:
    """Tables of strings are for plugins."""
    setting = Setting("plugins.p.map", TABLE, (("a", "b"),), "a table for the test", USER)
    assert setting.initial == {"a": "b"}
    assert setting.fault({"x": "y"}) is None
    assert setting.fault({"x": 1}).below == ("x",)
    assert setting.fault(["x"]).below == ()


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"a": [1, {"b": 0.5}], "c": True}, True),
        ({}, True),
        ({"a": math.inf}, False),
        ({"a": [2**70]}, False),
        ({"a": dt.date(2026, 1, 1)}, False),
        ({"a": "\udc80"}, False),
        ([], False),
    ],
)
def test_an_unknown_plugins_table_holds_what_json_can_hold(value: Any, fits: bool) -> None:
    """The compiled settings are JSON."""
    setting = Setting("plugins.p", FREE, (), "a table for the test", USER)
    assert (setting.fault(value) is None) is fits


@given(pairs())
def test_fitting_values_fit_and_stay_fitting(pair: tuple[Setting, Any]) -> None:
    """Normal values are a fixed point, so compiled settings can be checked again."""
    setting, value = pair
    assert setting.fault(value) is None
    normal = setting.normal(value)
    assert setting.fault(normal) is None
    assert setting.normal(normal) == normal


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(st.sampled_from(list(SCHEMA)), ANY)
def test_checking_never_raises(setting: Setting, value: Any) -> None:
    """Values come from files."""
    fault = setting.fault(value)
    assert fault is None or setting.key in fault.message


def test_defaults_are_fresh_each_time() -> None:
    """A caller that changes its copy changes nobody else's."""
    SCHEMA.defaults()["shell.read"].append("rm")
    assert SCHEMA.defaults()["shell.read"] == []
