"""The budget of all inline rules together (9)."""

from __future__ import annotations

from agguard.rules.rule import DEMOTED, INLINE, Rule
from agguard.rules.text import raw

BUDGET = 20_000
"""Tokens; the host's `defaultRulesBudget`."""
BYTES_PER_TOKEN = 3


def tokens(size: int) -> int:
    """Return what a body of `size` bytes costs."""
    return -(-size // BYTES_PER_TOKEN)


def used(rules: list[Rule]) -> int:
    """Return the tokens that count against the budget."""
    return sum(rule.tokens for rule in rules if rule.state == INLINE and not rule.exempt)


def within(rules: list[Rule], budget: int) -> list[Rule]:
    """Demote the largest rules until the rest fits; among equals the smallest path goes first.

    Demotion is by path: where a file is global and a directory's at once, taking one out takes
    both out, though only the first one's tokens are counted (measured on 0.1.22).
    """
    total = used(rules)
    if total <= budget:
        return rules
    counted = [rule for rule in rules if rule.state == INLINE and not rule.exempt]
    counted.sort(key=lambda rule: (-rule.tokens, raw(rule.path)))
    out = set()
    for rule in counted:
        if total <= budget:
            break
        out.add(rule.path)
        total -= rule.tokens
    return [_demoted(rule) if rule.path in out else rule for rule in rules]


def _demoted(rule: Rule) -> Rule:
    if rule.state != INLINE or rule.exempt:
        return rule
    return rule.replace(state=DEMOTED, reason="over_budget")
