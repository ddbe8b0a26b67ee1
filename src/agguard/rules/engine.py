"""The rules engine: from a workspace and a home to the block that an agent is told."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules import budget
from agguard.rules.block import block
from agguard.rules.discovery import discover
from agguard.rules.include import Library
from agguard.rules.load import Loader
from agguard.rules.path import clean
from agguard.rules.product import DEFAULT, Product, product_named
from agguard.rules.rule import GLOBAL, OUT, Rule
from agguard.rules.session import Session, session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agguard.rules.plugin import Plugin
    from agguard.rules.port import Read


class Rendered(Value):
    """The block, with the account of every rule file."""

    block: str
    """The `<user_rules>` block byte for byte; empty when there is none."""
    rules: tuple[Rule, ...]
    """The rules that the block speaks of, in its order (5)."""
    left_out: tuple[Rule, ...]
    """Files that were found and do not count, by path."""
    sessions: tuple[Session, ...]
    product: Product
    budget: int
    """Tokens that inline rules may cost together."""
    tokens: int
    """Tokens that they do cost, without the exempt ones."""
    faults: tuple[tuple[str, str], ...] = ()
    """Registries and manifests with something wrong: path and what."""
    plugins: tuple[Plugin, ...] = ()
    home: str = ""


def render(
    workspace: str | Sequence[str],
    home: str,
    *,
    product: str | Product = DEFAULT,
    budget_tokens: int = budget.BUDGET,
    read: Read | None = None,
) -> Rendered:
    """Return the block that a session in `workspace` is told, and why.

    Args:
        workspace: the folder that the session is opened with, absolute; several for a session
            with several workspaces.
        home: the user's home folder, absolute.
        product: a profile or its name; see `agguard.rules.product`.
        budget_tokens: tokens that inline rules may cost together.
        read: the port to the file system; the disk itself when left out.

    Raises:
        ConfigError: an unknown product. Files that cannot be read raise nothing: they are
            reported in `left_out` and `faults`.
    """
    if read is None:
        from agguard.rules.disk import Disk

        read = Disk()
    folders = [workspace] if isinstance(workspace, str) else list(workspace)
    return assembled(folders, product, budget_tokens, Loader(Library(clean(home), read), read))


def assembled(
    folders: Sequence[str], product: str | Product, budget_tokens: int, loader: Loader
) -> Rendered:
    """Return the block of a session as `render` does; the loader keeps what it read."""
    read, home = loader.read, loader.library.home
    profile = product if isinstance(product, Product) else product_named(product)
    sessions = tuple(session(folder, read) for folder in folders)
    found = discover(sessions, home, profile, read)
    loaded = sorted((loader.load(source) for source in found.kept), key=_order)
    spoken = budget.within([rule for rule in loaded if rule.spoken], budget_tokens)
    left = [Rule(each.source, OUT, each.reason, each.detail) for each in found.left]
    left += [rule for rule in loaded if not rule.spoken]
    return Rendered(
        block(spoken),
        tuple(spoken),
        tuple(sorted(left, key=_order)),
        sessions,
        profile,
        budget_tokens,
        budget.used(spoken),
        found.faults,
        found.plugins,
        home,
    )


def _order(rule: Rule) -> tuple[bool, int, str]:
    """Order rules (5.1): global ones first, then by depth, then by URI, byte by byte."""
    uri = rule.source.uri
    return rule.source.kind != GLOBAL, uri.count("/"), uri
