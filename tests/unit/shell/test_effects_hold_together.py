"""Properties of effects: they never raise, and nothing added makes a line harmless."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from time import process_time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agguard.model.effect import Effect
from agguard.shell.effects import Effects, effect_of

CORPUS = Path(__file__).resolve().parents[2] / "corpus"


def lines_of(name: str) -> list[str]:
    """Return the lines of a list that have no here-document and no comment."""
    lines = (CORPUS / name).read_text(encoding="utf-8").splitlines()
    return [line.replace("\u23ce", "\n") for line in lines if "<<" not in line and "#" not in line]


HARMLESS = st.sampled_from(lines_of("shell_read.txt"))
HARMFUL = st.sampled_from(lines_of("shell_not_read.txt"))
SIMPLE_HARMFUL = st.sampled_from(
    ["rm x", "git push", "python3 x.py", "sort -o f f", "git log --output=x", "find . -delete"]
)
WRAPPERS = st.sampled_from(
    """env|env A=1|nice|nice -n 5|timeout 5|timeout -k 1 5|stdbuf -oL|setsid|command|time|rtk
rtk proxy|/usr/bin/env|env -u X|xargs|xargs -n1|busybox|! |nohup|sudo|exec""".replace(
        "\n", "|"
    ).split("|")
)
PIECES = st.sampled_from(
    """git|log|--output=x|-o|$x|"$x"|$(ls)|`ls`|a=1|PATH=x|;|&&|||\n|>|<|f|cat|sort|sed|awk|find|-exec
{}|\\;|xargs|sh|-c|'rm x'|env|sudo|cd|..|/tmp|~|*|[|]|[[|]]|((|))|if|then|fi|for|in|do|done|x|{a,b}
eval|export|read|test|-v|printf|%s|rtk|docker|ps|kubectl|get|pods|aws|s3|ls|$((x+1))|${x:-y}|${x@P}|<(ls)|!
trap|declare|-n|jq|.|tar|tf|git -C|--|-|-5|--evil|EOF|function|f()|{|}|&|2>&1|/dev/null""".replace(
        "\n", "|"
    ).split("|")
)


def effects(text: str) -> Effects:
    return effect_of(text, cwd="/ws", workspaces=("/ws",), writable=("/ws/plans",))


@given(st.lists(PIECES, max_size=12).map(" ".join))
@settings(max_examples=1500, deadline=None)
def test_any_line_has_an_effect(line: str) -> None:
    """Nothing is raised, parts lie in the line, and the whole is the parts together."""
    found = effects(line)
    together = Effect(0)
    for part in found.parts:
        assert 0 <= part.start <= part.end <= len(line)
        together |= part.effect
    if together and together != Effect.READ:
        together &= ~Effect.READ
    assert found.effect == (together or Effect.READ)


@given(st.text(max_size=60), st.sampled_from(["bash", "cmd", "powershell"]))
@settings(max_examples=500, deadline=None)
def test_any_text_has_an_effect(text: str, shell: str) -> None:
    """Also what no shell would understand, on any host."""
    assert effect_of(text, cwd="/ws", workspaces=("/ws",), shell=shell).effect


@given(HARMLESS, HARMFUL, st.sampled_from(["; ", " && ", " || ", "\n"]))
@settings(max_examples=400, deadline=None)
def test_a_harmful_command_stays_harmful_behind_others(first: str, bad: str, joint: str) -> None:
    """No harmless beginning hides what follows."""
    assert not effects(f"{first}{joint}{bad}").reads


@given(HARMFUL, HARMLESS)
@settings(max_examples=300, deadline=None)
def test_a_harmful_command_stays_harmful_in_front_of_others(bad: str, last: str) -> None:
    """Nor does a harmless end."""
    assert not effects(f"{bad}\n{last}").reads


BODIES = ["({})", "{{ {}; }}", "if {}; then ls; fi", "while {}; do ls; done", "f() {{ {}; }}; f"]
NESTED = ["echo $({})", "echo `{}`", "ls <({})", "x=$({})", 'cat "$({})"', "[[ -n $({}) ]]"]
FORMS = st.sampled_from([*BODIES, *NESTED, "! {}", "{} &", "{} | cat", "ls | {}", "{} 2>&1"])


@given(SIMPLE_HARMFUL, FORMS, FORMS)
@settings(max_examples=300, deadline=None)
def test_a_harmful_command_is_found_in_every_construct(bad: str, inner: str, outer: str) -> None:
    """Whatever stands around it, two deep."""
    assume(not ("`" in inner and "`" in outer))  # they end each other, they do not nest
    line = outer.format(inner.format(bad))
    assert not effects(line).reads, line


@given(SIMPLE_HARMFUL, st.lists(WRAPPERS, max_size=3))
@settings(max_examples=300, deadline=None)
def test_a_harmful_command_is_found_under_wrappers(bad: str, wrappers: list[str]) -> None:
    """Whatever runs it."""
    assert not effects(" ".join([*wrappers, bad])).reads


@given(HARMFUL)
@settings(max_examples=200, deadline=None)
def test_a_harmful_line_is_found_in_a_shells_argument(bad: str) -> None:
    """`sh -c` runs what it is given, quoted any way."""
    assert not effects(f"sh -c {quote(bad)}").reads
    assert not effects(f"bash -c {quote(f'sh -c {quote(bad)}')}").reads
    assert not effects(f"eval {quote(bad)}").reads


@given(HARMLESS)
@settings(max_examples=200, deadline=None)
def test_quoting_a_harmless_line_keeps_it_harmless(line: str) -> None:
    """A text in an argument is judged like a line of its own, but for what its shell knows."""
    if not any(sign in line for sign in ("$", "history")):
        assert effects(f"bash -c {quote(line)}").reads


REPEATED = [
    "git status; ",
    "sh -c 'ls'; ",
    "for x in a; do ls $x; done; ",
    "f() { ls; }; ",
    "find . -exec ls {} \\; ; ",
    "x=1; ",
    "cd a && ",
    "env ",
    "a[$(",
    "echo '!x' ",
    "{a,b}",
    "-o ",
    "(",
    "sed -e p ",
    "((x+",
]


@pytest.mark.parametrize("unit", REPEATED)
def test_time_grows_no_faster_than_the_line(unit: str) -> None:
    """100 kB take less than 60 times as long as 2 kB, judging included."""
    small, large = (
        min(_seconds((unit * size)[:size]) for _ in range(3)) for size in (2_000, 100_000)
    )
    assert large < 60 * max(small, 5e-4)


def _seconds(line: str) -> float:
    start = process_time()
    effects(line)
    return process_time() - start


def test_texts_in_arguments_may_only_stand_so_deep_in_each_other() -> None:
    """The answer is unknown, not an error."""
    line = "rm x"
    for _ in range(9):
        line = f"sh -c {quote(line)}"
    assert not effects(line).reads
    assert not effects("env " * 3000 + "ls").reads
    assert not effects("$(" * 39 + "sh -c '" + "$(" * 39 + "ls" + ")" * 39 + "'" + ")" * 39).reads
