"""The two ways in: the command line, and a hook."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def hook_main() -> NoReturn:
    """Answer one event; called by the launcher with the arguments SITE STATE EVENT."""
    from agguard.pipeline.hook import main as answer

    _, _, state, event, *_ = [*sys.argv, "", "", ""]
    answer(state, event)


def main() -> None:
    """Run the command line."""
    from agguard.cli.app import run

    run()
