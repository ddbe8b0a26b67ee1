"""The parser against bash and shfmt: the same words at the same places, the same refusals."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agguard.shell.parser import parse
from agguard.shell.syntax import Unparsed

BASH = shutil.which("bash")
SHFMT = shutil.which("shfmt") or shutil.which("shfmt", path=str(Path(sys.executable).parent))
needs_bash = pytest.mark.skipif(BASH is None, reason="bash is not installed")
needs_shfmt = pytest.mark.skipif(
    BASH is None or SHFMT is None, reason="shfmt comes with the extra `test`, on some platforms"
)

TRICKY = [
    "FOO=1 rm -rf /",
    "A=1 B=2 git reset --hard",
    "{ rm -rf /; }",
    "if true; then rm -rf /; fi",
    "! rm -rf /",
    "f() { rm -rf /; }; f",
    "(rm -rf ~)",
    "x=$(rm -rf ~)",
    "case a in a) rm -rf ~;; esac",
    "case a in (a|'b c') rm x;;& *) ls;; esac",
    "find / | xargs -I% rm -f %",
    "`rm -rf /`",
    "echo 'rm -rf /' > s.sh && chmod +x s.sh && ./s.sh",
    "ls\nrm -rf x",
    "tee /tmp/s.md <<EOF\n`rm -rf ~/x`\nEOF",
    "cat <<'EOF'\n`x` $(y)\nEOF\nls",
    "cat <<\\EOF\n$(y)\nEOF\nls",
    "cat <<A <<B\n1\nA\n2\nB\nls",
    "cat <<- 'EOF'\n\tx\n\tEOF\nls",
    'git commit -m "$(cat <<\'EOF\'\nfeat(x): say "hi"; done\nEOF\n)"',
    "r\\\nm -rf x",
    "$'r\\155' x",
    "{rm,-rf,x}",
    "r''m x",
    "echo ${x:=$(rm y)}",
    'echo "${x:-"$(rm y)"}"',
    "ls >(rm x)",
    "diff <(sort a) <(sort b)",
    "(( $(rm x) ))",
    "echo $(( 1 + (2 * 3) ))",
    "for f in $(rm x); do ls; done",
    "for ((i = 0; i < 3; i++)); do ls; done",
    'while read -r l; do echo "$l"; done < names.txt',
    "until a; do b; done",
    "[[ -f x && ! ( $a == b* || $c =~ ^(d|e)+$ ) ]] && ls",
    "[ -d src ] && echo dir",
    "coproc rm x",
    "time -p ls",
    "a=(1 2 [5]=3 $(rm x)); b",
    "a[1]+=2; b",
    "declare -A x=([a]=1)",
    "ls &>>f 2>&1 >|g <>h 3<&- {fd}>i",
    "a&&b||c|d|&e;f&g",
    "a # b\nc",
    "a#b",
    "# don't\ngit status",
    "echo 日本 && git log --author=José",
    "echo $# $$ $! $? $- $@ $* $0 $1x ${10} ${#x} ${!x} ${x[@]} ${#x[@]} ${x/a/b} ${x:1:2}",
    "echo a{1..3}b {x} {a, @{u}",
    "select x in a b; do break; done",
    "function f { ls; } 2>/dev/null",
    "if a; then\nb\nelif c\nthen d; else\ne\nfi | f",
]
BROKEN = [
    "git status &&",
    "git commit -m 'x",
    'git commit -m "x',
    "echo `x",
    "echo $(x",
    "echo ${x",
    "(a",
    "a)",
    "{ a",
    "if a; then b",
    "for x in a; do b",
    "case x in a) b",
    "a ;; b",
    "a | | b",
    "| a",
    "fi",
    "f() a",
    "a (b)",
    "[[ a",
    "a > ",
    "ls a=(1 2)",
    "while a; do done",
]


# shfmt reads the body of a half quoted delimiter as an unquoted one; bash does not.
HALF_QUOTED = 'cat <<E"O"F\n$(y)\nEOF\nls'


def bash_accepts(text: str) -> bool:
    assert BASH is not None
    run = subprocess.run([BASH, "-n"], input=text.encode(), capture_output=True, check=False)
    return run.returncode == 0


def shfmt_words(text: str) -> set[tuple[int, int]] | None:
    """Return the spans of the words of all simple commands, None for a refusal."""
    assert SHFMT is not None
    run = subprocess.run(
        [SHFMT, "--to-json", "-ln", "bash"], input=text.encode(), capture_output=True, check=False
    )
    return _words_of(json.loads(run.stdout), text) if run.returncode == 0 else None


def _words_of(node: Any, text: str) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    if isinstance(node, dict):
        if node.get("Type") == "CallExpr":
            found |= {_span(argument, text) for argument in node.get("Args") or ()}
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            found |= _words_of(inner, text)
    return found


def _span(node: Any, text: str) -> tuple[int, int]:
    """Turn shfmt's byte offsets into ours; it counts continuations behind a word as its own."""
    raw = text.encode()
    start, end = (len(raw[: node[k].get("Offset", 0)].decode()) for k in ("Pos", "End"))
    spelling = re.sub(r"(?:\\\n)+\Z", "", text[start:end])
    return start, start + len(spelling)


