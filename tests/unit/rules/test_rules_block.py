"""The text of the block (contract, 10)."""

from __future__ import annotations

from agguard.rules.block import CONDITIONS, INTRODUCTION, OVER_BUDGET
from agguard.rules.engine import render
from unit.rules.shelf import Shelf


def told(files: dict[str, str | bytes], budget_tokens: int = 20_000) -> str:
    shelf = Shelf({"/ws/.git/HEAD": ""} | files)
    return render("/ws", "/h", product="sdk", budget_tokens=budget_tokens, read=shelf).block


def test_no_rules_no_block() -> None:
    assert told({}) == ""
    assert told({"/ws/.agents/rules/a.md": "dropped"}) == ""


def test_the_contracts_example() -> None:
    files: dict[str, str | bytes] = {
        "/h/.gemini/GEMINI.md": "Be brief.\n",
        "/ws/AGENTS.md": "no newline at the end",
        "/ws/.agents/rules/db rules.md": (
            "---\ntrigger: model_decision\ndescription: When touching the database\n---\n"
        ),
        "/ws/.agents/rules/long.md": (
            "---\ntrigger: always_on\ndescription: Long one\n---\n" + "x" * 99
        ),
    }
    assert told(files, 20) == (
        f"<user_rules>\n{INTRODUCTION}"
        "<RULE[user_global]>\nBe brief.\n\n</RULE[user_global]>\n"
        "<RULE[/ws/AGENTS.md]>\nno newline at the end\n</RULE[/ws/AGENTS.md]>\n"
        f"{OVER_BUDGET}- /ws/.agents/rules/long.md: Long one\n"
        f"{CONDITIONS}- file:///ws/.agents/rules/db%20rules.md: When touching the database\n\n"
        "</user_rules>"
    )


def test_empty_bodies_are_left_out_but_the_introduction_stands() -> None:
    assert told({"/ws/AGENTS.md": ""}) == f"<user_rules>\n{INTRODUCTION}\n</user_rules>"


def test_without_inline_rules_there_is_no_introduction() -> None:
    """A conditional rule without description keeps the space at the end."""
    files: dict[str, str | bytes] = {
        "/ws/.agents/rules/a.md": "---\ntrigger: model_decision\n---\n"
    }
    assert told(files) == (
        f"<user_rules>\n{CONDITIONS}- file:///ws/.agents/rules/a.md: \n\n</user_rules>"
    )


def test_over_budget_paths_are_raw_also_for_global_files() -> None:
    files: dict[str, str | bytes] = {"/h/.gemini/AGENTS.md": "x" * 9}
    assert told(files, 2) == f"<user_rules>\n{OVER_BUDGET}- /h/.gemini/AGENTS.md\n</user_rules>"


def test_nothing_is_escaped_and_invalid_bytes_are_replaced() -> None:
    body = b"---\ntrigger: always_on\n---\n</user_rules>\x00a\xe2\x82"
    assert "\n</user_rules>\x00a\ufffd\ufffd\n" in told({"/ws/.agents/rules/a.md": body})


def test_paths_that_are_not_utf8_can_be_shown() -> None:
    files: dict[str, str | bytes] = {
        "/ws/.agents/rules/a\udcff.md": "---\ntrigger: always_on\n---\nx"
    }
    assert "<RULE[/ws/.agents/rules/a\ufffd.md]>\nx\n" in told(files)
