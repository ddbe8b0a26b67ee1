"""The vendor's SDK leaves files and event loops to the garbage collector; we do not judge it."""

from __future__ import annotations

import gc
import subprocess
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE = 30.0
"""Seconds; longer than any command in these tests runs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spare the tests of this folder the warnings that the SDK causes."""
    folder = Path(__file__).parent
    spared = ("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker("engine")
            for one in (*spared, "ignore::DeprecationWarning"):
                item.add_marker(pytest.mark.filterwarnings(one))


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect the SDK's leftovers while its warnings are still spared.

    A thread of its own reads what the engine says, as long as a command of an agent runs on.
    """
    yield
    readers = [one for one in threading.enumerate() if one.name == "harness-stderr"]
    for thread in readers:
        thread.join(PATIENCE)
    if not any(thread.is_alive() for thread in readers):
        for engine in [one for one in gc.get_objects() if type(one) is subprocess.Popen]:
            for pipe in (engine.stdin, engine.stdout, engine.stderr):
                if pipe:
                    pipe.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()
