"""What is not TOML is explained: the place, the line it quarrels with, what was expected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.config.document import parse

WRONG = {
    "a section twice": (
        '[rtk]\nmode = "off"\n\n[rtk]\nadd = []\n',
        (4, 5),
        "expected each one once; move what is below it to line 1, where it stands first",
    ),
    "a section twice, with another between": ("[a]\n[b]\n[a]\n", (3, 3), "to line 1,"),
    "a section of a section twice": ("[a.b]\n[a]\n[a.b]\n", (3, 5), "the section [a.b] stands"),
    "the first one by a comment": ("[a] # x\r\nb = 1\r\n[a]\r\n", (3, 3), "to line 1,"),
    "begun by a dotted key": (
        'rtk.mode = "off"\n[rtk]\n',
        (2, 5),
        "the section [rtk] is begun already in line 1, expected all of it in one place",
    ),
    "a list of tables and a table": ("[a]\n[[a]]\n", (2, 4), "[a] stands a second time"),
    "a value and a section": (
        "rtk = 1\n[rtk]\n",
        (2, 5),
        "'rtk' has another value in line 1, expected one; keep that line or this one",
    ),
    "an inline table and a section": ("a = {b = 1}\n[a]\n", (2, 3), "'a' has another value in"),
    "a value and a section below": ("[a]\nb = 1\n[a.b]\n", (3, 5), "'a.b' has another value in"),
    "a value and a key below": ("a.b = 1\na.b.c = 2\n", (2, 10), "'a.b' has another value in"),
    "a key twice": ("[a]\nb = 1\nb = 2\n", (3, 1), "'a.b' is set a second time, expected once"),
    "a key twice in a line": ("a = {b = 1, b = 2}", (1, 13), "keep one of the two"),
    "no value": ("a = \n", (1, 5), "expected text in quotes, a number, true, false, or a list"),
    "a bare word": ("profile = strict\n", (1, 11), 'expected text in quotes: "strict"'),
    "a bare word of YAML's": ("a = off # x\n", (1, 5), 'in quotes: "off" or false'),
    "a constant of Python's": ("a = True\n", (1, 5), "expected true in small letters"),
    "no end of a section": ("[a\nb = 1\n", (1, 3), "write a section such as [delegation], alone"),
    "no sign": ('a "b"\n', (1, 3), "write a line such as `mode ="),
    "YAML": ("profile: strict\n", (1, 8), "write a line such as `mode ="),
    "JSON": ('{"a": 1}\n', (1, 1), "or a section such as [delegation]"),
    "no comma": ('a = ["b" "c"]\n', (1, 10), "with a comma between its items"),
    "no end of a text": ('a = "b\n', (1, 7), "expected a quote at the end of the text"),
    "a path of Windows": ('a = "C:\\new\\Up"\n', (1, 14), "two backslashes for one"),
    "two on a line": ("a = 1 b = 2\n", (1, 7), "nothing but a comment behind a value"),
}


@pytest.mark.parametrize(("text", "place", "said"), WRONG.values(), ids=WRONG)
def test_a_mistake_is_explained(text: str, place: tuple[int, int], said: str) -> None:
    """Line, column, what was expected; nothing of the parser's tuples."""
    (problem,) = parse(text.encode(), "x.toml").problems
    assert said in problem.message
    assert "expected" in problem.message
    assert "('" not in problem.message
    assert (problem.line, problem.column) == place


LINES = st.sampled_from(
    [
        "[a]",
        "[a.b]",
        "[[a]]",
        "[[a.b]]",
        "a = 1",
        "a.b = 1",
        "b = {c = 1}",
        "b.c = 2",
        "c",
        "= 1",
        "",
    ]
)


@given(st.lists(LINES, max_size=8))
def test_whatever_the_lines_the_explanation_names_an_earlier_one(lines: list[str]) -> None:
    """No combination raises; a line that is named is one before the mistake."""
    for problem in parse("\n".join(lines).encode(), "x.toml").problems:
        assert "('" not in problem.message
        for word in problem.message.split():
            if word.rstrip(",;").isdecimal():
                assert 1 <= int(word.rstrip(",;")) <= problem.line
