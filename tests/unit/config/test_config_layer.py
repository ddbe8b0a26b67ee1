"""What is wrong with a file, and where: parsing and checking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config.declared import declared
from agguard.config.document import parse
from agguard.config.layer import MOST_PROBLEMS, Layer, layer_of_document
from agguard.config.schema import Schema
from unit.config.strategies import SCHEMA, documents


def layer(text: str | bytes, schema: Schema = SCHEMA, table: tuple[str, ...] = ()) -> Layer:
    data = text if isinstance(text, bytes) else text.encode()
    return layer_of_document(parse(data, "c.toml"), schema, table)


# text, line, column, part of the message, suggestion
WRONG = [
    ("# c\n[delegation]\n  mod = 'off'\n", 3, 3, "unknown key 'delegation.mod'", "delegation.mode"),
    ("delegation.mod.x = 1\n", 1, 12, "unknown key 'delegation.mod'", "delegation.mode"),
    ("[delegaton]\nmode = 'off'\n", 1, 2, "unknown key 'delegaton'", "delegation"),
    ("a = 1\nmax_depth = 2\n", 2, 1, "unknown key 'max_depth'", "delegation.max_depth"),
    ("zzz = 1\n", 1, 1, "`agguard config list` shows every key", ""),
    ("[delegation]\nmode = 'strct' # x\n", 2, 8, 'did you mean "strict"?', "strict"),
    ("[delegation]\nmax_depth = -1\n", 2, 13, "expected a whole number from 0 to 16", ""),
    ("[delegation.mode]\nx = 1\n", 1, 13, "'delegation.mode' is a table, expected one of", ""),
    ("delegation = 'strict'\n", 1, 14, "'delegation' is \"strict\", expected a table", ""),
    ("[[delegation]]\nmode = 'off'\n", 1, 3, "'delegation' is a list, expected a table", ""),
    ("[shell]\nread = [\n  'a',\n  3,\n]\n", 4, 3, "'shell.read[1]' is 3", ""),
    ("rtk = { mode = 'on', pth = '' }\n", 1, 22, "unknown key 'rtk.pth'", "rtk.path"),
    ("plugins.blok = ['x']\n", 1, 9, "unknown key 'plugins.blok'", "plugins.block"),
    ("a = \n", 1, 5, "this is not TOML: invalid value", ""),
    ("[a]\nb = 'x\n", 2, 7, "this is not TOML", ""),
    ("[a]\nb = [1,\n", 3, 1, "this is not TOML", ""),
    (
        "x = 1\nx = 2\n",
        2,
        1,
        "a second time, expected once; keep this line or line 1",
        "",
    ),
    ("[rtk]\nmode='on'\n[rtk]\n", 3, 5, "stands a second time", ""),
    ("x = 1\ny = " + "9" * 5000, 2, 5, "a number has too many digits", ""),
    ("é = 1\n", 1, 1, "this is not TOML: invalid statement", ""),
    (b"# \xc3\xa9 \xff\n", 1, 5, "byte 0xff is not UTF-8", ""),
    (b"\xff\xfea\x00", 1, 1, "byte 0xff is not UTF-8", ""),
    (b"\xef\xbb\xbfprofile = 'strict'\n", 1, 1, "byte order mark", ""),
    ("a = " + "[" * 100, 1, 37, "values are nested deeper than 32", ""),
]


@pytest.mark.parametrize(("text", "line", "column", "message", "suggestion"), WRONG)
def test_a_mistake_is_shown_where_it_stands(
    text: str, line: int, column: int, message: str, suggestion: str
) -> None:
    """Line and column from 1; the file's settings do not count as sound."""
    found = layer(text)
    assert not found.sound
    problem = next(problem for problem in found.problems if message in problem.message)
    assert (problem.line, problem.column) == (line, column)
    assert problem.suggestion == suggestion
    assert problem.text.startswith(f"c.toml:{line}:{column}: ")
    assert not problem.message.endswith(".")


