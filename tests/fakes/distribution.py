"""Third parties' packages: installed distributions with entry points, made up on the spot."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import agguard

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.guarded import Guarded

BUILD = """
import sys
sys.path.insert(0, sys.argv[1])
from agguard.paths import resolve
from agguard.plugins.build import build
from agguard.plugins.places import search_path
path = [sys.argv[3], *search_path()]
sys.path += path
build(resolve(sys.argv[2]), path)
"""

HEAD = """
from agguard import (
    Addition, Effect, Reminder, Rewrite, StopVerdict, Verdict, hookimpl,
)
import os, sys
"""


class Packages:
    """A folder of installed packages beside those of this interpreter.

    Args:
        site: The folder; it need not exist.
    """

    def __init__(self, site: Path) -> None:
        self.site = site
        site.mkdir(parents=True, exist_ok=True)

    def add(self, name: str, code: str, *, distribution: str = "", target: str = "") -> str:
        """Install a package with one plugin, and return the name of its module.

        Args:
            name: The plugin's name, as its entry point gives it.
            code: The module's text, after some imports from agguard.
            distribution: The package's name; made of the plugin's by default.
            target: What the entry point names, where it is not the module.
        """
        package = distribution or f"agguard-{name}"
        module = package.replace("-", "_").replace(".", "_")
        text = HEAD + textwrap.dedent(code)
        (self.site / f"{module}.py").write_text(text, encoding="utf-8")
        # Bytecode of a module of the same size, written in the same second, would count as its own.
        for old in (self.site / "__pycache__").glob(f"{module}.*.pyc"):
            old.unlink()
        info = self.site / f"{module}-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        point = target.format(module=module) or module
        (info / "entry_points.txt").write_text(f"[agguard]\n{name} = {point}\n")
        return module

    def remove(self, name: str) -> None:
        """Take a package away again; `name` is its plugin's."""
        module = f"agguard-{name}".replace("-", "_").replace(".", "_")
        (self.site / f"{module}.py").unlink()
        shutil.rmtree(self.site / f"{module}-1.0.dist-info")

    def build(self, guarded: Guarded) -> str:
        """Compile the manifest of a home with these packages; return what was printed."""
        source = next(iter(agguard.__path__)).rpartition("/")[0]
        command = [sys.executable, "-I", "-c", BUILD, source, str(guarded.home), str(self.site)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        return done.stdout
