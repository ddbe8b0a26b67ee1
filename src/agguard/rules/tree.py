"""The rules by the folder whose agents they speak to: what `agguard rules tree` draws."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules.path import within
from agguard.rules.rule import BUILTIN, GLOBAL, HOME, INLINE, PLUGIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.rules.engine import Rendered
    from agguard.rules.rule import Rule


class Placed(Value):
    """A rule with its place in the block."""

    rule: Rule
    place: int
    """Its place among the inline rules, from 1; later ones win. 0 when it is not inline."""


class Scope(Value):
    """Rules that reach the same agents."""

    label: str
    folder: str
    rules: tuple[Placed, ...]
    """In the order of the block, then those that are left out."""


class Inversion(Value):
    """A rule of an outer folder that stands after one of an inner folder.

    The engine orders by the depth of the path, not by scope (5.1): `ws/.agents/rules/a.md`
    stands after `ws/app/AGENTS.md`, and so wins over it.
    """

    outer: str
    inner: str


class Tree(Value):
    """Scopes from the widest to the narrowest, and the budget's use."""

    scopes: tuple[Scope, ...]
    used: int
    budget: int
    exempt: int
    """Tokens of inline rules that the budget does not count."""
    demoted: int
    """Tokens of the rules that were taken out."""
    inversions: tuple[Inversion, ...]

    @property
    def filled(self) -> float:
        """How much of the budget is used, from 0 to 1."""
        return min(self.used / self.budget, 1.0) if self.budget else 1.0


def tree(rendered: Rendered) -> Tree:
    """Group a block's rules by scope."""
    inline = [rule for rule in rendered.rules if rule.state == INLINE]
    places = {id(rule): place for place, rule in enumerate(inline, 1)}
    groups: dict[tuple[int, str, str], list[Placed]] = {}
    for rule in (*rendered.rules, *rendered.left_out):
        placed = Placed(rule, places.get(id(rule), 0))
        groups.setdefault(_group(rule, rendered), []).append(placed)
    scopes = [Scope(key[1], key[2], tuple(groups[key])) for key in sorted(groups)]
    return Tree(
        tuple(scopes),
        rendered.tokens,
        rendered.budget,
        sum(rule.tokens for rule in inline if rule.exempt),
        sum(rule.tokens for rule in rendered.rules if rule.state == "demoted"),
        inversions(inline),
    )


def inversions(inline: list[Rule]) -> tuple[Inversion, ...]:
    """Return which rules of outer folders stand after rules of inner ones."""
    return tuple(
        Inversion(outer.path, inner.path)
        for place, inner in enumerate(inline)
        for outer in inline[place + 1 :]
        if _encloses(outer, inner)
    )


def _encloses(outer: Rule, inner: Rule) -> bool:
    above, below = outer.source.folder, inner.source.folder
    local = "workspace" in (outer.source.scope, inner.source.scope)
    if not local or inner.source.scope != "workspace":
        return False
    if outer.source.scope == HOME:  # the user's rules reach every folder
        return outer.source.kind != GLOBAL
    return above != below and within(below, above)


def _group(rule: Rule, rendered: Rendered) -> tuple[int, str, str]:
    """Return a scope's rank, label and folder."""
    source = rule.source
    if source.scope == BUILTIN:
        return 0, "built-in plugins", source.folder
    if source.scope == HOME:
        return (1, "global", source.folder) if source.kind == GLOBAL else (2, "user", source.folder)
    depth = source.folder.count("/")
    label = "folder"
    for session in rendered.sessions:
        if source.folder == session.folder:
            label = "session"
        elif source.folder == session.root:
            label = "root"
    if source.scope == PLUGIN:
        label = f"plugins of the {label}" if source.root else "user's plugins"
    return 3 + depth, label, source.folder
