"""Where frontmatter begins and ends (contract, 4.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.rules.frontmatter import split


@pytest.mark.parametrize(
    ("text", "head", "body"),
    [
        ("---\na: b\n---\nB\n", "a: b\n", "B\n"),
        ("\n --- \ntrigger: always_on\n---\t\n\nB\n", "trigger: always_on\n", "\nB\n"),
        ("---\n---\n", "", ""),
        ("---\na: b\n---", "a: b\n", ""),
        ("---\r\na: b\r\n---\r\nB", "a: b\r\n", "B"),
        ("---\na: |\n  x\n  ---\n  y\n---\nB", "a: |\n  x\n", "  y\n---\nB"),
        ("---\n...\n---x\n----\n---\nB", "...\n---x\n----\n", "B"),
        ("\u3000---\u2028\na: b\n\xa0---\nB", "a: b\n", "B"),
    ],
)
def test_fences_are_found(text: str, head: str, body: str) -> None:
    parts = split(text)
    assert (parts.head, parts.body) == (head, body)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "text\n---\na: b\n---\n",
        "\ufeff---\na: b\n---\n",
        "----\na: b\n----\n",
        "--- x\n---\n",
    ],
)
def test_texts_without_a_first_fence_have_none(text: str) -> None:
    parts = split(text)
    assert (parts.head, parts.body, parts.opened) == (None, text, False)


@pytest.mark.parametrize("text", ["---", "---\n", "---\na: b\n", "---\na: b\n---x\n", "---\n...\n"])
def test_a_fence_that_nothing_closes_opens_no_frontmatter(text: str) -> None:
    parts = split(text)
    assert (parts.head, parts.body, parts.opened) == (None, text, True)


def test_lines_are_counted_from_one() -> None:
    parts = split("\n---\na: b\nc: d\n---\nB")
    assert (parts.head_line, parts.body_line) == (3, 6)


@given(st.text(alphabet="-\n a\r", max_size=60))
def test_the_same_as_line_by_line(text: str) -> None:
    """The plain reading of the contract gives the same parts."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    expected = None
    if first is not None and lines[first].strip() == "---":
        for n in range(first + 1, len(lines)):
            if lines[n].strip() == "---":
                head = "".join(line + "\n" for line in lines[first + 1 : n])
                expected = (head, "\n".join(lines[n + 1 :]))
                break
    parts = split(text)
    assert (None if parts.head is None else (parts.head, parts.body)) == expected


def test_many_blank_lines_take_no_time() -> None:
    """A file of a megabyte of newlines is one search, not a million."""
    assert split("\n" * 1_000_000 + "---\na: b\n---\n").head == "a: b\n"
