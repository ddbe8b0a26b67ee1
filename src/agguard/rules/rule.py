"""What the engine knows about a rule file: where it was found, and what became of it."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules.frontmatter import Parts

GLOBAL = "global"  # the user's own GEMINI.md and AGENTS.md (2.1)
DIRECTORY = "directory"  # GEMINI.md and AGENTS.md of a folder (2.2, 2.5)
RULE = "rule"  # a file with frontmatter: .agents/rules/*.md and its likes (2.3, 2.6)

HOME = "home"
WORKSPACE = "workspace"
PLUGIN = "plugin"
BUILTIN = "builtin"

INLINE = "inline"
DEMOTED = "demoted"
CONDITIONAL = "conditional"
OUT = "out"


class Source(Value):
    """A rule file that was found."""

    path: str
    """As the walk reached it; links are kept as written."""
    uri: str
    kind: str
    """How it is loaded: GLOBAL, DIRECTORY or RULE."""
    scope: str
    """Whose it is: HOME, WORKSPACE, PLUGIN or BUILTIN."""
    folder: str
    """The folder whose agents it speaks to; the home for the user's rules."""
    root: str = ""
    """The repository root that `@/path` falls back to; empty where mentions stay (8)."""
    via: str = ""
    """The registry or the plugin that brought it in; empty when it was found by its place."""


class Inclusion(Value):
    """One `@[label](target)` of a rule's body."""

    label: str
    target: str
    at: int
    """Where it stands in the body, in characters."""
    path: str
    """Where the engine looks for it; empty for a path that leads nowhere."""
    state: str
    """PUT_IN, or why the text stays: a kind of `agguard.rules.port`, or UNREADABLE."""
    size: int = 0
    """Bytes that were put in."""


PUT_IN = "put in"
UNREADABLE = "unreadable"


class Rule(Value):
    """A rule file and what the engine makes of it."""

    source: Source
    state: str
    """INLINE, DEMOTED, CONDITIONAL or OUT."""
    reason: str
    """A code of `agguard.rules.reason`."""
    detail: str = ""
    """What the reason is about: another path, a YAML problem, an operating system's error."""
    line: int = 0
    """The line of the reason, from 1; 0 for none."""
    trigger: str = ""
    description: str = ""
    globs: str = ""
    size: int = 0
    """Bytes of the file."""
    expanded: int = 0
    """Bytes of the body after the includes, before the cap."""
    lost: int = 0
    """Bytes that the cap cut off."""
    tokens: int = 0
    """What an inline or demoted rule costs of the budget."""
    exempt: bool = False
    """Whether the budget does not count it."""
    body: str = ""
    """The body as it enters the block."""
    parts: Parts = Parts(None, "")
    """The file's text, cut at its fences."""
    inclusions: tuple[Inclusion, ...] = ()

    @property
    def path(self) -> str:
        """The path as the walk reached it."""
        return self.source.path

    @property
    def spoken(self) -> bool:
        """Whether the block says anything of this rule."""
        return self.state != OUT
