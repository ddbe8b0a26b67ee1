"""Mandatory lines of a closing message: what holds one, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard_builtin.attention.markers import UNDONE, UNVERIFIED, admits, lacking

MARKER = "Summary of skills used:"

HOLDS = [
    "Summary of skills used: delegation.",
    "summary OF skills USED: delegation.",
    "Done.\n\n**Summary of skills used:** delegation",
    "**Summary of skills used**: delegation",
    "## Summary of skills used\n\n- delegation",
    "### **Summary of Skills Used:**\ndelegation",
    "- Summary of skills used: delegation",
    "* __Summary of skills used:__ delegation",
    "3. Summary of skills used: delegation",
    "3) Summary of skills used: delegation",
    "> Summary of skills used: delegation",
    "• `Summary of skills used:` delegation",
    "Summary  of\u00a0skills used: delegation",
    "Summary of skills used\uff1a delegation",
    "Summary of skills used:",
    "| Summary of skills used: | delegation |",
    "✅ Summary of skills used: delegation",
    "### 🛠️ **Summary of skills used:**\n- delegation",
    "→ ◦ · Summary of skills used: delegation",
    "\ufeff\u200bSummary of skills used: delegation",
    "a) Summary of skills used: delegation",
    "(1) Summary of skills used: delegation",
    "- [x] Summary of skills used: delegation",
    "- [ ] Summary of skills used: delegation",
    "Summary of skills used : delegation",
    "=== Summary of skills used: ===\ndelegation",
    "“Summary of skills used:” delegation",
    "\\*\\*Summary of skills used:\\*\\* delegation",
    "[Summary of skills used:](#skills) delegation",
    "first\r\nSummary of skills used:\r\ndelegation",
]

LACKS = [
    "",
    "Done.",
    "I will write the Summary of skills used: later",
    "You asked for 'Summary of skills used:', here it is not.",
    "Summary of skills used",
    "## Summary of skills used\n\n---",
    "Summary of skills used - delegation",
    "Summary of skills usedless: no",
    "Summary of skills used elsewhere",
    "Summary of\nskills used: delegation",
    "A summary of skills used: delegation",
    "ab) Summary of skills used: delegation",
    "Done. Summary of skills used: delegation",
    "✅ 🛠️ ---",
]


@pytest.mark.parametrize("message", HOLDS)
def test_dress_does_not_matter(message: str) -> None:
    """Case, emphasis, headings, quotes and bullets are not what is asked for."""
    assert lacking(message, (MARKER,)) == []


@pytest.mark.parametrize("message", LACKS)
def test_words_in_another_place_do_not_count(message: str) -> None:
    """A marker begins a line; a heading without a colon needs something below it."""
    assert lacking(message, (MARKER,)) == [MARKER]


def test_every_marker_is_asked_for_and_either_alternative_holds_it() -> None:
    """`a | b` is one marker with two spellings."""
    markers = ("Summary of skills used: | Skills:", "Tests:")

    assert lacking("Skills: none\nTests: pass", markers) == []
    assert lacking("Skills: none", markers) == ["Tests:"]
    assert lacking("Tests: pass", markers) == ["Summary of skills used: | Skills:"]


def test_a_marker_without_a_colon_may_stand_alone() -> None:
    """It says something by itself."""
    assert lacking("All done\nVERIFIED.", ("verified",)) == []
    assert lacking("unverified", ("verified",)) == ["verified"]


def test_a_marker_without_words_counts_anywhere_and_an_empty_one_asks_for_nothing() -> None:
    """A picture can be asked for, too; nothing cannot be lacking."""
    assert lacking("All done. ✅", ("✅ | ☑️",)) == []
    assert lacking("All done.", ("✅ | ☑️",)) == ["✅ | ☑️"]
    assert lacking("All done.", ("", " ", "|", " | ")) == []
    assert lacking("All done.", ("Tests: |",)) == ["Tests: |"]


@pytest.mark.parametrize(
    "message",
    [
        "Not verified because the database is down.",
        "**Not verified** because the user asked me to stop",
        "This was not verified\nbecause tests need a GPU.",
        "The migration was not done because the subagent died.",
    ],
)
def test_an_honest_admission_is_recognized(message: str) -> None:
    """It says what was left out, and why."""
    assert admits(message, UNVERIFIED, UNDONE)


@pytest.mark.parametrize(
    "message",
    ["", "Verified.", "Not verified.", "not verified because", "not verified because ..."],
)
def test_an_admission_without_a_reason_is_none(message: str) -> None:
    """The rejection itself quotes `not verified because ...`, so repeating it is not enough."""
    assert not admits(message, UNVERIFIED, UNDONE)


@given(
    before=st.text(st.characters(exclude_characters="\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")),
    dress=st.sampled_from(["", "- ", "* ", "## ", "> ", "1. ", "**", "> - **", "  "]),
)
def test_a_dressed_marker_on_a_line_of_its_own_always_holds(before: str, dress: str) -> None:
    """Whatever stands before it."""
    message = f"{before}\n{dress}{MARKER} rtk"
    assert lacking(message, (MARKER,)) == []
