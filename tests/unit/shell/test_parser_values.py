"""What the parser makes of a command line."""

from __future__ import annotations

import pytest

from agguard.shell.parser import parse, words
from agguard.shell.syntax import (
    ARITHMETIC,
    BRACE,
    GLOB,
    PROCESS,
    QUOTED,
    SUBSTITUTION,
    TILDE,
    VARIABLE,
    Command,
    Compound,
    Script,
    Unparsed,
    context_words,
)


def script_of(text: str) -> Script:
    script = parse(text)
    assert isinstance(script, Script), script
    return script


def commands_of(text: str) -> list[tuple[str, ...]]:
    """Spell the words of every simple command as they stand in the text."""
    return [
        tuple(text[word.start : word.end] for word in command.words)
        for command in script_of(text).commands()
    ]


def single(text: str) -> Command:
    (command,) = script_of(text).nodes
    assert isinstance(command, Command)
    return command


PARSED = [
    ("", []),
    ("# only a comment", []),
    ("git status", [("git", "status")]),
    ("a && b || c; d & e", [("a",), ("b",), ("c",), ("d",), ("e",)]),
    ("a|b |& c", [("a",), ("b",), ("c",)]),
    ("a\n\nb\r\nc\r\n", [("a",), ("b",), ("c",)]),
    ("a \\\n  b", [("a", "b")]),
    ("r\\\nm x", [("r\\\nm", "x")]),
    ("ls; # c; rm x", [("ls",)]),
    ("# don't\ngit status", [("git", "status")]),
    ("echo a#b", [("echo", "a#b")]),
    ("git commit -m 'a; rm x'", [("git", "commit", "-m", "'a; rm x'")]),
    ("echo \"a $(b 'c') d\"", [("echo", "\"a $(b 'c') d\""), ("b", "'c'")]),
    ("echo `a b`", [("echo", "`a b`"), ("a", "b")]),
    ("diff <(a) >(b)", [("diff", "<(a)", ">(b)"), ("a",), ("b",)]),
    ("x=$(a) b", [("b",), ("a",)]),
    ("x=(1 $(a))", [(), ("a",)]),
    ("${x:-$(a)}", [("${x:-$(a)}",), ("a",)]),
    ("echo $((1 + $(a)))", [("echo", "$((1 + $(a)))"), ("a",)]),
    ("(( $(a) ))", [("a",)]),
    ("[[ -f x && $(a) =~ ^(b|c)$ ]]", [("a",)]),
    ("if a; then b; elif c; then d; else e; fi", [("a",), ("b",), ("c",), ("d",), ("e",)]),
    ("while a; do b; done", [("a",), ("b",)]),
    ("until a; do b; done", [("a",), ("b",)]),
    ("for x in $(a); do b; done", [("a",), ("b",)]),
    ("for x; do b; done", [("b",)]),
    ("for ((i = 0; i < $(a); i++)); do b; done", [("a",), ("b",)]),
    ("select x in 1 2; do b; done", [("b",)]),
    ("case $(a) in x|y) b;; (z) c;& *) d;; esac", [("a",), ("b",), ("c",), ("d",)]),
    ("{ a; b; }", [("a",), ("b",)]),
    ("(a; b)", [("a",), ("b",)]),
    ("f() { a; }; f", [("a",), ("f",)]),
    ("function f { a; }", [("a",)]),
    ("coproc a b", [("a", "b")]),
    ("! a", [("a",)]),
    ("time -p a", [("a",)]),
    ("cat <<E\n$(a)\nE\nb", [("cat",), ("a",), ("b",)]),
    ("cat <<'E'\n$(a)\nE\nb", [("cat",), ("b",)]),
    ("cat <<E; cat <<F\n1\nE\n`a`\nF\nb", [("cat",), ("cat",), ("a",), ("b",)]),
    ("cat <<-E\n\tx\n\tE\nb", [("cat",), ("b",)]),
    ("a <<< $(b)", [("a",), ("b",)]),
    ("a > $(b)", [("a",), ("b",)]),
    ("{ a; } > $(b)", [("b",), ("a",)]),
]


