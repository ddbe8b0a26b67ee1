"""The tests run on agguard's own kit."""

from __future__ import annotations

import pytest

pytest_plugins = ["agguard.testing.plugin"]


@pytest.fixture(scope="session")
def agguard_plugins() -> tuple[str, ...]:
    """The plugin under test."""
    return ("plainlog=agguard_plainlog",)
