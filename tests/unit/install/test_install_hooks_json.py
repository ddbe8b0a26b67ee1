"""Our entry in the text of hooks.json: put in, replaced and taken out, all else untouched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agguard.errors import RegistrationError
from agguard.install import hooks_json
from agguard.install.entry import EVENTS, LIFECYCLE_EVENTS, TOOL_EVENTS, entry, snippet

ENTRY = {"Stop": [{"command": "x"}]}


def with_entry(text: str, value: object) -> str:
    """Put our entry into a text."""
    return hooks_json.with_entry(hooks_json.read(text), value)


def without_entry(text: str) -> str:
    """Take our entry out of a text."""
    return hooks_json.without_entry(hooks_json.read(text))


def entries(text: str) -> tuple[object, ...]:
    """Return our entries in a text."""
    return hooks_json.entries(hooks_json.read(text))


BLANK = st.text(alphabet=" \t\r\n", max_size=4)
SCALAR = st.sampled_from(["1", "null", '"x\\u00e9"', "[ 1,\r\n2 ]", '{"y" :{}}', '"é\udcff"'])
NAME = st.sampled_from(["a", "b", "hooks", "agguard2", "é", ""])


@st.composite
def texts(draw: st.DrawFn, minimum: int = 1) -> str:
    """Draw the text of a JSON object with whitespace wherever JSON allows it."""
    members = draw(st.lists(st.tuples(NAME, SCALAR), min_size=minimum, max_size=4))
    inside = ",".join(
        f'{draw(BLANK)}"{name}"{draw(BLANK)}:{draw(BLANK)}{value}{draw(BLANK)}'
        for name, value in members
    )
    return f"{draw(BLANK)}{{{inside or draw(BLANK)}}}{draw(BLANK)}"


@settings(deadline=None)
@given(texts())
def test_taking_out_what_was_put_in_gives_the_text_back(text: str) -> None:
    """Install and uninstall leave every byte of a file with other hooks as it was."""
    assert without_entry(with_entry(text, ENTRY)) == text


@settings(deadline=None)
@given(texts(minimum=0))
def test_putting_in_keeps_every_other_byte(text: str) -> None:
    """What stood before and after the new member stands there still, and the entry is read."""
    after = with_entry(text, ENTRY)
    assert entries(after) == (ENTRY,)
    if hooks_json.read(text).members:
        start = after.index('"agguard":') if '"agguard":' in after else after.index('"agguard"')
        head = after[:start].rstrip(" \t\r\n").removesuffix(",")
        assert text.startswith(head)
        assert after.endswith(text[len(head) :])


@settings(deadline=None)
@given(texts(minimum=0))
def test_putting_in_twice_changes_nothing_more(text: str) -> None:
    """A second installation changes no byte."""
    once = with_entry(text, ENTRY)
    assert with_entry(once, ENTRY) == once


@settings(deadline=None)
@given(texts(), texts())
def test_an_older_entry_is_replaced_where_it_stands(before: str, after: str) -> None:
    """An upgrade changes our value and nothing else, wherever our entry is."""
    head, tail = before.rpartition("}")[0], after.partition("{")[2]
    old = f'{head},\n "agguard" : {{"Stop": []}} ,{tail}'
    new = with_entry(old, ENTRY)
    assert entries(new) == (ENTRY,)
    assert new.startswith(f'{head},\n "agguard" : {{')
    assert new.endswith(f"}} ,{tail}")


SHORT = '{"Stop": [{"command": "x"}]}'
TWO = """{
  "agguard": {
    "Stop": [
      {
        "command": "x"
      }
    ]
  }
}"""
LAYOUTS = {
    "two blanks": (
        '{\n  "a": {\n    "x": 1\n  }\n}\n',
        '{\n  "a": {\n    "x": 1\n  },' + TWO[1:] + "\n",
    ),
    "tabs": ('{\n\t"a": 1\n}', '{\n\t"a": 1,' + TWO[1:].replace("  ", "\t")),
    "four blanks and CRLF": (
        '{\r\n    "a": 1\r\n}\r\n',
        ('{\n  "a": 1,' + TWO[1:] + "\n").replace("  ", "    ").replace("\n", "\r\n"),
    ),
    "members without indentation": (
        '{\n"a": {\n "x": 1\n}\n}',
        '{\n"a": {\n "x": 1\n},' + TWO[1:].replace("\n  ", "\n").replace("  ", " "),
    ),
    "one line": ('{"a": 1}', f'{{"a": 1,"agguard": {SHORT}}}'),
    "one line, two members": ('{"a": 1, "b": 2}', f'{{"a": 1, "b": 2, "agguard": {SHORT}}}'),
    "compact": ('{"a":1,"b":2}', f'{{"a":1,"b":2,"agguard":{SHORT.replace(" ", "")}}}'),
    "empty object": ("{}", TWO),
    "empty file": ("", TWO + "\n"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_entry_is_written_in_the_files_own_style(layout: str) -> None:
    """Indentation, line ends and the final newline or its absence are the file's."""
    before, after = LAYOUTS[layout]
    assert with_entry(before, ENTRY) == after


