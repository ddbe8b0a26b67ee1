"""Matchers that the host cannot compile, found without having its RE2."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agguard.install.matcher import problem

GOOD = [
    "",
    "*",
    "run_command",
    "run_command|write_to_file|mcp_.*",
    "browser_.*",
    "(?i)RUN_.*",
    "a(?i)b",
    "(?i:run)_x",
    "(?U)a+",
    "(?P<n>a)",
    "(?<n>a)",
    r"\pL+",
    r"\p{Greek}",
    "[[:alpha:]_]+",
    "[[:^alpha:]]",
    r"\Qa.b(\E",
    r"\Aa\z",
    r"\x{10FFFF}",
    "a{2,3}?",
    "a??",
    "a{1000}",
    "{",
    "a|",
    "()",
]
BAD = [
    "(",
    "[a",
    "a)",
    "*a",
    "+",
    "a**",
    "a*+",
    "a{2}+",
    "(?=x)",
    "(?!x)",
    "(?<=x)y",
    "(?<!x)y",
    r"(a)\1",
    r"\Z",
    r"\h",
    r"\u0041",
    r"\Qa",
    "[[:foo:]]",
    "(?P=n)",
    "(?#x)",
    "(?>a)",
    "(?(1)a)",
    "(?x)a",
    "(?a)x",
    "a{1001}",
    "a{2,1}",
    "a{99999}",
    "\\",
    "[b-a]",
]


@pytest.mark.parametrize("matcher", GOOD)
def test_a_matcher_that_re2_compiles_is_left_alone(matcher: str) -> None:
    """Also what RE2 spells differently from Python."""
    assert problem(matcher) == ""


@pytest.mark.parametrize("matcher", BAD)
def test_a_matcher_that_re2_refuses_is_found(matcher: str) -> None:
    """The host would log it and never fire the hook."""
    assert problem(matcher)


@settings(deadline=None)
@given(st.text(alphabet="ab(|)[]{}*+?\\1Q:^$<=!.,-P"))
def test_any_text_is_judged(matcher: str) -> None:
    """No matcher makes the check itself fail, and what Python refuses outright is refused."""
    why = problem(matcher)
    if not why and not re.search(r"\\[QpPzxC]|\[:|\(\?", matcher) and matcher != "*":
        re.compile(matcher)
