"""The parser answers every text, soon, with spans that are true."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agguard.shell.parser import parse
from agguard.shell.scanner import DEPTH_LIMIT
from agguard.shell.syntax import Script, Unparsed, Word, scripts_of
from agguard.shell.windows import plain_words

if TYPE_CHECKING:
    from collections.abc import Iterator

FRAGMENTS = st.sampled_from(
    [
        "git",
        "status",
        "a=1",
        "x+=(1 2)",
        "if",
        "then",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "while",
        "case",
        "esac",
        "{",
        "}",
        "(",
        ")",
        "((",
        "))",
        "[[",
        "]]",
        "&&",
        ";;\n&",
        ";",
        "<",
        ">",
        ">>",
        "2>&1",
        "<<E",
        "<<'E'",
        "E",
        "<<<",
        "$(",
        "`",
        "${x:-",
        "}",
        "$((",
        "))",
        "<(",
        "'",
        '"',
        "\\",
        "$'\\n'",
        "*",
        "{a,b}",
        "~",
        "!",
        "time",
        "f()",
        "function\n#",
        "\r",
        "\t",
        "é",
        "日",
        "$x",
        '"$y"',
        "-n",
        "@{1}",
        "[1]=2",
        "coproc",
        "select",
        "until",
        "elif",
        "else",
        "=",
        "",
        "",
        "&>",
        ">",
        "",
    ]
)
COMMAND_LINES = st.one_of(
    st.text(max_size=60),
    st.lists(st.tuples(FRAGMENTS, st.sampled_from([" ", "", "\n", ";"])), max_size=14).map(
        lambda pairs: "".join(a + b for a, b in pairs)
    ),
)


def words_in(script: Script) -> Iterator[Word]:
    for node in script.nodes:
        yield from node.words
        for inner in scripts_of(node):
            yield from words_in(inner)


@given(COMMAND_LINES)
@settings(max_examples=600, deadline=None)
def test_any_text_is_parsed_or_refused(text: str) -> None:
    """Nothing is raised, and a refusal points into the text."""
    result = parse(text)
    if isinstance(result, Unparsed):
        assert 0 <= result.offset <= len(text)
    else:
        assert isinstance(result, Script)


@given(COMMAND_LINES)
@settings(max_examples=600, deadline=None)
def test_spans_slice_back_to_the_source(text: str) -> None:
    """Words lie inside their command, in order; a plain word's text is its spelling."""
    result = parse(text)
    if isinstance(result, Unparsed):
        return
    for command in result.commands():
        spans = [(word.start, word.end) for word in command.words]
        assert spans == sorted(spans)
        assert all(command.start <= start < end <= command.end for start, end in spans)
    for word in words_in(result):
        spelling = text[word.start : word.end]
        if word.text is not None and not word.marks and "\\" not in spelling:
            assert word.text == spelling
        for piece in word.pieces:
            assert word.start <= piece.start <= piece.end <= word.end


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])), min_size=1))
@settings(max_examples=300, deadline=None)
def test_single_quotes_bring_any_words_through(values: list[str]) -> None:
    """What `shlex.join` quotes comes back unchanged."""
    from shlex import quote

    from agguard.shell.parser import words

    line = " ".join(quote("./" + value) for value in values)
    assert words(line) == tuple("./" + value for value in values)


OPENINGS = ["$(", "(", "{ ", "`", "${x:-", '"$(', "((1+", "if ", "$((", "<(", "[[ ( ", "f() { "]


@pytest.mark.parametrize("opening", OPENINGS)
def test_deep_nesting_is_refused(opening: str) -> None:
    """No depth of nesting reaches Python's own limit."""
    assert isinstance(parse(opening * 20_000), Unparsed)


def test_nesting_up_to_the_limit_is_parsed() -> None:
    """The limit is ours, so what stays inside it works."""
    depth = DEPTH_LIMIT - 1
    assert isinstance(parse("$(" * depth + "ls" + ")" * depth), Script)
    assert isinstance(parse("$(" * (depth + 2) + "ls" + ")" * (depth + 2)), Unparsed)


REPEATED = [
    "git status; ",
    "a",
    "a ",
    "'x' ",
    '"$x" ',
    "$(a) ",
    "`a` ",
    "(a);",
    "{a,b} ",
    "[",
    "a[1]=2 ",
    "<(a) ",
    "\\\n",
    "# c\n",
    "a | ",
    "cat <<E\n$x\nE\n",
    "[[ a == b ]];",
    "case x in a) b;; esac;",
    "f() { a; };",
    "${x:-a} ",
    "$((1+2)) ",
    "\\",
    "'",
    "~",
    "=",
]


@pytest.mark.parametrize("unit", REPEATED)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    """100 kB take less than 60 times as long as 2 kB (they are 50 times as long)."""
    small, large = (
        min(_seconds((unit * size)[:size]) for _ in range(3)) for size in (2_000, 100_000)
    )
    assert large < 60 * max(small, 2e-4)


def _seconds(text: str) -> float:
    start = process_time()
    parse(text)
    return process_time() - start


PLAIN = [
    ("git status", ("git", "status")),
    (r"dir C:\Users\me", ("dir", r"C:\Users\me")),
    ("git log --max-count=3", ("git", "log", "--max-count=3")),
]
NOT_PLAIN = [
    "git status & del x",
    "git status | more",
    "git log > x",
    "echo %PATH%",
    "echo $env:PATH",
    "git log `x",
    "git commit -m 'x'",
    'git commit -m "x"',
    "git status; rm x",
    "(git status)",
    "git log ^x",
    "git status\nrm x",
    "git log a,b",
    "git log @args",
    "git log #x",
    "git log {x}",
    "git log *",
    "",
]


@pytest.mark.parametrize(("text", "expected"), PLAIN)
def test_a_plain_windows_line_is_understood(text: str, expected: tuple[str, ...]) -> None:
    """One command of plain words means the same in cmd.exe and PowerShell."""
    assert plain_words(text) == expected


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_any_other_windows_line_is_not(text: str) -> None:
    """Each metacharacter of either shell is enough."""
    assert plain_words(text) is None