def test_blank_files_become_a_file_that_the_host_reads() -> None:
    """The host refuses an empty file; whitespace alone is as good as none."""
    assert with_entry(" \r\n\t", ENTRY) == with_entry("", ENTRY)


def test_an_entry_of_another_layout_that_says_the_same_is_left_alone() -> None:
    """A file that the user has formatted anew is not formatted back."""
    text = json.dumps({"agguard": entry(), "b": 1}, separators=(",", ":"))
    assert with_entry(text, entry()) == text


@pytest.mark.parametrize("other", [30.0, "30", True, 31])
def test_a_value_that_only_python_takes_for_the_same_is_replaced(other: object) -> None:
    """30.0 equals 30 in Python and costs the host the whole file."""
    wrong = {"Stop": [{"command": "x", "timeout": other}]}
    right = {"Stop": [{"command": "x", "timeout": 30}]}
    assert json.loads(with_entry(json.dumps({"agguard": wrong}), right)) == {"agguard": right}
    assert ": 30}" in with_entry(json.dumps({"agguard": wrong}), right)


def test_duplicates_of_our_entry_become_one_and_foreign_ones_stay() -> None:
    """The host takes the last of two; two of ours would confuse every reader."""
    text = '{"agguard": 1, "b": 2, "b": 3, "\\u0061gguard": 4}'
    assert with_entry(text, 5) == '{"b": 2, "b": 3, "\\u0061gguard": 5}'
    assert without_entry(text) == '{"b": 2, "b": 3}'


TAKEN_OUT = {
    '{"agguard": 1}': "{}",
    '{\n  "agguard": 1\n}\n': "{}\n",
    '{"agguard": 1, "b": 2}': '{"b": 2}',
    '{"a": 1, "agguard": 2, "b": 3}': '{"a": 1, "b": 3}',
    '{\n  "a": 1,\n  "agguard": 2\n}': '{\n  "a": 1\n}',
}
LEFT_ALONE = ["", "{}", '{"a": {"agguard": 1}}', '{"Agguard": 1, "agguard ": 2}']


@pytest.mark.parametrize("text", TAKEN_OUT)
def test_our_entry_is_taken_out_wherever_it_stands(text: str) -> None:
    """The comma goes with it."""
    assert without_entry(text) == TAKEN_OUT[text]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_files_without_our_entry_are_left_alone(text: str) -> None:
    """A name that only looks like ours is not ours."""
    assert without_entry(text) == text
    assert entries(text) == ()


def test_a_hook_named_hooks_is_only_a_hook() -> None:
    """Claude's shape is one more named hook for this host (contract, section 1.2)."""
    text = '{"hooks": {"PreToolUse": [{"matcher": "", "hooks": [{"command": "mine"}]}]}}'
    after = with_entry(text, ENTRY)
    assert json.loads(after) == {**json.loads(text), "agguard": ENTRY}
    assert without_entry(after) == text


def test_a_file_of_5_mb_is_changed_in_one_place() -> None:
    """Size does not matter, for only the outermost object is walked."""
    big = json.dumps({f"hook{i}": {"Stop": [{"command": "x" * 990}]} for i in range(5_000)})
    assert len(big) > 5_000_000
    after = with_entry(big, ENTRY)
    assert after.startswith(big[:-1])
    assert without_entry(after) == big


@pytest.mark.parametrize("text", ["[]", '{"a": 1,}', "\ufeff{}", '{"agguard": 1'])
def test_what_the_host_refuses_is_refused_by_both_ways(text: str) -> None:
    """Neither putting in nor taking out touches a file that is not one strict object."""
    for act in (lambda: with_entry(text, ENTRY), lambda: without_entry(text)):
        with pytest.raises(RegistrationError):
            act()


def test_our_entry_has_one_handler_for_each_event_in_the_hosts_shape() -> None:
    """Groups for tool events, flat lists for the others; a group there kills the file."""
    ours = entry()
    assert list(ours) == list(EVENTS)
    for event, value in ours.items():
        group = value[0] if event in TOOL_EVENTS else {"matcher": "*", "hooks": value}
        assert len(value) == 1
        assert group["matcher"] == "*"
        assert group["hooks"] == [
            {"type": "command", "command": f"./agguard-hook {event}", "timeout": 30}
        ]
    assert set(ours) <= {*TOOL_EVENTS, *LIFECYCLE_EVENTS}


def test_windows_gets_its_own_command() -> None:
    """`cmd /c` does not know `./`."""
    assert entry(windows=True)["Stop"][0]["command"] == "agguard-hook.cmd Stop"


def test_the_snippet_can_be_pasted_between_braces() -> None:
    """What a refusal prints is our entry, ready for the user's file."""
    assert json.loads("{" + snippet() + "}") == {"agguard": entry()}
