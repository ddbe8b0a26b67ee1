"""Hands the rule files that plugins bring along to subagents.

The files' text is compiled into the settings when the manifest is built, so a hook reads nothing.
Each plugin's rules are an implementation of `augment_prompt` under that plugin's name.
"""

from __future__ import annotations

from agguard.model.contribution import Addition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.model.call import Spawn
    from agguard.model.session import Session

SECTION = "plugin_rules"
"""Where the compiled settings hold the text, by the plugin's name."""

HOOK = "augment_prompt"


class Book:
    """The rules of one plugin."""

    def __init__(self, plugin: str) -> None:
        self._plugin = plugin

    def augment_prompt(self, spawn: Spawn, session: Session) -> Addition | None:
        """Add the rules to a subagent's prompt, unless they are there."""
        text = session.section(SECTION).get(self._plugin, "")
        if not isinstance(text, str) or not text or text in spawn.prompt:
            return None
        return Addition(after=f'<plugin_rules from="{self._plugin}">\n{text}\n</plugin_rules>')


class Shelf:
    """Finds a plugin's book by its name, as the manifest's targets do."""

    def __getattr__(self, plugin: str) -> Book:
        """Return the rules of a plugin."""
        return Book(plugin)


of = Shelf()


def target(plugin: str) -> str:
    """Return where the manifest finds the rules of a plugin."""
    return f"agguard.plugins.rulebook:of.{plugin}.{HOOK}"