RIGHT = [
    "",
    "# nothing but a note",
    "profile = 'observe'",
    "[delegation]\nmode = 'off'\r\nmax_depth = 0\r\n",
    "hooks = { observe = true, deadline = 5 }",
    "plugins.trust = 'all'",
    "[plugins.anything]\nx = { y = [1] }",
    "[tiers.flash]\nrole = 'x'\n[tiers.pro]\n[tiers]\ndefault = 'pro'",
]


@pytest.mark.parametrize("text", RIGHT)
def test_a_correct_file_has_no_problems(text: str) -> None:
    """The other half: nothing is complained about."""
    assert layer(text).problems == ()


def test_values_are_taken_beside_mistakes_with_their_lines() -> None:
    """What can be read of a broken file still tightens."""
    found = layer("[delegation]\nmod = 1\nmax_depth = 1\n[hooks]\ndeadline = 7\n")
    assert found.values == {"delegation.max_depth": 1, "hooks.deadline": 7.0}
    assert found.places == {"delegation.max_depth": (3, 1), "hooks.deadline": (5, 1)}


def test_a_table_below_another_is_read_where_it_stands() -> None:
    """A project's pyproject.toml."""
    text = "[project]\nname = 'x'\n[tool.agguard.delegation]\nmod = 1\nmax_depth = 1\n"
    found = layer(text, table=("tool", "agguard"))
    assert found.values == {"delegation.max_depth": 1}
    assert found.problems[0].text.startswith("c.toml:4:1: unknown key 'delegation.mod'")
    assert layer("[tool.other]\nx = 1\n", table=("tool", "agguard")).problems == ()
    assert layer("tool = 1\n", table=("tool", "agguard")).problems == ()
    wrong = layer("[tool]\nagguard = 1\n", table=("tool", "agguard"))
    assert "'tool.agguard' is 1, expected a table" in wrong.problems[0].message


def test_a_plugins_own_settings_are_checked_like_ours() -> None:
    """Typed, with line, column and suggestion."""
    settings = {"mode": {"type": "bool", "default": False, "meaning": "a switch"}}
    schema = Schema(plugins={"tf": declared("tf", settings), "blocked": None})
    assert layer("[plugins.tf]\nmode = true", schema).values == {"plugins.tf.mode": True}
    wrong = layer("[plugins.tf]\nmode = 'yes'\nmodes = 1", schema)
    assert [p.line for p in wrong.problems] == [2, 3]
    assert wrong.problems[1].suggestion == "plugins.tf.mode"
    assert layer("[plugins.blocked]\nx = 1", schema).values == {"plugins.blocked": {"x": 1}}


def test_a_table_of_a_plugin_that_is_not_installed_breaks_nothing() -> None:
    """Uninstalling a plugin must not put the last good settings in force; a typo is still told."""
    schema = Schema(plugins={"terraform": ()})
    found = layer("[plugins.terrafrom]\nx = 1\n[rtk]\nmode = 'off'", schema)
    assert found.sound
    assert found.values == {"rtk.mode": "off"}
    assert found.problems[0].suggestion == "plugins.terraform"


def test_ten_thousand_mistakes_are_not_all_reported() -> None:
    """Nobody reads them, and each costs a search."""
    text = "".join(f"x{number} = 1\n" for number in range(10_000)) + "[rtk]\nmode = 'off'\n"
    found = layer(text)
    assert len(found.problems) == MOST_PROBLEMS
    assert found.values == {"rtk.mode": "off"}


@given(st.binary(max_size=60) | st.text("[]{}=.,#'\"\\\n\r ab1_").map(str.encode))
def test_checking_never_raises(data: bytes) -> None:
    """Any bytes are either settings or a problem."""
    found = layer(data)
    assert found.sound == (not any(problem.grave for problem in found.problems))
    for problem in found.problems:
        assert problem.line >= 1
        assert problem.column >= 1


@given(documents())
def test_a_document_of_any_style_is_parsed(text: str) -> None:
    """With all the ways to write a table."""
    assert parse(text.encode(), "c.toml").problems == ()
