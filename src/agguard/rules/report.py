"""The account of a block as plain data, for `--json`."""

from __future__ import annotations

from agguard.rules.reason import section, sentence
from agguard.rules.rule import INLINE
from agguard.rules.text import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.rules.engine import Rendered
    from agguard.rules.rule import Rule


def account(rendered: Rendered) -> dict[str, Any]:
    """Return the account of a block: JSON types only, every text valid Unicode."""
    inline = [rule for rule in rendered.rules if rule.state == INLINE]
    places = {id(rule): place for place, rule in enumerate(inline, 1)}
    product = rendered.product
    return {
        "product": {"name": product.name, "measured": product.measured},
        "budget": rendered.budget,
        "tokens": rendered.tokens,
        "block_bytes": len(rendered.block.encode()),
        "workspaces": [
            {
                "folder": shown(each.folder),
                "root": shown(each.root),
                "marker": shown(each.marker),
            }
            for each in rendered.sessions
        ],
        "rules": [_rule(rule, places.get(id(rule), 0)) for rule in rendered.rules],
        "left_out": [_rule(rule, 0) for rule in rendered.left_out],
        "plugins": [
            {"path": shown(each.path), "name": each.name, "scope": each.scope, "state": each.state}
            for each in rendered.plugins
        ],
        "faults": [{"path": shown(path), "problem": what} for path, what in rendered.faults],
    }


def _rule(rule: Rule, place: int) -> dict[str, Any]:
    source = rule.source
    return {
        "path": shown(source.path),
        "uri": source.uri,
        "kind": source.kind,
        "scope": source.scope,
        "folder": shown(source.folder),
        "via": shown(source.via),
        "state": rule.state,
        "place": place,
        "reason": {
            "code": rule.reason,
            "section": section(rule.reason),
            "text": sentence(rule.reason),
            "detail": shown(rule.detail),
            "line": rule.line,
        },
        "trigger": shown(rule.trigger),
        "description": shown(rule.description),
        "bytes": rule.size,
        "expanded_bytes": rule.expanded,
        "truncated_bytes": rule.lost,
        "tokens": rule.tokens,
        "exempt": rule.exempt,
        "includes": [
            {
                "label": shown(each.label),
                "target": shown(each.target),
                "path": shown(each.path),
                "state": each.state,
                "bytes": each.size,
            }
            for each in rule.inclusions
        ],
    }
