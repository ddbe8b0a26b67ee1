"""The rules once more, for an agent that has lost sight of them: the most relevant first.

What an agent is told at the start of a session sinks under what it reads later, so a rejection
repeats it: rules of plugins, of the workspace (the nearest folder first), of the user, then what
skills there are. All of it under a budget: the prior plugin's full dump filled the context that
it meant to protect (its reference, section 7.2).
"""

from __future__ import annotations

import os

from agguard_builtin.attention.skills import skills

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agguard.model.session import Session
    from agguard.rules.engine import Rendered
    from agguard.rules.port import Read
    from agguard.rules.rule import Rule

BYTES_PER_TOKEN = 3
"""As the host counts rules (rules contract, section 9)."""

INTRODUCTION = "Your rules, once more:"


def refreshed(session: Session, tokens: int, read: Read | None = None) -> str:
    """Return the rules of a session as text; empty when the budget holds none of them.

    Args:
        session: Whose rules.
        tokens: What the text may cost, at three bytes a token.
        read: The port to the file system; the disk itself when left out.
    """
    if not tokens:
        return ""
    try:
        return within(list(_pieces(session, read)), tokens * BYTES_PER_TOKEN)
    except (ImportError, OSError, RecursionError) as error:
        # An installation without PyYAML, say; the rejection stands without the rules.
        return f"(agguard could not read your rules: {type(error).__name__}: {error})"


def within(pieces: list[tuple[str, str]], size: int) -> str:
    """Join pieces in order as far as `size` bytes allow.

    Args:
        pieces: Texts, each with the shorter one that stands for it where it does not fit.
        size: Bytes of the whole.
    """
    kept = [INTRODUCTION]
    left = size - len(INTRODUCTION)
    for text, short in pieces:
        for candidate in (text, short):
            cost = len(candidate.encode("utf-8", "replace")) + 1
            if candidate and cost <= left:
                kept.append(candidate)
                left -= cost
                break
    return "\n".join(kept) if len(kept) > 1 else ""


def _pieces(session: Session, read: Read | None) -> Iterator[tuple[str, str]]:
    from agguard.rules.engine import render
    from agguard.rules.product import product_shown

    if read is None:
        from agguard.rules.disk import Disk

        read = Disk()
    home = session.home or os.path.expanduser("~")
    artifact = session.transcript or session.artifact_dir
    product = product_shown(home, read, artifact=artifact)
    rendered = render(session.workspaces, home, product=product, read=read)
    for rule in ranked(rendered):
        yield _full(rule), _pointer(rule)
    for name, path, description in skills(rendered, home, read):
        yield f"- skill {name}: {description} ({path})", ""


def ranked(rendered: Rendered) -> list[Rule]:
    """Return the rules that the session is told of, the most relevant first."""
    from agguard.rules.rule import HOME, WORKSPACE

    ranks = {WORKSPACE: 1, HOME: 2}
    places = {id(rule): place for place, rule in enumerate(rendered.rules)}

    def rank(rule: Rule) -> tuple[int, bool, int, int]:
        # The engine lists folders from the root down; the nearest is the most specific.
        depth = rule.source.folder.count("/") if rule.source.scope == WORKSPACE else 0
        ours = "/plugins/agguard/" not in rule.path
        return ranks.get(rule.source.scope, 0), ours, -depth, places[id(rule)]

    return sorted(_once(rendered.rules), key=rank)


def _once(rules: Iterable[Rule]) -> list[Rule]:
    """Return rules without those whose text another one has."""
    found: dict[str, Rule] = {}
    for rule in rules:
        found.setdefault(rule.body or rule.path, rule)
    return list(found.values())


def _full(rule: Rule) -> str:
    from agguard.rules.rule import INLINE
    from agguard.rules.text import shown

    return shown(f"[{rule.path}]\n{rule.body.strip()}") if rule.state == INLINE else ""


def _pointer(rule: Rule) -> str:
    from agguard.rules.text import shown

    why = f": {rule.description}" if rule.description else ""
    return shown(f"- [{rule.path}]{why} (view the file)")
