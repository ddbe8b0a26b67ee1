"""The budget of all inline rules (contract, 9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.rules.budget import tokens, used, within
from agguard.rules.path import uri
from agguard.rules.rule import CONDITIONAL, DEMOTED, INLINE, RULE, WORKSPACE, Rule, Source


def rule(path: str, size: int, *, exempt: bool = False, state: str = INLINE) -> Rule:
    source = Source(path, uri(path), RULE, WORKSPACE, "/ws", "/ws")
    return Rule(source, state, "always_on", tokens=tokens(size), exempt=exempt)


def out(rules: list[Rule]) -> list[str]:
    return [each.path for each in rules if each.state == DEMOTED]


@pytest.mark.parametrize(
    ("size", "expected"), [(0, 0), (1, 1), (3, 1), (4, 2), (23_998, 8_000), (24_000, 8_000)]
)
def test_three_bytes_are_a_token(size: int, expected: int) -> None:
    assert tokens(size) == expected


@pytest.mark.parametrize("sizes", [(), (60_000,), (24_000, 24_000, 12_000)])
def test_rules_within_the_budget_stay(sizes: tuple[int, ...]) -> None:
    rules = [rule(f"/ws/{n}.md", size) for n, size in enumerate(sizes)]
    assert within(rules, 20_000) == rules


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({"a": 24_000, "b": 24_000, "c": 24_000}, ["/ws/a"]),
        ({"a": 23_998, "b": 24_000, "c": 23_999}, ["/ws/a"]),
        ({"a": 3_000, "b": 24_000, "c": 24_000, "d": 24_000}, ["/ws/b"]),
        ({"a": 24_000, "b": 24_000, "c": 24_000, "d": 24_000}, ["/ws/a", "/ws/b"]),
        ({"é": 24_000, "z": 24_000, "~": 24_000}, ["/ws/z"]),
    ],
)
def test_the_largest_goes_and_among_equals_the_smallest_path(
    sizes: dict[str, int], expected: list[str]
) -> None:
    rules = [rule(f"/ws/{name}", size) for name, size in sizes.items()]
    assert out(within(rules, 20_000)) == expected


def test_raw_paths_are_compared_not_uris() -> None:
    """As URIs `%C3%A9` would come before `0`; as bytes it comes after."""
    rules = [rule("/ws/é.md", 33_000), rule("/ws/0.md", 33_000)]
    assert out(within(rules, 20_000)) == ["/ws/0.md"]


def test_two_rules_of_one_path_go_together_and_one_is_counted() -> None:
    """A file that is global and a directory's: seen on the engine."""
    sizes = [15_400, 7_000, 14_700, 14_700, 14_700, 14_700]
    paths = ["/h/AGENTS.md", "/h/AGENTS.md", "/h/r/B.md", "/h/r/C.md", "/h/r/D.md", "/h/r/E.md"]
    rules = [rule(path, size) for path, size in zip(paths, sizes, strict=True)]
    assert out(within(rules, 20_000)) == ["/h/AGENTS.md", "/h/AGENTS.md", "/h/r/B.md"]


def test_exempt_and_conditional_rules_are_neither_counted_nor_demoted() -> None:
    rules = [
        rule("/b/AGENTS.md", 90_000, exempt=True),
        rule("/ws/m.md", 90_000, state=CONDITIONAL),
        rule("/ws/a.md", 60_000),
    ]
    assert within(rules, 20_000) == rules
    assert used(rules) == 20_000


@given(st.lists(st.integers(0, 24_000), max_size=30), st.integers(0, 30_000))
def test_what_stays_fits_and_what_went_was_needed(sizes: list[int], budget: int) -> None:
    rules = [rule(f"/ws/{n:02}", size) for n, size in enumerate(sizes)]
    result = within(rules, budget)
    assert used(result) <= budget
    gone = [each.tokens for each in result if each.state == DEMOTED]
    stay = [each.tokens for each in result if each.state == INLINE]
    if gone:
        assert used(result) + min(gone) > budget
        assert min(gone) >= max(stay, default=0)
    assert [each.path for each in result] == [each.path for each in rules]
