"""Where commands run: in loops, groups and substitutions, with their output piped or captured."""

from __future__ import annotations

from agguard.shell.syntax import (
    BACKGROUND,
    BRANCH,
    CAPTURED,
    FUNCTION,
    GROUP,
    LOOP,
    PIPED_IN,
    PIPED_OUT,
    REDIRECTED,
    SUBSHELL,
    Command,
    Compound,
    Script,
    scripts_of,
)

PIPES = ("|", "|&")
OF_KIND = {
    "if": BRANCH,
    "case": BRANCH,
    "while": LOOP,
    "until": LOOP,
    "for": LOOP,
    "select": LOOP,
    "function": FUNCTION,
    "group": GROUP,
    "subshell": SUBSHELL,
    "coproc": BACKGROUND | CAPTURED,
}


def settle(script: Script, inherited: int = 0) -> None:
    """Write the context into every node of a script that nobody else has seen yet.

    A simple command inherits the context of what encloses it; `REDIRECTED` says that an
    enclosing compound is redirected, the command's own redirections stand beside it.
    """
    background = _background(script)
    for number, node in enumerate(script.nodes):
        context = inherited | (BACKGROUND if number in background else 0)
        if node.lead in PIPES:
            context |= PIPED_IN
        if node.trail in PIPES:
            context |= PIPED_OUT
        if context:
            object.__setattr__(node, "context", context)
        _settle_inside(node, context)


def _settle_inside(node: Command | Compound, context: int) -> None:
    if isinstance(node, Command) and not node.assignments and not node.redirects:
        for word in node.words:
            if word.pieces:
                break
        else:
            return
    clauses = node.clauses if isinstance(node, Compound) else ()
    for inner in scripts_of(node):
        if any(inner is clause for clause in clauses):
            continue
        settle(inner, context | CAPTURED)
    if isinstance(node, Compound):
        own = OF_KIND.get(node.kind, 0) | (REDIRECTED if node.redirects else 0)
        for clause in clauses:
            settle(clause, context | own)


def _background(script: Script) -> set[int]:
    """Return the numbers of the nodes that an `&` sends to the background."""
    found: set[int] = set()
    first = 0
    for number, node in enumerate(script.nodes):
        if node.trail == "&":
            found.update(range(first, number + 1))
        if node.trail in (";", "\n", "&"):
            first = number + 1
    return found
