"""Which skills a session has: names and descriptions, never their bodies."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.engine import Rendered
    from agguard.rules.port import Read

FILE = "SKILL.md"


def skills(rendered: Rendered, home: str, read: Read) -> Iterator[tuple[str, str, str]]:
    """Yield name, path and description of each skill: plugins', the workspace's, the user's."""
    from agguard.rules.port import FILE as REGULAR

    seen = set()
    for folder in _folders(rendered, home):
        for name in read.names(folder):
            path = f"{folder}/{name}/{FILE}"
            if name in seen or read.kind(path) != REGULAR:
                continue
            seen.add(name)
            yield name, path, _description(path, read)


def _folders(rendered: Rendered, home: str) -> Iterator[str]:
    """Yield where skills lie (contract, section 6), the most relevant first."""
    from agguard.rules.discovery import CONFIG_FOLDERS

    for plugin in rendered.plugins:
        if plugin.active:
            yield f"{plugin.path}/skills"
    for session in rendered.sessions:
        for folder in session.chain:
            for name in CONFIG_FOLDERS:
                yield f"{folder}/{name}/skills"
    yield f"{home}/.gemini/config/skills"


def _description(path: str, read: Read) -> str:
    """Return the description that a skill's frontmatter gives, on one line."""
    from agguard.rules.fields import read as fields
    from agguard.rules.frontmatter import split
    from agguard.rules.text import lossless, shown

    try:
        head = split(lossless(read.data(path))).head
    except OSError:
        head = None
    text = fields(head).description if head else ""
    return " ".join(shown(text).split())[:300] or "no description"
