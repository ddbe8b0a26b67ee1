"""Composes what is added to a subagent's prompt. Pure."""

from __future__ import annotations

from agguard.model.contribution import Addition

DEFAULT = "{rules}\n\n{project_rules}"
"""What stands behind the prompt, where `[injection] template` says nothing."""


def composed(prompt: str, *, line: str, rules: str, project: str, template: str) -> Addition:
    """Return the addition: the token line before the prompt, the rules behind it.

    Args:
        prompt: The prompt as the parent wrote it; what it holds already is not added again.
        line: The token's line; empty for a definition, which is no subagent yet.
        rules: The rules of the role.
        project: The project's rules; may be empty.
        template: Text with `{rules}` and `{project_rules}` in it; empty for the shipped one.
    """
    parts = {
        "{rules}": "" if rules in prompt else rules,
        "{project_rules}": "" if project and project in prompt else project,
    }
    after = template or DEFAULT
    for name, text in parts.items():
        after = after.replace(name, text)
    return Addition(
        before="" if not line or prompt.startswith(line) else line,
        after=after.strip() if any(parts.values()) else "",
    )
