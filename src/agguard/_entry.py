"""The two ways in: the command line, and a hook."""

from __future__ import annotations

import gc
import sys

from agguard.importer import Importer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

GARBAGE = 100_000
"""How many new objects there must be before Python looks for cycles among them."""


def hook_main() -> NoReturn:
    """Answer one event; called by the launcher with the arguments SITE STATE EVENT."""
    _, site, state, event, *_ = [*sys.argv, "", "", ""]
    _hasten(site)
    from agguard.pipeline.hook import main as answer

    answer(state, event, upgraded=lambda: _renew(state, site))


def _hasten(site: str) -> None:
    """Spare a short process what only a long one needs."""
    # A hook ends before its garbage counts; looking for it ten times costs 4 % of what runs.
    gc.set_threshold(GARBAGE)
    sys.meta_path.insert(0, Importer(site))


def _renew(state: str, site: str) -> None:
    """Bring the launcher to this version; an old one still works where that is not possible."""
    from agguard import __version__
    from agguard.errors import LedgerError
    from agguard.install.renewal import renew
    from agguard.install.seal import reseal

    renewed = renew(state, site, __version__)
    try:
        if renewed:
            reseal(state, renewed)
    except LedgerError:  # the change then shows, and `agguard install` accepts it
        return


def main() -> None:
    """Run the command line; an event is answered without loading it."""
    if sys.argv[1:2] == ["hook"]:
        _hook(*sys.argv[2:3])
    from agguard.cli.app import run

    run()


def _hook(event: str = "") -> NoReturn:
    """Answer one event on standard input; for launchers that find agguard when they run."""
    import os

    _hasten(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from agguard.paths import resolve
    from agguard.pipeline.hook import main as answer

    answer(resolve(environ=os.environ).state, event)
