"""An environment of its own to install agguard in, as a user's would be."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import agguard
from fakes.distribution import Packages

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.guarded import Guarded

INSTALL = """
import sys
from agguard.install.user import install_for_user
from agguard.paths import resolve
install_for_user(resolve(sys.argv[1]))
"""


class Environment:
    """A virtual environment that holds agguard, what it needs, and whatever is added.

    Args:
        folder: Where to make it.
    """

    def __init__(self, folder: Path) -> None:
        make = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
        subprocess.run(make, check=True, timeout=120)
        self.python = folder / "bin" / "python"
        (site,) = folder.glob("lib/python*/site-packages")
        self.packages = Packages(site)
        source = next(iter(agguard.__path__)).rpartition("/")[0]
        here = [source, *(path for path in sys.path if path.endswith("site-packages"))]
        (site / "agguard_and_what_it_needs.pth").write_text("\n".join(here) + "\n")

    def install(self, guarded: Guarded) -> None:
        """Install agguard from here into a home, in the place of what is installed there."""
        command = [str(self.python), "-c", INSTALL, str(guarded.home)]
        subprocess.run(command, check=True, timeout=60, env=guarded.host.environ)
