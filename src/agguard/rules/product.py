"""What differs between the host's products: data, not code.

Only `sdk` was measured: it is the engine that the oracle runs. What the CLI, the app and the IDE
pass as names is unknown (11.6); the host's documentation names GEMINI.md and AGENTS.md, and that
plugins' rules are loaded while the plugin is enabled.
"""

from __future__ import annotations

from agguard.errors import ConfigError
from agguard.model.value import Value
from agguard.rules import port

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.rules.port import Read


class Product(Value):
    """One of the programs that carry the engine."""

    name: str
    filenames: tuple[str, ...]
    """Names of directory rules; the order decides which of two links is kept (3.2)."""
    plugins: bool
    """Whether rules of plugins are loaded."""
    measured: bool
    """Whether the profile was compared with the running engine."""
    app_data: str = ""
    """The product's folder below `~/.gemini`; empty when the caller chooses it."""


_NAMES = ("GEMINI.md", "AGENTS.md")
PRODUCTS = (
    Product("cli", _NAMES, plugins=True, measured=False, app_data="antigravity-cli"),
    Product("app", _NAMES, plugins=True, measured=False, app_data="antigravity"),
    Product("ide", _NAMES, plugins=True, measured=False, app_data="antigravity-ide"),
    Product("sdk", _NAMES, plugins=False, measured=True),
)
DEFAULT = "app"


def product_named(name: str) -> Product:
    """Return the profile of this name.

    Raises:
        ConfigError: there is none.
    """
    for product in PRODUCTS:
        if product.name == name:
            return product
    names = ", ".join(product.name for product in PRODUCTS)
    msg = f"unknown product {name!r}: choose one of {names}"
    raise ConfigError(msg)


def product_shown(home: str, read: Read, *, artifact: str = "") -> Product:
    """Return the product that a session or the machine shows, else the default.

    Args:
        home: the user's home folder.
        read: the port.
        artifact: a path that the host gave, as `transcriptPath`; it names the product's folder.
    """
    for product in PRODUCTS:
        if product.app_data and f"/.gemini/{product.app_data}/" in artifact.replace("\\", "/"):
            return product
    present = [
        product
        for product in PRODUCTS
        if product.app_data and read.kind(f"{home}/.gemini/{product.app_data}") == port.FOLDER
    ]
    return present[0] if len(present) == 1 else product_named(DEFAULT)
