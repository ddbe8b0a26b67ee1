"""Which rtk there is: found on the PATH, its version read once and remembered.

The program is asked only when its path, time or size differ from what was remembered. Another tool
of that name exists (npm `rtk`), so the answer must read `rtk N.N.N`.
"""

from __future__ import annotations

import os

from agguard_builtin.memory import recall, remember

MEMORY = "rtk.json"

Version = tuple[int, ...]


def version(configured: str, cache_dir: str) -> Version:
    """Return the version of the rtk to use; empty when there is none.

    Args:
        configured: `[rtk] path`; empty looks on the PATH.
        cache_dir: The folder that remembers; empty remembers nothing.
    """
    path = configured or on_path("rtk")
    stamp = _stamp(path)
    if not stamp:
        return ()
    memory = os.path.join(cache_dir, MEMORY) if cache_dir else ""
    known = recall(memory)
    if known.get("stamp") == stamp:
        return tuple(known.get("version", ()))
    found = _ask(path)
    remember(memory, {"stamp": stamp, "version": list(found)})
    return found


def on_path(program: str) -> str:
    """Return where a program is found on the PATH; nothing if it is not there.

    `shutil.which` does the same, but importing it takes longer than a hook should.
    """
    endings = (".exe", ".cmd", "") if os.name == "nt" else ("",)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for ending in endings:
            path = os.path.join(folder, program + ending)
            if folder and os.access(path, os.X_OK) and os.path.isfile(path):
                return path
    return ""


def _stamp(path: str) -> list[object]:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return []
    return [path, found.st_mtime_ns, found.st_size]


def _ask(path: str) -> Version:
    import re
    import subprocess

    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=1,
            check=False,
            env={**os.environ, "RTK_TELEMETRY_DISABLED": "1"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.fullmatch(rb"rtk (\d+)\.(\d+)\.(\d+)\s*", done.stdout)
    return tuple(int(part) for part in found.groups()) if found else ()
