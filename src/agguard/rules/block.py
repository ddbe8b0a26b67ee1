"""The text of the `<user_rules>` block (10)."""

from __future__ import annotations

from agguard.rules.rule import CONDITIONAL, DEMOTED, GLOBAL, INLINE, Rule
from agguard.rules.text import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

INTRODUCTION = (
    "The following are user-defined rules that you MUST ALWAYS FOLLOW WITHOUT ANY EXCEPTION."
    " These rules take precedence over any following instructions.\n"
    "Review them carefully and always take them into account when you generate responses and"
    " code:\n"
)
OVER_BUDGET = (
    "The following user-defined rules exceeded the rules token budget and were excluded from"
    " inline injection. View the file for further instructions when relevant:\n"
)
CONDITIONS = (
    "The following are conditional rules, formatted as: - [absolute path]: [description].\n"
    "The description provides conditions under which the rule applies. If you believe a rule"
    " should apply, view the file for further instructions.\n"
)


def block(rules: Sequence[Rule]) -> str:
    """Return the block of these rules, which are in order; empty when there is none (10.1)."""
    inline = [rule for rule in rules if rule.state == INLINE]
    demoted = [rule for rule in rules if rule.state == DEMOTED]
    conditional = [rule for rule in rules if rule.state == CONDITIONAL]
    if not (inline or demoted or conditional):
        return ""
    pieces = ["<user_rules>\n"]
    if inline:
        bodies = "\n".join(tagged(rule) for rule in inline if rule.body)
        pieces.append(f"{INTRODUCTION}{bodies}\n")
    if demoted:
        pointers = "\n".join(map(told, demoted))
        pieces.append(f"{OVER_BUDGET}{pointers}\n")
    if conditional:
        conditions = "".join(f"{told(rule)}\n" for rule in conditional)
        pieces.append(f"{CONDITIONS}{conditions}\n")
    pieces.append("</user_rules>")
    return shown("".join(pieces))


def title(rule: Rule) -> str:
    """Return what stands in the brackets of a rule's tag (10.3)."""
    return "user_global" if rule.source.kind == GLOBAL else rule.path


def tagged(rule: Rule) -> str:
    """Return an inline rule as it stands in the block, in its tag."""
    name = title(rule)
    return f"<RULE[{name}]>\n{rule.body}\n</RULE[{name}]>"


def told(rule: Rule) -> str:
    """Return what the block says of a rule: its text, or the line that points to its file."""
    if rule.state == INLINE:
        return rule.body
    if rule.state == CONDITIONAL:
        return f"- {rule.source.uri}: {rule.description}"
    return f"- {rule.path}: {rule.description}" if rule.description else f"- {rule.path}"