# shfmt has nodes of their own for these, unless an assignment stands before them.
DECLARING = frozenset({"declare", "export", "local", "readonly", "typeset", "nameref", "let"})


def our_words(text: str) -> set[tuple[int, int]] | None:
    script = parse(text)
    if isinstance(script, Unparsed):
        return None
    return {
        (word.start, word.end)
        for command in script.commands()
        if command.words and command.words[0].text not in DECLARING
        for word in command.words
    }


@needs_shfmt
@pytest.mark.parametrize("text", TRICKY)
def test_tricky_text_has_the_words_that_shfmt_finds(text: str) -> None:
    """Words, nested ones included, stand where shfmt sees them."""
    theirs = shfmt_words(text)
    assert theirs is not None, "shfmt refuses this input"
    assert our_words(text) == theirs


@needs_bash
@pytest.mark.parametrize("text", TRICKY)
def test_tricky_text_is_valid_for_bash(text: str) -> None:
    """The table above means what it says."""
    assert bash_accepts(text)


def test_any_quote_in_a_delimiter_quotes_the_body() -> None:
    """Nothing runs in such a body (bash manual, here documents)."""
    assert our_words(HALF_QUOTED) == {(0, 3), (21, 23)}


@needs_bash
@pytest.mark.parametrize("text", BROKEN)
def test_what_bash_refuses_is_refused(text: str) -> None:
    """Broken input has no commands."""
    assert not bash_accepts(text)
    assert our_words(text) is None


# One choice behind each bar or line; `\n` in them is a newline.
TOKENS = r"""git status|ls -la|echo 'a b'|rm x|$x|"$x"|$(ls)|a=1|a=$(ls) b|x+=(1 2)|if|then|fi|for
in|do|done|while|case|esac|{|}|(|)|((|))|[[|]]|&&|;;|&|> f|2>&1|&>f|<<<x|\\n|# c\n|'|"|$'a\tb'
<<E\nx\nE\n|${x:-y}|${x[1]}|$((1+2))|<(ls)|*.py|{a,b}|~|!|f()|function g|elif|else|coproc|[ -f x ]
é日本|a~1|--x=y|$#|$|-|HEAD@{1}|x[1]=2|  |3>f|{fd}>f|$"a"|select|until"""
TEMPLATES = r"""if %; then %; fi|for i in %; do %; done|while %; do %; done|{ %; }|( % )|% && %
f() { %; }|echo $(%)|echo `%`|! %|% &|% > f|diff <(%) x|echo "$(%) x"|cat <<E\n$(%)\nE\n%
%\n%|# %\n%"""
LEAVES = r"""ls -la|echo 'a;b'|git log --x=y|a "$x" y|"q r" s|w\ x y|c {a,b} ~/x|e $((1+2)) ${y%.z}
x=1 cmd|f 2>&1 >o|cat <<<'x'|éa 日|echo $'\x41' $"b"|test -f *.[ch]|a[1]=3|b=(1 2 'x y')"""


def choices(table: str) -> list[str]:
    return [part.replace("\\n", "\n") for line in table.split("\n") for part in line.split("|")]


def soup(source: random.Random) -> str:
    """Put tokens behind each other."""
    tokens = choices(TOKENS)
    return "".join(
        source.choice(tokens) + source.choice(["", " ", " ", " ; ", "\n"])
        for _ in range(source.randint(1, 9))
    )


def nested(source: random.Random, depth: int = 0) -> str:
    """Put commands into each other."""
    if depth > 3 or source.random() < 0.25:
        return source.choice(choices(LEAVES))
    first, *rest = re.split("%(?!\\.)", source.choice(choices(TEMPLATES)))
    return first + "".join(nested(source, depth + 1) + part for part in rest)


@needs_shfmt
@pytest.mark.parametrize("make", [soup, nested])
def test_random_text_is_read_as_bash_and_shfmt_read_it(make: Any) -> None:
    """Words are never elsewhere; what both refuse is refused, up to 1 %; few are refused in vain.

    Inputs about which the two disagree are left out.
    """
    source = random.Random(20)  # noqa: S311 - a test's own sequence
    wrong, broken, shy, usable = [], [], [], 0
    for _ in range(400):
        text = make(source)
        ours, theirs = our_words(text), shfmt_words(text)
        if bash_accepts(text) != (theirs is not None):
            continue
        usable += 1
        if theirs is None:
            broken += [text] if ours is not None else []
        elif ours is None:
            shy.append(text)
        elif ours != theirs and not set(text.split()) & DECLARING:
            wrong.append(text)
    assert usable > 200
    assert wrong == []
    assert len(broken) <= usable // 100, broken
    assert len(shy) <= usable // 50, shy
