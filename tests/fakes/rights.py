"""Processes for which writing really fails, whoever runs the tests."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

PR_CAPBSET_DROP = 24
OVERRIDES = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets root read and write what it may not."""


def unprivileged() -> Callable[[], None]:
    """Return what makes a new process obey the rights of files; skips where nothing does."""
    if os.name != "posix":
        pytest.skip("needs the rights of POSIX files")
    before = _obey if os.geteuid() == 0 else _nothing
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o500)
        command = ["sh", "-c", 'echo x > "$1"/probe', "sh", folder]
        probe = subprocess.run(command, preexec_fn=before, check=False, capture_output=True)
        os.chmod(folder, 0o700)
    if not probe.returncode:
        pytest.skip("this process cannot give up the right to write everywhere")
    return before


def _obey() -> None:
    """Take the overrides out of the bounding set; the next exec has them no more."""
    libc = ctypes.CDLL(None)
    for capability in OVERRIDES:
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def _nothing() -> None:
    """Leave an ordinary user as it is."""
