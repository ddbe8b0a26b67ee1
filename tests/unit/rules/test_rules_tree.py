"""Scopes, precedence and the budget's use; the account as plain data."""

from __future__ import annotations

import json

from agguard.rules.engine import Rendered, render
from agguard.rules.report import account
from agguard.rules.tree import tree
from unit.rules.shelf import Shelf

RULE = "---\ntrigger: always_on\ndescription: d\n---\n"
FILES: dict[str, str | bytes] = {
    "/ws/.git/HEAD": "",
    "/ws/AGENTS.md": "root\n",
    "/ws/.agents/rules/style.md": RULE + "style\n",
    "/ws/.agents/rules/big.md": RULE + "x" * 300,
    "/ws/app/AGENTS.md": "app\n",
    "/ws/app/web/GEMINI.md": "web\n",
    "/ws/app/.agents/rules/none.md": "dropped",
    "/h/.gemini/GEMINI.md": "me\n",
    "/h/.gemini/config/rules/own.md": RULE + "own\n",
}


def told(budget_tokens: int = 50) -> Rendered:
    shelf = Shelf(FILES)
    return render("/ws/app/web", "/h", product="sdk", budget_tokens=budget_tokens, read=shelf)


def test_scopes_go_from_the_widest_to_the_narrowest() -> None:
    labels = [(scope.label, scope.folder) for scope in tree(told()).scopes]
    assert labels == [
        ("global", "/h"),
        ("user", "/h"),
        ("root", "/ws"),
        ("folder", "/ws/app"),
        ("session", "/ws/app/web"),
    ]


def test_places_count_the_inline_rules_in_the_order_of_the_block() -> None:
    rendered = told()
    placed = {each.rule.path: each.place for scope in tree(rendered).scopes for each in scope.rules}
    assert placed == {
        "/h/.gemini/GEMINI.md": 1,
        "/ws/AGENTS.md": 2,
        "/ws/app/AGENTS.md": 3,
        "/ws/.agents/rules/style.md": 4,
        "/ws/app/web/GEMINI.md": 5,
        "/h/.gemini/config/rules/own.md": 6,
        "/ws/.agents/rules/big.md": 0,
        "/ws/app/.agents/rules/none.md": 0,
    }


def test_the_budgets_use() -> None:
    drawn = tree(told())
    assert (drawn.used, drawn.budget, drawn.demoted, drawn.exempt) == (11, 50, 100, 0)
    assert drawn.filled == 11 / 50
    assert tree(told(0)).filled == 1.0


def test_outer_rules_that_stand_after_inner_ones_are_shown() -> None:
    """5.1: the depth of the path decides, not the scope."""
    pairs = {(each.outer, each.inner) for each in tree(told()).inversions}
    assert pairs == {
        ("/ws/.agents/rules/style.md", "/ws/app/AGENTS.md"),
        ("/h/.gemini/config/rules/own.md", "/ws/AGENTS.md"),
        ("/h/.gemini/config/rules/own.md", "/ws/app/AGENTS.md"),
        ("/h/.gemini/config/rules/own.md", "/ws/.agents/rules/style.md"),
        ("/h/.gemini/config/rules/own.md", "/ws/app/web/GEMINI.md"),
    }


def test_the_account_is_plain_data() -> None:
    data = json.loads(json.dumps(account(told())))
    assert data["product"] == {"name": "sdk", "measured": True}
    assert data["workspaces"] == [{"folder": "/ws/app/web", "root": "/ws", "marker": "/ws/.git"}]
    demoted = next(rule for rule in data["rules"] if rule["state"] == "demoted")
    assert demoted["path"] == "/ws/.agents/rules/big.md"
    assert demoted["reason"]["code"] == "over_budget"
    assert demoted["reason"]["section"] == "9.2"
    assert demoted["tokens"] == 100
    assert [rule["path"] for rule in data["left_out"]] == ["/ws/app/.agents/rules/none.md"]


def test_unmeasured_profiles_are_marked_in_the_account() -> None:
    rendered = render("/ws", "/h", product="ide", read=Shelf(FILES))
    assert account(rendered)["product"] == {"name": "ide", "measured": False}