@pytest.mark.parametrize(("text", "expected"), PARSED)
def test_every_command_is_found_with_its_words(text: str, expected: list[tuple[str, ...]]) -> None:
    """Commands come in the order of the text; those inside a word follow it."""
    assert commands_of(text) == expected


REFUSED = [
    "git status &&",
    "| a",
    "a | | b",
    "a ;; b",
    "; a",
    "git commit -m 'x",
    'git commit -m "x',
    "echo `a",
    "echo $(a",
    "echo ${a",
    "echo ${a b}",
    "echo $((1 + 2)",
    "(a",
    "a)",
    "()",
    "{ a",
    "{ }",
    "if a; then b",
    "if a; fi",
    "then",
    "done",
    "fi",
    "}",
    "]]",
    "for x in a",
    "for 1 in a; do b; done",
    "while a; do done",
    "case x in a) b",
    "f() a",
    "ls a=(1 2)",
    "a (b)",
    "a > ",
    "cat <<E\nnever ended",
    "cat <<E",
    "a \\",
    "git status; if ($?) { git log }",
    "echo ${(e)x}",
    "echo $[1+2]",
    "ls *(e:'a':)",
    "((a); b)",
    "a | ! b",
    "[[ a b ]]",
    "[[ a",
    "a\0b",
    "a\x01b",
    "a\rb",
    "i\\\nf a; then b; fi",
    "a &\\\n& b",
    "cat <<E\nx\\\nE\na\nE\n",
    "cat <<E\r\nx\r\nE\r\n",
    "echo `a \\`b\\``",
    "echo $'a\\0b'",
]


@pytest.mark.parametrize("text", REFUSED)
def test_broken_or_ambiguous_text_is_refused_as_a_whole(text: str) -> None:
    """The refusal is a value that says why and where."""
    refusal = parse(text)
    assert isinstance(refusal, Unparsed)
    assert refusal.reason
    assert 0 <= refusal.offset <= len(text)


TEXTS = [
    ("a", "a", 0),
    ("'a b'", "a b", QUOTED),
    ('"a b"', "a b", QUOTED),
    ('"a \\" \\x"', 'a " \\x', QUOTED),
    ("a\\ b", "a b", QUOTED),
    ("r''m", "rm", QUOTED),
    ("r\\\nm", "rm", 0),
    ("$'r\\155\\n\\x41\\u00e9'", "rm\nAé", QUOTED),
    ('$"a"', "a", QUOTED),
    ("HEAD@{1}", "HEAD@{1}", 0),
    ("HEAD~1", "HEAD~1", 0),
    ("{}", "{}", 0),
    ("a=b", "a=b", 0),
    ("[", "[", 0),
    ("é日本", "é日本", 0),
    ("a$", "a$", 0),
    ("$x", None, VARIABLE),
    ('"$x"', None, VARIABLE | QUOTED),
    ("${x[1]%.py}", None, VARIABLE),
    ("$(a)", None, SUBSTITUTION),
    ("`a`", None, SUBSTITUTION),
    ("<(a)", None, PROCESS),
    ("$((1))", None, ARITHMETIC),
    ("*.py", None, GLOB),
    ("a[bc]", None, GLOB),
    ("'*'.py", "*.py", QUOTED),
    ("{a,b}", None, BRACE),
    ("{1..3}", None, BRACE),
    ("~/x", None, TILDE),
    ("--x=~", "--x=~", 0),
    ("of=~/x", None, TILDE),
]


@pytest.mark.parametrize(("spelling", "text", "marks"), TEXTS)
def test_a_word_has_its_text_or_the_reason_why_not(
    spelling: str, text: str | None, marks: int
) -> None:
    """A word whose text only the shell could tell has none, and says what stands in it."""
    word = single(f"echo {spelling} end").words[1]
    assert (word.text, word.marks) == (text, marks)
    assert bool(word.pieces) == (text is None)


