"""Where an installation is: its folders, and the interpreter's own search path.

A hook that has to rebuild its manifest must not ask the environment where the configuration is:
the environment may be an agent's.
"""

from __future__ import annotations

import json
import os
import sys

from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.paths import Paths

NAME = "paths.json"


def remember(paths: Paths) -> None:
    """Write down the folders, readable by the user alone.

    Raises:
        OSError: The state folder cannot be written.
    """
    os.makedirs(paths.state, mode=0o700, exist_ok=True)
    target = os.path.join(paths.state, NAME)
    temporary = f"{target}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with open(os.open(temporary, flags, 0o600), "w", encoding="utf-8") as file:
        json.dump(paths.asdict(), file, default=Value.asdict)
    os.replace(temporary, target)


def recalled(state: str) -> Paths:
    """Return the folders that the state folder belongs to; the user's own by default.

    Raises:
        ConfigError: Nothing was remembered, and the user has no home.
    """
    from agguard.paths import HostPaths, Paths, resolve

    # A FIFO without a writer would block an open that waits.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
    try:
        with open(os.open(os.path.join(state, NAME), flags), encoding="utf-8") as file:
            found = json.load(file)
        host = {**found.pop("host")}
        host["app_data"] = tuple(host["app_data"])
        return Paths(**found, host=HostPaths(**host))
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return resolve().replace(state=state)


def search_path() -> list[str]:
    """Ask the interpreter for the `sys.path` that it begins with.

    A hook runs without `site`, which makes it, and the command line has its own script's folder
    on it; plugins are looked for where every program of this environment finds them.
    """
    import subprocess

    code = "import json, sys; json.dump(sys.path, sys.stdout)"
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", code],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=3,
            check=True,
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        found = sys.path
    return list(dict.fromkeys([here, *(entry for entry in found if entry)]))
