"""Which of the host's products are here, and what their own log says of our hooks."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from agguard.doctor import quirks
from agguard.doctor.finding import BAD, GOOD, WARNING, Finding
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.paths import Paths

NAMES = {
    "antigravity-cli": "the CLI (agy)",
    "antigravity": "the app",
    "antigravity-ide": "the IDE",
}

TAIL = 200_000
"""Bytes at the end of a log that are read."""

LOADED = re.compile(
    r"(?:loaded (\d+) named hooks from (\d+) hooks\.json|Parsed hooks: (\d+) named hooks)"
)
REFUSED = re.compile(r"(?:[Ff]ailed to parse hooks.*|[Ii]nvalid (?:hook|matcher regex).*)")


def products(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Say which products left their traces, and what is known of the CLI's version."""
    there = [path for path in paths.host.app_data if os.path.isdir(path)]
    shown = [f"{NAMES.get(os.path.basename(path), path)} ({path})" for path in there]
    program = shutil.which("agy")
    if not there and not program:
        text = f"no Antigravity product has been used yet below {paths.host.gemini}"
        yield Finding("products", WARNING, text, "start one once, then run `agguard doctor` again")
        return
    if shown:
        yield Finding("products", GOOD, f"found {', '.join(shown)}")
    if program:
        yield from _cli(program)


def _cli(program: str) -> Iterator[Finding]:
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=10,
            text=True,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield Finding("products", WARNING, f"{program} does not say its version: {error}")
        return
    version = quirks.parsed(done.stdout or done.stderr)
    if not version:
        yield Finding("products", WARNING, f"{program} does not say its version")
        return
    name = f"agy {'.'.join(map(str, version))}"
    yield Finding("products", GOOD, f"{name} ({program})")
    for quirk in quirks.of(version):
        level = BAD if quirk.grave else WARNING
        step = "use another version of agy" if quirk.grave else ""
        yield Finding("products", level, f"{name}: {quirk.text} ({quirk.source})", step)


def log(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Say what the host's newest log tells about the loading of hooks: its only witness."""
    path = _newest(paths)
    if not path:
        return
    loaded: re.Match[str] | None = None
    refused: list[str] = []
    for line in _tail(path).splitlines():
        if found := LOADED.search(line):
            loaded, refused = found, []
        elif found := REFUSED.search(line):
            refused.append(found[0].strip())
    for text in dict.fromkeys(refused):
        yield Finding("host's log", BAD, f"{path}: {text[:300]}", "mend the file that it names")
    if loaded:
        count = int(loaded[1] or loaded[3])
        level = GOOD if count else WARNING
        said = f"the host loaded {counted(count, 'named hook')} ({path})"
        yield Finding("host's log", level, said)


def _newest(paths: Paths) -> str:
    folder = paths.host.app_data[0]
    found = [os.path.join(folder, "cli.log"), *glob.glob(os.path.join(folder, "log", "cli-*.log"))]
    found = [path for path in found if os.path.isfile(path)]
    return max(found, key=os.path.getmtime, default="")


def _tail(path: str) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - TAIL))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