CONTEXTS = [
    ("git status", ""),
    ("git status; ls", ""),
    ("git status && ls", ""),
    ("git status | ls", "piped out"),
    ("ls | git status", "piped in"),
    ("ls |& git status | ls", "piped in+piped out"),
    ("git status & ls", "background"),
    ("git status && ls &", "background"),
    ("ls & git status", ""),
    ("x=$(git status)", "captured"),
    ("ls `git status`", "captured"),
    ("ls <(git status)", "captured"),
    ("cat <<E\n$(git status)\nE\n", "captured"),
    ("(git status)", "subshell"),
    ("{ git status; }", "group"),
    ("{ git status; } > x", "redirected+group"),
    ("{ git status; } | ls", "piped out+group"),
    ("if git status; then ls; fi", "branch"),
    ("case x in x) git status;; esac", "branch"),
    ("for x in 1; do git status; done", "loop body"),
    ("while git status; do ls; done", "loop body"),
    ("f() { git status; }", "function body+group"),
    ("coproc git status", "captured+background"),
]


@pytest.mark.parametrize(("text", "expected"), CONTEXTS)
def test_a_command_knows_where_its_output_goes(text: str, expected: str) -> None:
    """The context adds up over everything that encloses a command."""
    (context,) = [
        command.context
        for command in script_of(text).commands()
        if command.words and command.words[0].text == "git"
    ]
    assert "+".join(context_words(context)) == expected


REDIRECTIONS = [
    ("a > f", ("", ">", "f")),
    ("a 2>&1", ("2", ">&", "1")),
    ("a 2> /dev/null", ("2", ">", "/dev/null")),
    ("a &>> f", ("", "&>>", "f")),
    ("&> f a", ("", "&>", "f")),
    ("a {fd}< f", ("{fd}", "<", "f")),
    ("a >| f", ("", ">|", "f")),
    ("a <<< x", ("", "<<<", "x")),
    ("a >&-", ("", ">&", "-")),
]


@pytest.mark.parametrize(("text", "expected"), REDIRECTIONS)
def test_a_redirection_has_its_fd_operator_and_target(
    text: str, expected: tuple[str, str, str]
) -> None:
    """The file descriptor is kept as it is written."""
    (redirect,) = single(text).redirects
    assert (redirect.fd, redirect.operator, redirect.target.text) == expected


def test_a_number_in_front_of_a_blank_is_a_word() -> None:
    """`2 >f` redirects descriptor 1 and has an argument."""
    command = single("echo 2 >f")
    assert [word.text for word in command.words] == ["echo", "2"]
    assert command.redirects[0].fd == ""


def test_a_here_document_keeps_its_body() -> None:
    """The body's span is what the command reads."""
    text = "cat <<E >f\none\n$x\nE\nls"
    script = script_of(text)
    first = script.nodes[0]
    assert isinstance(first, Command)
    body = first.redirects[0].body
    assert body is not None
    assert text[body.start : body.end] == "one\n$x\n"
    assert [piece.text for piece in body.pieces] == ["x"]


def test_assignments_stand_apart_from_words() -> None:
    """Name, operator, value and index of an assignment are separate."""
    command = single('A=1 b+="x y" c[i]=3 cmd d=4')
    assert [(a.name, a.operator, a.value.text) for a in command.assignments] == [
        ("A", "=", "1"),
        ("b", "+=", "x y"),
        ("c", "=", "3"),
    ]
    assert [word.text for word in command.words] == ["cmd", "d=4"]


def test_a_compound_names_its_parts() -> None:
    """A `case` keeps the subject, then the patterns, and one script for each arm."""
    (node,) = script_of("case $x in a|b) c;; d) e;; esac").nodes
    assert isinstance(node, Compound)
    assert [word.text for word in node.words] == [None, "a", "b", "d"]
    assert len(node.clauses) == 2


WORDS = [
    ("git log -n 3", ("git", "log", "-n", "3")),
    (" git  'a b' ", ("git", "a b")),
    ("git status\n", ("git", "status")),
    ("git $x", None),
    ("git *.py", None),
    ("a; b", None),
    ("a &", None),
    ("A=1 a", None),
    ("a > f", None),
    ("! a", None),
    ("(a)", None),
    ("a |", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "expected"), WORDS)
def test_words_answers_for_one_plain_command_only(
    text: str, expected: tuple[str, ...] | None
) -> None:
    """Everything else has no words of its own."""
    assert words(text) == expected
