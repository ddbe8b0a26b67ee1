"""What go-yaml makes of frontmatter (contract, 4.5), by the engine's own answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.rules import node
from agguard.rules.fields import read
from agguard.rules.text import shown

MEASURED = [
    json.loads(line)
    for line in Path(__file__)
    .with_name("frontmatter_measured.jsonl")
    .read_text("utf-8")
    .splitlines()
]
"""YAML with the description that the engine told for it, null where it dropped the rule."""

# libyaml treats a byte order mark at the start of a later line otherwise than go-yaml.
KNOWN = "\n\ufeff"


def told(head: str) -> str | None:
    """Return the description of a conditional rule, None for one that is dropped."""
    found = read(head)
    return (
        shown(found.description)
        if found.trigger == "model_decision" and not found.problem
        else None
    )


def test_every_measured_answer_is_given() -> None:
    wrong = [
        (case["yaml"], case["told"], told(case["yaml"]))
        for case in MEASURED
        if told(case["yaml"]) != case["told"] and KNOWN not in case["yaml"]
    ]
    assert wrong == []
    assert len(MEASURED) > 1_500


def test_the_known_difference_is_still_one() -> None:
    """Should libyaml change, the exception above has to go."""
    wrong = [case for case in MEASURED if told(case["yaml"]) != case["told"]]
    assert wrong
    assert all(KNOWN in case["yaml"] for case in wrong)


@pytest.mark.parametrize(
    ("head", "trigger", "description"),
    [
        ("trigger: always_on", "always_on", ""),
        ("{trigger: always_on}", "always_on", ""),
        ("trigger: ' always_on '\ndescription: '  padded  '", "always_on", "padded"),
        ("description: |\n  two\n  lines\ntrigger: glob", "glob", "two\nlines"),
        ("description: 42", "", "42"),
        ("description: yes", "", "yes"),
        ("description: 2024-01-01", "", "2024-01-01"),
        ("description: null", "", ""),
        ("Trigger: always_on", "", ""),
        ("other: [a, {b: c}]\ntrigger: manual", "manual", ""),
        ("", "", ""),
        ("# only a comment", "", ""),
    ],
)
def test_scalars_keep_their_text(head: str, trigger: str, description: str) -> None:
    found = read(head)
    assert (found.trigger, found.description, found.problem) == (trigger, description, "")


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("description: Use when: x", 1),
        ("trigger: always_on\ndescription: @x", 2),
        ("description: `x`", 1),
        ("description: %x", 1),
        ("description: *x", 1),
        ("description: 'x", 1),
        ("x: [a", 1),
        ("trigger:always_on", 1),
        ("x:\n\ty: z", 2),
        ('trigger: always_on\nglobs: ["*.py"]', 2),
        ("description: {a: b}", 1),
        ("a: 1\nb: 2\na: 3", 3),
        ("- trigger", 1),
        ("text", 1),
        ("description: a\x01b", 1),
        ("\n\n\ndescription: [a]", 4),
    ],
)
def test_what_drops_the_rule_is_named_with_its_line(head: str, line: int) -> None:
    found = read(head)
    assert found.problem
    assert (found.trigger, found.description) == ("", "")
    assert found.line == line


@pytest.mark.parametrize(
    ("head", "globs", "glob"),
    [
        ("globs: *.py", "*.py", ""),
        ("glob: **/*.{ts,js}", "", "**/*.{ts,js}"),
        ("globs: *.py # comment", "*.py # comment", ""),
        ("  globs :  *.py", "*.py", ""),
        ("globs:\n  *.py", "*.py", ""),
        ("globs: src/**", "src/**", ""),
        ("globs: '*.py'", "*.py", ""),
    ],
)
def test_unquoted_globs_are_quoted_first(head: str, globs: str, glob: str) -> None:
    found = read(head)
    assert (found.globs, found.glob, found.problem) == (globs, glob, "")


def test_a_quote_in_an_unquoted_glob_breaks_the_yaml() -> None:
    assert read('globs: *a"b').problem


def test_invalid_utf8_drops_the_rule() -> None:
    assert read("description: a\udcff").problem


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_no_text_raises(head: str) -> None:
    read(head)


@given(st.text(":#-?[]{},&*!|>'\"%@` \n\tab\\", max_size=60))
def test_no_punctuation_raises(head: str) -> None:
    read(head)


def test_deep_nesting_raises_nothing() -> None:
    assert read("x: " + "[" * 50_000).problem
    read("\n".join(" " * n + "a:" for n in range(2_000)))


def test_anchors_that_hold_themselves_end() -> None:
    assert read("u: &a {<<: *a}\n<<: *a").problem
    assert not read("u: &a [*a]\ndescription: x").problem


def test_a_bomb_of_aliases_is_not_expanded() -> None:
    """Nothing but the four fields is looked into."""
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    assert read("\n".join([*lines, "description: d"])).description == "d"


def test_a_bomb_of_merges_is_refused() -> None:
    """2^60 mappings: go-yaml calls it excessive aliasing."""
    lines = ["a0: &a0 {x: y}"]
    lines += [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 60)]
    assert "excessive" in read("\n".join([*lines, "<<: *a59"])).problem


def test_a_long_chain_of_merges_raises_nothing() -> None:
    lines = ["a0: &a0 {x: y}"]
    lines += [f"a{n}: &a{n} {{<<: *a{n - 1}}}" for n in range(1, 5_000)]
    assert read("\n".join([*lines, "<<: *a4999"])).problem


def test_frontmatter_of_a_megabyte_is_not_read() -> None:
    assert read("a: b\n" * 300_000).problem


def test_many_documents_take_linear_time() -> None:
    read("--- a\n" * 20_000)
    read("a: b\n" * 20_000 + "...\n")


def test_many_blank_lines_take_linear_time() -> None:
    """The engine's own expression for globs is quadratic here."""
    read("glob" + "\n" * 300_000 + "x")


def test_without_libyaml_plain_frontmatter_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML's own scanner differs over tabs; go-yaml is a port of libyaml."""
    import yaml

    heads = [case["yaml"] for case in MEASURED if "\t" not in case["yaml"]]
    by_libyaml = [told(head) for head in heads]
    monkeypatch.setattr(node, "_parser", lambda: yaml.BaseLoader)
    by_python = [told(head) for head in heads]
    same = sum(a == b for a, b in zip(by_libyaml, by_python, strict=True))
    assert same / len(heads) > 0.97
    assert read("trigger: always_on\ndescription: 'a: b'").description == "a: b"
