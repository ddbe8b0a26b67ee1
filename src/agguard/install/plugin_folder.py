"""The plugin folder: rules for the primary agent, which the host reads by itself.

It carries no hooks.json, for the hooks are registered in the user's file and must not fire twice
(contract, section 6).
"""

from __future__ import annotations

import json

MANIFEST = "plugin.json"
RULES = "rules/AGENTS.md"


def contents(version: str, rules: str) -> dict[str, bytes]:
    """Return the folder's files by their path in it, always with `/`."""
    manifest = {
        "name": "agguard",
        "displayName": "agguard",
        "description": "The working rules of a session that agguard guards",
        "version": version,
    }
    text = rules if rules.endswith("\n") else f"{rules}\n"
    return {
        MANIFEST: (json.dumps(manifest, indent=2) + "\n").encode(),
        RULES: text.encode("utf-8"),
    }


def is_ours(manifest: bytes) -> bool:
    """Whether a plugin.json names agguard; one that cannot be read does not."""
    try:
        content = json.loads(manifest)
    except ValueError:
        return False
    return isinstance(content, dict) and content.get("name") == "agguard"
