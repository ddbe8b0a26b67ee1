"""Where agguard keeps its own files, and where the host keeps its.

Hooks never ask this module for agguard's folders: they were resolved when agguard was installed
and are baked into the launcher and the manifest. All paths are absolute strings; `pathlib` costs
a hook 11 ms.
"""

from __future__ import annotations

import os
import sys

from agguard.errors import ConfigError
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

APP = "agguard"
PRODUCTS = ("antigravity-cli", "antigravity", "antigravity-ide")
"""The host's products, by the name of their folder below `~/.gemini` (contract, section 8)."""


class HostPaths(Value):
    """The host's own places; one folder serves all of its products (contract, section 1.1)."""

    gemini: str
    """`~/.gemini`, or what the host was given as `--gemini_dir`."""
    config: str
    """The folder with the hooks file, which is the working directory of every hook."""
    hooks: str
    """The hooks file of this user, `hooks.json`."""
    plugin: str
    """agguard's plugin folder, which carries rules and no hooks."""
    app_data: tuple[str, ...]
    """The folder of each product, in which it keeps `brain/<conversation>`."""


class Paths(Value):
    """Every folder that agguard writes to or reads from, for one user."""

    home: str
    config: str
    """The folder of the user's configuration."""
    config_file: str
    state: str
    """Ledger, manifest and the record of installations."""
    cache: str
    host: HostPaths


def resolve(
    home: str | None = None,
    *,
    gemini: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Paths:
    """Find all folders; nothing is created and nothing below them is read.

    Args:
        home: A home to use instead of the user's. agguard's folders are then below it too, so
            that a demonstration or a test touches nothing else.
        gemini: The host's folder, when it is started with `--gemini_dir`.
        environ: Where `AGGUARD_CONFIG_DIR` and `AGGUARD_STATE_DIR` count. Only the command line
            passes its environment; a hook must not, for the agent may have set it.

    Raises:
        ConfigError: There is no home, or a folder is not absolute.
    """
    given = environ or {}
    root = _absolute("the home folder", home) if home is not None else _user_home()
    config, state, cache = _below(root) if home is not None else _of_this_user()
    config = _absolute("AGGUARD_CONFIG_DIR", given.get("AGGUARD_CONFIG_DIR") or config)
    state = _absolute("AGGUARD_STATE_DIR", given.get("AGGUARD_STATE_DIR") or state)
    return Paths(
        home=root,
        config=config,
        config_file=os.path.join(config, "config.toml"),
        state=state,
        cache=cache,
        host=host_paths(_absolute("--gemini-dir", gemini or os.path.join(root, ".gemini"))),
    )


def host_paths(gemini: str) -> HostPaths:
    """Lay out the host's folder; `gemini` is absolute."""
    config = os.path.join(gemini, "config")
    return HostPaths(
        gemini=gemini,
        config=config,
        hooks=os.path.join(config, "hooks.json"),
        plugin=os.path.join(config, "plugins", APP),
        app_data=tuple(os.path.join(gemini, product) for product in PRODUCTS),
    )


def workspace_hooks(project: str) -> str:
    """Return the hooks file of a project; `project` is its folder."""
    return os.path.join(_absolute("the project folder", project), ".agents", "hooks.json")


def _user_home() -> str:
    """Return the user's home; an empty or relative HOME is no home."""
    home = os.path.expanduser("~")
    if not os.path.isabs(home) or not os.environ.get("HOME", "unset"):
        msg = "cannot find your home folder: set HOME to it, or pass --home"
        raise ConfigError(msg)
    return os.path.normpath(home)


def _absolute(what: str, path: str) -> str:
    if not os.path.isabs(path) or "\0" in path:
        msg = f"{what} is {path!r}: give an absolute path"
        raise ConfigError(msg)
    return os.path.normpath(path)


def _of_this_user() -> tuple[str, str, str]:
    """Return the folders for configuration, state and cache by the platform's rules."""
    import platformdirs

    config = platformdirs.user_config_dir(APP, appauthor=False)
    state = platformdirs.user_state_dir(APP, appauthor=False)
    return config, _apart(config, state), platformdirs.user_cache_dir(APP, appauthor=False)


def _below(home: str) -> tuple[str, str, str]:
    """Return the same folders below a home that is not the user's."""
    if sys.platform == "win32":
        base = os.path.join(home, "AppData", "Local", APP)
        return base, _apart(base, base), os.path.join(base, "Cache")
    if sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support", APP)
        return base, _apart(base, base), os.path.join(home, "Library", "Caches", APP)
    return (
        os.path.join(home, ".config", APP),
        os.path.join(home, ".local", "state", APP),
        os.path.join(home, ".cache", APP),
    )


def _apart(config: str, state: str) -> str:
    """Keep state out of the configuration folder where the platform has one folder for both."""
    return os.path.join(state, "State") if state == config else state
